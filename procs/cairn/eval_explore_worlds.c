/* eval_explore_worlds.c - which houses: files and folders, each looked at before anything is driven. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "procs/cairn/eval_explore.h"
#include "procs/cairn/shards.h"

static bool complain(const char *what, const char *value)
{
	fprintf(stderr, "cairn eval explore: %s '%s'\n", what, value);
	return false;
}

static bool looks_like_world(const char *name)
{
	static const char *const endings[] = {".yaml", ".json", ".pgm", ".pgm.gz"};
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t n = strlen(name), e = strlen(endings[i]);
		if (n > e && strcmp(name + n - e, endings[i]) == 0)
			return true;
	}
	return false;
}

static uint64_t hash_file(const char *path)
{
	uint8_t part[65536];
	uint64_t hash = 0;
	FILE *f = fopen(path, "rb");
	for (size_t n = 1; f != NULL && n > 0;) {
		n = fread(part, 1, sizeof(part), f);
		hash = cairn_shards_hash(hash, part, n);
	}
	if (f != NULL)
		fclose(f);
	return hash;
}

/* The others are driven all the same, and the evaluation does not pass. */
static bool leave_out(struct explore_plan *p, const char *path, const char *why)
{
	struct explore_bad *more = realloc(p->bad, (p->bad_count + 1) * sizeof(*more));
	if (more == NULL)
		return complain("no memory for", path);
	p->bad = more;
	struct explore_bad *bad = &p->bad[p->bad_count++];
	snprintf(bad->path, sizeof(bad->path), "%.500s", path);
	snprintf(bad->why, sizeof(bad->why), "%.190s", why);
	fprintf(stderr,
	    "cairn eval explore: %s is no house that can be driven: %s. It is left out; mend the file, or do "
	    "not name it\n",
	    bad->path, bad->why);
	return true;
}

static bool add_world(struct explore_plan *p, const char *path)
{
	struct cairn_error err = {""};
	if (p->world_count == EXPLORE_WORLDS_MAX) {
		fprintf(stderr, "cairn eval explore: more than %d houses; '%s' is one too many\n",
		    EXPLORE_WORLDS_MAX, path);
		return false;
	}
	struct explore_world *w = &p->worlds[p->world_count];
	if (strlen(path) >= sizeof(w->path))
		return leave_out(p, path, "its path is too long");
	struct cairn_world *world = cairn_world_load(path, &err);
	if (world == NULL)
		return leave_out(p, path,
		    strncmp(err.text, path, strlen(path)) == 0 ? err.text + strlen(path) + 2 : err.text);
	cairn_world_destroy(&world);
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
	snprintf(w->path, sizeof(w->path), "%s", path);
	snprintf(w->name, sizeof(w->name), "%.*s", (int)strcspn(name, "."), name);
	w->hash = hash_file(path);
	p->world_count++;
	return true;
}

static int by_name(const void *a, const void *b)
{
	const struct explore_world *x = a, *y = b;
	int order = strcmp(x->name, y->name);
	return order != 0 ? order : strcmp(x->path, y->path);
}

static bool add_folder(struct explore_plan *p, const char *path)
{
	DIR *dir = opendir(path);
	char file[1024];
	if (dir == NULL)
		return leave_out(p, path, strerror(errno));
	bool ok = true;
	for (struct dirent *e; ok && (e = readdir(dir)) != NULL;)
		if (looks_like_world(e->d_name)) {
			snprintf(file, sizeof(file), "%.700s/%s", path, e->d_name);
			ok = add_world(p, file);
		}
	closedir(dir);
	return ok;
}

static bool add_path(struct explore_plan *p, const char *path)
{
	struct stat st;
	if (stat(path, &st) != 0)
		return leave_out(p, path, strerror(errno));
	return S_ISDIR(st.st_mode) ? add_folder(p, path) : add_world(p, path);
}

bool explore_read_worlds(const struct cli *cli, struct explore_plan *p)
{
	int count;
	const char *const *paths = cli_values(cli, "worlds", &count);
	if (count == 0 && cli->arg_count > 1)
		return complain("a house is named with --worlds in front of it:", cli->args[1]);
	bool ok = count > 0 || add_path(p, CAIRN_SOURCE_DIR "/config/worlds");
	for (int i = 0; ok && i < count; i++)
		ok = add_path(p, paths[i]);
	for (int i = 1; ok && i < cli->arg_count; i++) /* what a shell makes of --worlds DIR/x* */
		ok = add_path(p, cli->args[i]);
	qsort(p->worlds, p->world_count, sizeof(p->worlds[0]),
	    by_name); /* not by the order of the file system */
	return ok && (p->world_count > 0 || complain("no house in", count > 0 ? paths[0] : "config/worlds"));
}
