#include "common/base/secret.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

void cairn_secret_guard(void)
{
	/* 1 and not 0, because a dump to a pipe ignores 0. */
	setrlimit(RLIMIT_CORE, &(struct rlimit){1, 1});
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

void cairn_secret_wipe(const char *name)
{
	char *value = getenv(name);
	if (value == NULL)
		return;
	size_t len = strlen(value);
	(void)unsetenv(name); /* the name uses the memory no more; it is ours, or the kernel put it there */
	explicit_bzero(value, len);
}

char *cairn_secret_take(const char *name)
{
	const char *value = getenv(name);
	if (value == NULL || value[0] == '\0')
		return NULL;
	cairn_secret_guard();
	char *copy = strdup(value);
	cairn_secret_wipe(name);
	return copy;
}

void cairn_secret_free(char **secret_p)
{
	if (*secret_p != NULL)
		explicit_bzero(*secret_p, strlen(*secret_p));
	free(*secret_p);
	*secret_p = NULL;
}
