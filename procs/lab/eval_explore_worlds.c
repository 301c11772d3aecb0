/* eval_explore_worlds.c - which houses: files and folders, each looked at before anything is driven. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/file.h"
#include "procs/lab/eval_explore.h"
#include "procs/cli/rundir.h"
#include "procs/lab/jobs.h"

static bool complain(const char *what, const char *value)
{
	fprintf(stderr, "cairn eval explore: %s '%s'\n", what, value);
	return false;
}

/* Length of a name without the ending of a world; all of it: it has none. */
static size_t stem_of(const char *name)
{
	static const char *const endings[] = {".yaml", ".json", ".pgm", ".pgm.gz"};
	size_t n = strlen(name);
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t e = strlen(endings[i]);
		if (n > e && strcmp(name + n - e, endings[i]) == 0)
			return n - e;
	}
	return n;
}

static int looks_like_world(const struct dirent *e)
{
	return e->d_name[stem_of(e->d_name)] != '\0';
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

/* What the loader said, without the path in front of it, which may have left no room for anything else. */
static const char *reason_of(const struct cairn_error *err, const char *path)
{
	size_t n = strlen(path);
	if (strncmp(err->text, path, n) != 0)
		return err->text;
	const char *rest = err->text + n + strspn(err->text + n, ": ");
	return rest[0] != '\0' ? rest : "it cannot be loaded";
}

/* The same house twice is one house, however it is named: its trials would count as those of two. */
static bool is_there(const struct explore_plan *p, const char *path, uint64_t hash)
{
	for (uint32_t i = 0; i < p->world_count; i++)
		if (p->worlds[i].hash == hash) {
			fprintf(stderr,
			    "cairn eval explore: %s is the same house as %s, and is driven once\n", path,
			    p->worlds[i].path);
			return true;
		}
	return false;
}

struct cairn_world *explore_load_world(const struct explore_world *w, struct cairn_error *err)
{
	struct cairn_world *world = cairn_world_load(w->path, err);
	if (world != NULL && cairn_file_hash(w->path) != w->hash) {
		cairn_error_set(err, "the file was changed after the evaluation had begun; begin a new one");
		cairn_world_destroy(&world);
	}
	return world;
}

static bool add_world(struct explore_plan *p, const char *path)
{
	struct cairn_error err = {""};
	if (strlen(path) >= sizeof(p->worlds[0].path))
		return leave_out(p, path, "its path is too long");
	struct cairn_world *world = cairn_world_load(path, &err);
	if (world == NULL)
		return leave_out(p, path, reason_of(&err, path));
	cairn_world_destroy(&world);
	uint64_t hash = cairn_file_hash(path);
	if (is_there(p, path, hash))
		return true;
	if (p->world_count == EXPLORE_WORLDS_MAX) {
		fprintf(stderr, "cairn eval explore: more than %d houses; '%s' is one too many\n",
		    EXPLORE_WORLDS_MAX, path);
		return false;
	}
	struct explore_world *w = &p->worlds[p->world_count++];
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
	snprintf(w->path, sizeof(w->path), "%s", path);
	snprintf(w->name, sizeof(w->name), "%.*s", (int)stem_of(name), name);
	w->hash = hash;
	return true;
}

static int by_name(const void *a, const void *b)
{
	const struct explore_world *x = a, *y = b;
	int order = strcmp(x->name, y->name);
	return order != 0 ? order : strcmp(x->path, y->path);
}

static bool has_name(const struct explore_plan *p, uint32_t count, const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(p->worlds[i].name, name) == 0)
			return true;
	return false;
}

/* home, home-2, home-3 of several folders, in the order of their paths; none that is a file's own name. */
static void tell_names_apart(struct explore_plan *p)
{
	for (uint32_t i = 1; i < p->world_count; i++) {
		struct explore_world *w = &p->worlds[i];
		char name[sizeof(w->name)];
		if (!has_name(p, i, w->name))
			continue;
		snprintf(name, sizeof(name), "%s", w->name);
		for (uint32_t k = 2; has_name(p, p->world_count, name); k++)
			snprintf(name, sizeof(name), "%.28s-%u", w->name, k);
		fprintf(stderr, "cairn eval explore: %s is called %s: another house is called %s\n", w->path,
		    name, w->name);
		snprintf(w->name, sizeof(w->name), "%s", name);
	}
}

static bool add_folder(struct explore_plan *p, const char *path)
{
	struct dirent **files;
	char file[1024];
	int count = scandir(path, &files, looks_like_world, alphasort);
	if (count < 0)
		return leave_out(p, path, strerror(errno));
	bool ok = true;
	for (int i = 0; i < count; i++) {
		snprintf(file, sizeof(file), "%.700s/%s", path, files[i]->d_name);
		ok = ok && add_world(p, file);
		free(files[i]);
	}
	free(files);
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
	struct cairn_error err = {""};
	char homes[4400];
	if (count == 0 && !cairn_share_file("config/worlds", homes, sizeof(homes), &err))
		return complain("the bundled homes:", err.text);
	bool ok = count > 0 || add_path(p, homes);
	for (int i = 0; ok && i < count; i++)
		ok = add_path(p, paths[i]);
	for (int i = 1; ok && i < cli->arg_count; i++) /* what a shell makes of --worlds DIR/x* */
		ok = add_path(p, cli->args[i]);
	qsort(p->worlds, p->world_count, sizeof(p->worlds[0]),
	    by_name); /* not by the order of the file system */
	tell_names_apart(p);
	return ok && (p->world_count > 0 || complain("no house in", count > 0 ? paths[0] : "config/worlds"));
}
