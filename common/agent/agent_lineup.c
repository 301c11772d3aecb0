/* agent_lineup.c - who answers the agent: one provider, which is not stood in for. */
#include <stdio.h>

#include "common/agent/agent.h"

bool cairn_agent_lineup(const struct cairn_config *cfg, struct cairn_config_vlm *ret_vlm,
    struct cairn_lineup *ret, struct cairn_error *err)
{
	*ret_vlm = cfg->vlm;
	ret_vlm->timeout_s = cfg->agent.timeout_s;
	snprintf(ret_vlm->replay, sizeof(ret_vlm->replay), "%s", cfg->agent.replay);
	ret_vlm->fallbacks[0] = ret_vlm->observe_provider[0] = '\0';
	if (cfg->agent.provider[0] != '\0')
		snprintf(ret_vlm->provider, sizeof(ret_vlm->provider), "%s", cfg->agent.provider);
	if (!cairn_lineup_load(ret, ret_vlm, err))
		return false;
	cairn_lineup_alone(ret);
	return true;
}
