#include "procs/launcher/environment.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/secret.h"

static const struct {
	const char *name, *stages;
} rows[] = {
#define VARIABLE(name, stages, why) {name, stages},
#include "procs/launcher/environment.def"
};

static bool names(const char *row, const char *variable, size_t len)
{
	size_t n = strlen(row);
	if (n > 0 && row[n - 1] == '*')
		return len >= n - 1 && strncmp(row, variable, n - 1) == 0;
	return len == n && strncmp(row, variable, n) == 0;
}

/* stages: "*", or names with spaces between them. */
static bool has_stage(const char *stages, const char *stage)
{
	size_t len = strlen(stage);
	for (const char *at = stages; (at = strstr(at, stage)) != NULL; at += len)
		if ((at == stages || at[-1] == ' ') && (at[len] == '\0' || at[len] == ' '))
			return true;
	return strcmp(stages, "*") == 0;
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
			return has_stage(rows[i].stages, stage);
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
		cairn_secret_wipe(name); /* moves the others up */
	}
}
