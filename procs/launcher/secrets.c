#include "procs/launcher/secrets.h"

#include <stdio.h>

#include "common/agent/agent.h"

static void add(struct cairn_secrets *s, const char *stage, const char *name)
{
	if (name[0] == '\0' || s->count == CAIRN_SECRETS_MAX)
		return;
	struct cairn_secret *item = &s->items[s->count++];
	item->stage = stage;
	snprintf(item->name, sizeof(item->name), "%s", name);
}

void cairn_secrets_of(const struct cairn_config *cfg, struct cairn_secrets *ret)
{
	struct cairn_lineup lineup;
	struct cairn_config_vlm vlm;
	ret->count = 0;
	if (cairn_lineup_load(&lineup, &cfg->vlm, NULL)) {
		for (uint32_t i = 0; i < cairn_lineup_rows(&lineup); i++)
			add(ret, "gateway", lineup.rows[i].api_key_env);
	}
	if (cfg->agent.enabled && cairn_agent_lineup(cfg, &vlm, &lineup, NULL))
		add(ret, "agent", lineup.rows[0].api_key_env);
	if (cfg->voice.transcriber_url[0] != '\0')
		add(ret, "listen", cfg->voice.transcriber_key);
	add(ret, "notify", cfg->notify.url_env);
	add(ret, "notify", cfg->notify.auth_env);
	if (cfg->fleet.user[0] != '\0')
		add(ret, "fleet", "CAIRN_FLEET_PASSWORD");
}

void cairn_secrets_names(const struct cairn_secrets *secrets, const char *ret[CAIRN_SECRETS_MAX + 1])
{
	for (uint32_t i = 0; i < secrets->count; i++)
		ret[i] = secrets->items[i].name;
	ret[secrets->count] = NULL;
}
