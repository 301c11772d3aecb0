#include "procs/cli/rundir.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/hash.h"

bool cairn_run_dir(const char *option, char *buf, size_t buf_bytes)
{
	const char *from = option != NULL ? option : getenv("CAIRN_RUN");
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	int n;
	if (from != NULL && from[0] == '/') {
		n = snprintf(buf, buf_bytes, "%s", from);
	} else if (from != NULL && from[0] != '\0') {
		if (getcwd(buf, buf_bytes) == NULL)
			return false;
		size_t have = strlen(buf);
		n = snprintf(buf + have, buf_bytes - have, "/%s", from) + (int)have;
	} else if (runtime != NULL && runtime[0] == '/') {
		n = snprintf(buf, buf_bytes, "%s/cairn", runtime);
	} else if (access("/run/cairn", W_OK) == 0 || access("/run", W_OK) == 0) {
		n = snprintf(buf, buf_bytes, "/run/cairn");
	} else {
		n = snprintf(buf, buf_bytes, "/tmp/cairn-%u", (unsigned)getuid());
	}
	if (n < 0 || (size_t)n >= buf_bytes)
		return false;
	for (size_t end = (size_t)n; end > 1 && buf[end - 1] == '/'; end--)
		buf[end - 1] = '\0';
	return true;
}

bool cairn_program_dir(char *buf, size_t buf_bytes)
{
	ssize_t n = readlink("/proc/self/exe", buf, buf_bytes);
	if (n <= 0 || (size_t)n >= buf_bytes)
		return false;
	buf[n] = '\0';
	char *slash = strrchr(buf, '/');
	if (slash == NULL)
		return false;
	*slash = '\0';
	return true;
}

static bool holds_config(const char *dir)
{
	char path[4200];
	snprintf(path, sizeof(path), "%s/config/cairn.yaml", dir);
	return access(path, R_OK) == 0;
}

bool cairn_share_dir(char *buf, size_t buf_bytes, struct cairn_error *err)
{
	char program[4096], path[4200];
	const char *given = getenv("CAIRN_SHARE");
	char tree[4200] = "";
	const char *candidates[] = {given, tree, path, CAIRN_SOURCE_DIR};
	path[0] = '\0';
	if (given != NULL && given[0] != '\0' && !holds_config(given)) {
		cairn_error_set(err, "CAIRN_SHARE is %.150s, which holds no config/cairn.yaml", given);
		return false;
	}
	if (cairn_program_dir(program, sizeof(program))) {
		snprintf(tree, sizeof(tree), "%s/../..",
		    program); /* CLONE/build/procs, wherever the clone is by now */
		snprintf(path, sizeof(path), "%s/../share/cairn", program);
	}
	for (size_t i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++) {
		if (candidates[i] == NULL || candidates[i][0] == '\0' || !holds_config(candidates[i]))
			continue;
		char *real = realpath(candidates[i], NULL);
		bool fits = real != NULL && snprintf(buf, buf_bytes, "%s", real) < (int)buf_bytes;
		free(real);
		if (fits)
			return true;
	}
	cairn_error_set(
	    err, "config/cairn.yaml is nowhere to be found; CAIRN_SHARE may name its parent folder");
	return false;
}

bool cairn_share_file(const char *name, char *buf, size_t buf_bytes, struct cairn_error *err)
{
	char share[4096];
	if (!cairn_share_dir(share, sizeof(share), err))
		return false;
	if (snprintf(buf, buf_bytes, "%s/%s", share, name) < (int)buf_bytes)
		return true;
	cairn_error_set(err, "%.150s/%.60s: the name is too long", share, name);
	return false;
}

struct cairn_world *cairn_share_world(const char *home, struct cairn_error *err)
{
	char name[64], path[4400];
	snprintf(name, sizeof(name), "config/worlds/%.40s.yaml", home);
	return cairn_share_file(name, path, sizeof(path), err) ? cairn_world_load(path, err) : NULL;
}

bool cairn_share_find(char *path, size_t path_bytes, struct cairn_error *err)
{
	char shared[4400];
	char *found = realpath(path, NULL);
	if (found == NULL && !cairn_share_file(path, shared, sizeof(shared), err))
		return false;
	if (found == NULL && path[0] != '/')
		found = realpath(shared, NULL);
	bool fits = found == NULL || strlen(found) < path_bytes;
	if (!fits)
		cairn_error_set(err, "%.200s: the name is too long", found);
	else if (found != NULL)
		memcpy(path, found, strlen(found) + 1);
	free(found);
	return fits;
}

bool cairn_share_find_model(struct cairn_config_vlm *vlm, struct cairn_error *err)
{
	return cairn_share_find(vlm->prompts, sizeof(vlm->prompts), err) &&
	       cairn_share_find(vlm->providers, sizeof(vlm->providers), err);
}

uint64_t cairn_program_hash(uint64_t h)
{
	char buf[65536];
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	ssize_t n;
	while (fd >= 0 && (n = read(fd, buf, sizeof(buf))) > 0)
		h = cairn_hash_bytes(h, buf, (size_t)n);
	if (fd >= 0)
		close(fd);
	return h;
}
