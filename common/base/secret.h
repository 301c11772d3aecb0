/* secret.h - secrets of the environment: keys of services, passwords. */
#ifndef CAIRN_COMMON_BASE_SECRET_H
#define CAIRN_COMMON_BASE_SECRET_H

/* For a process that holds secrets: no core dump, no other process of this user looks into it. */
void cairn_secret_guard(void);
/* Takes a variable out of this process: out of environ, and overwritten where it stood, so that neither /proc/PID/environ nor a
 * dump shows it. */
void cairn_secret_wipe(const char *name);
/* A copy of a variable's value, which is wiped, and the process guarded. NULL: it is not set, or empty, or there is no memory. */
char *cairn_secret_take(const char *name);
/* Overwrites and frees what cairn_secret_take has given, and clears the pointer. */
void cairn_secret_free(char **secret_p);

#endif
