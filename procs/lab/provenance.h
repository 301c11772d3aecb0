/* provenance.h - what makes the same figures again: the exact command, which source, which configuration. */
#ifndef CAIRN_PROCS_LAB_PROVENANCE_H
#define CAIRN_PROCS_LAB_PROVENANCE_H

#include "common/config/config.h"
#include "procs/cli/cli.h"

/* As a shell takes it, words quoted where they need it. NULL: no memory; free() it. */
char *cairn_provenance_command(const struct cli *cli);
/* What git called the source when this was built, "-dirty" behind it when something was changed; "unknown"
 * without git. */
const char *cairn_provenance_commit(void);
/* A number that differs when a key of the configuration does. */
uint64_t cairn_provenance_config(const struct cairn_config *cfg);

#endif
