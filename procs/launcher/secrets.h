/* secrets.h - which stage is given which secret of the environment: each those that its own part of the configuration names. */
#ifndef CAIRN_PROCS_LAUNCHER_SECRETS_H
#define CAIRN_PROCS_LAUNCHER_SECRETS_H

#include "common/vlm/profile.h"

#define CAIRN_SECRETS_MAX                                                                                    \
	(CAIRN_LINEUP_ROWS_MAX + 5) /* of the gateway; of agent, listen, notify (two) and fleet */

struct cairn_secret {
	const char *stage;
	char name[CAIRN_CONFIG_TEXT_CAP]; /* of the variable */
};

struct cairn_secrets {
	uint32_t count;
	struct cairn_secret items[CAIRN_SECRETS_MAX];
};

/* Providers that cannot be read have no keys: the stage will say so. */
void cairn_secrets_of(const struct cairn_config *cfg, struct cairn_secrets *ret);
/* The names of all, for who passes them on to the launcher; borrowed, NULL ends them. */
void cairn_secrets_names(const struct cairn_secrets *secrets, const char *ret[CAIRN_SECRETS_MAX + 1]);

#endif
