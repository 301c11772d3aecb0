#include "procs/launcher/secrets.h"

#include <stdio.h>

#include "common/agent/agent.h"

static uint32_t add(struct cairn_secret *ret, uint32_t n, const char *stage, const char *name)
{
	if (name[0] == '\0')
		return n;
	ret[n].stage = stage;
	snprintf(ret[n].name, sizeof(ret[n].name), "%s", name);
	return n + 1;
}

uint32_t cairn_secrets(const struct cairn_config *cfg, struct cairn_secret ret[CAIRN_SECRETS_MAX])
{
	struct cairn_lineup lineup;
	struct cairn_config_vlm vlm;
	uint32_t n = 0;
	bool loaded = cairn_lineup_load(&lineup, &cfg->vlm, NULL);
	for (uint32_t i = 0; loaded && i < cairn_lineup_rows(&lineup); i++)
		n = add(ret, n, "gateway", lineup.rows[i].api_key_env);
	if (cfg->agent.enabled && cairn_agent_lineup(cfg, &vlm, &lineup, NULL))
		n = add(ret, n, "agent", lineup.rows[0].api_key_env);
	n = add(ret, n, "notify", cfg->notify.url_env);
	return add(ret, n, "listen", cfg->voice.transcriber_key);
}

void cairn_secret_names(
    const struct cairn_secret *secrets, uint32_t count, const char *ret[CAIRN_SECRETS_MAX + 1])
{
	for (uint32_t i = 0; i < count; i++)
		ret[i] = secrets[i].name;
	ret[count] = NULL;
}
