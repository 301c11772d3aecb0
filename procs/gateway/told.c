/* told.c - what is told of the model's service: the topic, and each change once in the log. */
#include <string.h>

#include "common/base/geom.h"
#include "common/vlm/stats.h"
#include "procs/gateway/gateway.h"

#define SECOND_S 1.0
#define WANTED_LATELY_NS (60 * CAIRN_NS_PER_S) /* a mission is on: the next wish will come */
#define BUDGET_WARNING 0.8

void told_stats(struct gateway *g)
{
	struct cairn_msg_vlm_stats stats;
	int64_t now_ns = cairn_now_ns();
	cairn_dialog_stats(g->dialog, now_ns, &stats);
	cairn_outbox_put(g->outbox, CAIRN_TOPIC_VLM_STATS, &stats, true, now_ns);
	if (strcmp(g->said_error, stats.last_error) != 0) {
		snprintf(g->said_error, sizeof(g->said_error), "%s", stats.last_error);
		cairn_log_warn("call failed: %s", stats.last_error);
	}
	if (g->said_tier != stats.net_tier) {
		cairn_log_info("the service is %s (was %s)",
		    cairn_enum_text(&cairn_enum_net_tier, (int)stats.net_tier),
		    cairn_enum_text(&cairn_enum_net_tier, (int)g->said_tier));
		g->said_tier = stats.net_tier;
	}
	bool near = stats.budget_share >= BUDGET_WARNING;
	if (near && !g->said_budget)
		cairn_log_warn("%.0f %% of the budget are spent; at the limit local exploration goes on "
			       "without the model",
		    100.0 * stats.budget_share);
	g->said_budget = near;
	cairn_stage_note(g->stage, cairn_dialog_note(g->dialog, now_ns));
}

int told_on_stats_period(void *ctx)
{
	struct gateway *g = ctx;
	struct cairn_msg_vlm_stats stats;
	char line[CAIRN_VLM_STATS_LINE];
	cairn_dialog_stats(g->dialog, cairn_now_ns(), &stats);
	cairn_vlm_stats_line(&stats, &g->logged, line, sizeof(line));
	cairn_log_info("in the last %g s: %s", g->cfg->vlm.stats_period_s, line);
	g->logged = stats;
	return 0;
}

void told_who_is_asked(const struct cairn_lineup *lineup)
{
	const struct {
		uint32_t row;
		const char *what;
	} others[] = {{lineup->observer, "observe_scene asks"}, {lineup->strong, "hard decisions ask"},
	    {lineup->local, "while the network is away decisions ask"}};
	for (uint32_t i = 0; i < lineup->count; i++)
		cairn_log_info("%s %s, model %s at %s", i > 0 ? "falls back on" : "asks",
		    lineup->rows[i].name, lineup->rows[i].model, lineup->rows[i].base_url);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i].row != 0)
			cairn_log_info("%s %s, model %s", others[i].what, lineup->rows[others[i].row].name,
			    lineup->rows[others[i].row].model);
}

int told_on_second(void *ctx)
{
	struct gateway *g = ctx;
	told_stats(g);
	cairn_memory_places(cairn_dialog_memory(g->dialog), &g->rooms);
	cairn_outbox_put(g->outbox, CAIRN_TOPIC_ROOMS, &g->rooms, true, cairn_now_ns());
	discoveries_publish(g->found, cairn_now_ns());
	outside_tell(g->outside); /* they grow older */
	cairn_dialog_tick(g->dialog, SECOND_S);
	remembered_save(&g->remembered);
	int64_t now_ns = cairn_now_ns();
	if (cairn_dialog_wants_snapshot(g->dialog, now_ns))
		g->wanted_ns = now_ns;
	service_tick(g->service, g->wanted_ns != 0 && now_ns - g->wanted_ns < WANTED_LATELY_NS);
	return 0;
}
