#include "common/vlm/dialog_private.h"

#include <stdlib.h>
#include <string.h>

#include "common/percept/snapshot.h"
#include "common/percept/trigger.h"

struct cairn_dialog *cairn_dialog_new(const struct cairn_config_vlm *cfg, double snapshot_max_age_s,
    const char *system, struct cairn_error *err)
{
	struct cairn_lineup pilot = {.count = 1};
	struct cairn_dialog *d = calloc(1, sizeof(*d));
	if (d != NULL)
		d->system = strdup(system);
	if (d == NULL || d->system == NULL) {
		free(d);
		cairn_error_set(err, "out of memory");
		return NULL;
	}
	d->cfg = *cfg;
	d->json = cfg->mode == CAIRN_CHOICE_VLM_MODE_JSON;
	d->pace.usd_per_hour = cfg->pace_usd_per_hour;
	d->request.since_view = UINT32_MAX / 2; /* the first decision gets it */
	d->snapshot_max_age_ns = (int64_t)(snapshot_max_age_s * 1e9);
	cairn_memory_init(&d->memory);
	cairn_budget_init(&d->budget, cfg);
	cairn_profile_defaults(&pilot.rows[0]);
	if (!cairn_dialog_use(d, &pilot, err))
		cairn_dialog_destroy(&d);
	return d;
}

void cairn_dialog_destroy(struct cairn_dialog **dialog_p)
{
	struct cairn_dialog *d = *dialog_p;
	*dialog_p = NULL;
	if (d == NULL)
		return;
	dialog_free_peers(d);
	cairn_text_free(&d->request.context);
	cairn_text_free(&d->request.observe_context);
	cairn_text_free(&d->request.body);
	cairn_text_free(&d->request.previous);
	cairn_text_free(&d->in.snap.bytes);
	free(d->system);
	free(d);
}

/* ---- what comes in ---- */

void dialog_later(int64_t *t_ns, int64_t other_ns)
{
	if (other_ns > *t_ns)
		*t_ns = other_ns;
}

void dialog_fail(struct cairn_dialog *d, const char *why)
{
	cairn_text_clean(d->tally.last_error, sizeof(d->tally.last_error), why, strlen(why));
}

const char *cairn_dialog_goal(const struct cairn_dialog *d)
{
	return d->in.mission.goal;
}

void cairn_dialog_mission(
    struct cairn_dialog *d, const struct cairn_msg_mission *mission, const struct cairn_header *hdr)
{
	bool reborn = d->in.mission_hdr.epoch != 0 && d->in.mission_hdr.epoch != hdr->epoch;
	if (!reborn && hdr->t_ns < d->in.mission_hdr.t_ns)
		return;
	if (reborn) {
		d->decided.await_id = d->decided.open_id = 0;
		dialog_later(&d->wish.not_before_ns, hdr->t_ns - DIALOG_RESULT_SLACK_NS);
	}
	d->in.mission = *mission;
	d->in.mission_hdr = *hdr;
	bool wants = mission->wants_decision && hdr->valid;
	bool takes = wants || (mission->takes_events && hdr->valid);
	d->wish.wanted_since_ns = !wants                         ? 0
				  : d->wish.wanted_since_ns != 0 ? d->wish.wanted_since_ns
								 : hdr->t_ns;
	d->wish.unwanted_since_ns = takes                            ? 0
				    : d->wish.unwanted_since_ns != 0 ? d->wish.unwanted_since_ns
								     : hdr->t_ns;
	d->wish.skipping = d->wish.skipping && wants;
	if (d->decided.await_id != 0 && mission->decision_id >= d->decided.await_id)
		d->decided.await_id = 0;
}

void cairn_dialog_result(struct cairn_dialog *d, const struct cairn_msg_result *result, int64_t t_ns)
{
	cairn_memory_add_result(&d->memory, result);
	d->changed = true;
	dialog_later(&d->wish.not_before_ns, t_ns - DIALOG_RESULT_SLACK_NS);
	dialog_later(&d->in.result_ns, t_ns);
	enum cairn_trigger ended = cairn_trigger_of_result(result);
	/* What was replaced while it was driven is no reason to ask: what replaced it was asked for knowing of it. */
	if (result->decision_id == 0 || result->decision_id >= d->decided.open_id)
		d->in.ended = ended;
	if (ended == CAIRN_TRIGGER_BLOCKED)
		dialog_later(&d->in.trouble_ns, t_ns);
	dialog_loop_result(d, result);
	if (d->decided.await_id != 0 && (result->decision_id >= d->decided.await_id || d->cfg.shadow))
		d->decided.await_id = 0;
	if (result->decision_id >= d->decided.open_id)
		d->decided.open_id = 0;
}

void cairn_dialog_frontiers(struct cairn_dialog *d, const struct cairn_msg_frontiers *frontiers, int64_t t_ns)
{
	d->in.frontiers = *frontiers;
	d->in.frontiers_ns = t_ns;
	cairn_memory_frontiers(&d->memory, frontiers);
}

void cairn_dialog_nav_goal(struct cairn_dialog *d, const struct cairn_msg_nav_goal *goal, int64_t t_ns)
{
	d->in.local = *goal;
	d->in.local_ns = t_ns;
}

void cairn_dialog_tick(struct cairn_dialog *d, double elapsed_s)
{
	if (d->in.mission_hdr.epoch != 0 && d->in.mission.state != CAIRN_MISSION_STATE_IDLE &&
	    elapsed_s > 0.0)
		d->memory.duration_s += elapsed_s;
}

void cairn_dialog_snapshot_epoch(struct cairn_dialog *d, uint64_t epoch)
{
	d->in.snap.epoch = epoch;
}

void cairn_dialog_candidates(
    struct cairn_dialog *d, const struct cairn_msg_candidates *candidates, int64_t t_ns)
{
	d->in.candidates = *candidates;
	d->in.candidates_ns = t_ns;
}

void cairn_dialog_paths_clear(struct cairn_dialog *d, const struct cairn_msg_paths_clear *paths, int64_t t_ns)
{
	d->in.paths = *paths;
	d->in.paths_ns = t_ns;
}

bool cairn_dialog_snapshot(
    struct cairn_dialog *d, const void *payload, size_t bytes, int64_t t_ns, struct cairn_error *err)
{
	struct cairn_snapshot parts;
	if (!cairn_snapshot_read(payload, bytes, &parts, err))
		return false;
	if (d->call.in_flight || d->call.followup)
		return true; /* the one under discussion stays until the decision is made */
	cairn_text_clear(&d->in.snap.bytes);
	cairn_text_bytes(&d->in.snap.bytes, parts.text, bytes - sizeof(parts.head));
	d->in.snap.head = parts.head;
	d->in.snap.t_ns = t_ns;
	d->in.snap.there = !d->in.snap.bytes.failed;
	return true;
}

/* ---- what the owner may look at ---- */

bool cairn_dialog_take_update(struct cairn_dialog *d, struct cairn_msg_world_update *ret)
{
	if (!d->decided.has_update)
		return false;
	*ret = d->decided.update;
	d->decided.has_update = false;
	return true;
}

bool cairn_dialog_take_decision(struct cairn_dialog *d, struct cairn_msg_decision *ret)
{
	if (!d->decided.fresh)
		return false;
	*ret = d->decided.message;
	d->decided.fresh = false;
	return true;
}

struct cairn_memory *cairn_dialog_memory(struct cairn_dialog *d)
{
	return &d->memory;
}

struct cairn_budget *cairn_dialog_budget(struct cairn_dialog *d)
{
	return &d->budget;
}

void cairn_dialog_on_report(struct cairn_dialog *d, cairn_dialog_report_fn *on_report, void *ctx)
{
	d->hooks.on_report = on_report;
	d->hooks.report_ctx = ctx;
}

void cairn_dialog_on_locate(struct cairn_dialog *d, cairn_dialog_locate_fn *locate, void *ctx)
{
	d->hooks.locate = locate;
	d->hooks.locate_ctx = ctx;
}

bool *cairn_dialog_changed(struct cairn_dialog *d)
{
	return &d->changed;
}
