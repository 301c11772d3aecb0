#include "procs/launcher/environment.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static const struct {
	const char *name, *stage;
} rows[] = {
#define VARIABLE(name, stage, why) {name, stage},
#include "procs/launcher/environment.def"
};

static bool names(const char *row, const char *variable, size_t len)
{
	size_t n = strlen(row);
	if (n > 0 && row[n - 1] == '*')
		return len >= n - 1 && strncmp(row, variable, n - 1) == 0;
	return len == n && strncmp(row, variable, n) == 0;
}

bool cairn_environment_allows(const char *stage, const char *variable, const char *const *keys)
{
	size_t len = strcspn(variable, "=");
	for (; keys != NULL && *keys != NULL; keys++) {
		if (names(*keys, variable, len))
			return true;
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (names(rows[i].name, variable, len))
			return strcmp(rows[i].stage, "*") == 0 || strcmp(rows[i].stage, stage) == 0;
	}
	return false;
}

size_t cairn_environment_for(
    const char *stage, char *const *env, const char *const *keys, char *ret[CAIRN_ENVIRONMENT_MAX + 1])
{
	size_t n = 0;
	for (; env != NULL && *env != NULL && n < CAIRN_ENVIRONMENT_MAX; env++) {
		if (cairn_environment_allows(stage, *env, keys))
			ret[n++] = *env;
	}
	ret[n] = NULL;
	return n;
}

void cairn_environment_wipe(const char *name)
{
	char *value = getenv(name);
	if (value == NULL)
		return;
	size_t len = strlen(value);
	(void)unsetenv(name); /* the name uses the memory no more; it is ours, or the kernel put it there */
	explicit_bzero(value, len);
}

void cairn_environment_wipe_others(const char *stage, const char *const *keys)
{
	for (char **at = environ; at != NULL && *at != NULL;) {
		char name[256];
		size_t len = strcspn(*at, "=");
		if (cairn_environment_allows(stage, *at, keys) || len == 0 || len >= sizeof(name)) {
			at++;
			continue;
		}
		memcpy(name, *at, len);
		name[len] = '\0';
		cairn_environment_wipe(name); /* moves the others up */
	}
}

void cairn_environment_keep_secret(void)
{
	/* 1 and not 0, because a dump to a pipe ignores 0. */
	setrlimit(RLIMIT_CORE, &(struct rlimit){1, 1});
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
