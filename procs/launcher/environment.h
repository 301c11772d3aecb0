/* environment.h - what of the environment a process of the stack is given: an allow-list per stage.
 *
 * A shell's environment is full of secrets that no stage needs: keys of providers that are not asked, tokens of other
 * programs, proxies with passwords. What stands in environment.def is passed on, and to each stage its own secrets (secrets.h);
 * everything else is not. */
#ifndef CAIRN_PROCS_LAUNCHER_ENVIRONMENT_H
#define CAIRN_PROCS_LAUNCHER_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#define CAIRN_ENVIRONMENT_MAX 256 /* variables that are passed on at most */

/* True when variable ("NAME=value" or "NAME") is passed on to a stage. keys: names of more that this stage gets, NULL ends
 * them; may be NULL. */
bool cairn_environment_allows(const char *stage, const char *variable, const char *const *keys);
/* The environment of a stage: borrowed pointers from env, NULL-terminated, at most CAIRN_ENVIRONMENT_MAX. Their number. */
size_t cairn_environment_for(
    const char *stage, char *const *env, const char *const *keys, char *ret[CAIRN_ENVIRONMENT_MAX + 1]);

/* Wipes (common/base/secret.h) all that no stage but `stage` would get, but for keys. */
void cairn_environment_wipe_others(const char *stage, const char *const *keys);

#endif
