/* secrets.h - keys of others' services: which stage is to be given which variable of the environment, by the configuration. */
#ifndef CAIRN_PROCS_LAUNCHER_SECRETS_H
#define CAIRN_PROCS_LAUNCHER_SECRETS_H

#include "common/vlm/profile.h"

#define CAIRN_SECRETS_MAX (CAIRN_LINEUP_ROWS_MAX + 3)

struct cairn_secret {
	const char *stage;
	char name[CAIRN_CONFIG_TEXT_CAP]; /* of the variable; the same one may be for two stages */
};

/* Those of providers that cannot be read are left out: the stage that wants them says what is wrong. Their number. */
uint32_t cairn_secrets(const struct cairn_config *cfg, struct cairn_secret ret[CAIRN_SECRETS_MAX]);

/* Their names, for a process that hands them on (cairn_environment_for); they point into secrets. NULL ends them. */
void cairn_secret_names(
    const struct cairn_secret *secrets, uint32_t count, const char *ret[CAIRN_SECRETS_MAX + 1]);

#endif
