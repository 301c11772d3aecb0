#include "common/eval/model_client.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_MIN_S 0.05

struct cairn_model_client {
	const struct cairn_model_client_model *model;
	struct cairn_config_vlm vlm;
	struct cairn_dialog *dialog;
	struct cairn_snapshot_view *eye;
	bool candidates;
	double answer_s;
	uint64_t seq;
	char stopped[200];
	struct cairn_msg_mission mission;
};

struct cairn_model_client *cairn_model_client_new(const struct cairn_config *cfg,
    const struct cairn_world *world, const struct cairn_model_client_model *model, bool candidates,
    struct cairn_error *err)
{
	struct cairn_model_client *a = calloc(1, sizeof(*a));
	if (a == NULL) {
		cairn_error_set(err, "out of memory");
		return NULL;
	}
	a->model = model;
	a->candidates = candidates;
	a->vlm = cfg->vlm;
	a->vlm.shadow = false;        /* what it says is looked at here */
	if (model->reserve != NULL) { /* which is asked before each question */
		a->vlm.limit_usd_per_hour = a->vlm.limit_usd_per_day = a->vlm.limit_usd_per_session = 1000.0;
	}
	a->eye = cairn_snapshot_view_new(cfg, world, err);
	if (a->eye != NULL)
		a->dialog = cairn_dialog_new(&a->vlm, cfg->safety.decision_max_age_s, model->system, err);
	if (a->dialog == NULL || !cairn_dialog_use(a->dialog, model->lineup, err))
		cairn_model_client_destroy(&a);
	return a;
}

void cairn_model_client_destroy(struct cairn_model_client **asker_p)
{
	struct cairn_model_client *a = *asker_p;
	*asker_p = NULL;
	if (a == NULL)
		return;
	cairn_dialog_destroy(&a->dialog);
	cairn_snapshot_view_destroy(&a->eye);
	free(a);
}

/* ---- asking ---- */

static bool tell(struct cairn_model_client *a, const struct cairn_run *run)
{
	int64_t now_ns = cairn_run_now_ns(run);
	const uint8_t *bytes;
	struct cairn_header hdr = {.version = 1, .seq = ++a->seq, .epoch = 1, .t_ns = now_ns, .valid = true};
	a->mission = cairn_run_output(run)->mission;
	a->mission.wants_decision = true; /* it is being asked */
	cairn_dialog_mission(a->dialog, &a->mission, &hdr);
	cairn_dialog_frontiers(a->dialog, cairn_run_frontiers(run), now_ns);
	if (a->candidates)
		cairn_dialog_candidates(a->dialog, cairn_run_candidates(run), now_ns);
	size_t n = cairn_snapshot_view_look(a->eye, run, cairn_run_asked_why(run), &bytes);
	return n > 0 && cairn_dialog_snapshot(a->dialog, bytes, n, now_ns, NULL);
}

static double ledger_usd(struct cairn_model_client *a)
{
	return cairn_dialog_budget(a->dialog)->ledger.cost_usd;
}

static void stop(struct cairn_model_client *a, const struct cairn_error *why)
{
	snprintf(a->stopped, sizeof(a->stopped), "%.190s", why->text);
}

static bool affordable(struct cairn_model_client *a)
{
	struct cairn_error why = {""};
	bool ok = a->model->reserve == NULL || a->model->reserve(a->model->ctx, &why);
	if (!ok)
		stop(a, &why);
	return ok;
}

bool cairn_model_client_decide(void *ctx, const struct cairn_run *run, const struct cairn_pilot_view *view,
    struct cairn_msg_decision *ret)
{
	(void)view;
	struct cairn_model_client *a = ctx;
	struct cairn_msg_decision made;
	struct cairn_error err = {""};
	if (a->stopped[0] != '\0' || !tell(a, run) || !affordable(a))
		return false;
	double before_usd = ledger_usd(a);
	uint64_t calls = cairn_dialog_budget(a->dialog)->ledger.calls;
	bool some =
	    cairn_dialog_sync(a->dialog, cairn_run_now_ns(run), a->model->send, a->model->ctx, &made, &err);
	if (a->model->reserve != NULL)
		a->model->spent(a->model->ctx, ledger_usd(a) - before_usd);
	bool asked = cairn_dialog_budget(a->dialog)->ledger.calls > calls;
	a->answer_s =
	    asked && a->model->took_s != NULL ? fmax(a->model->took_s(a->model->ctx), ANSWER_MIN_S) : 0.0;
	if (!some) {
		if (cairn_failover_is_final(cairn_dialog_route(a->dialog)))
			stop(a, &err);
		return false;
	}
	made.latency_s = a->answer_s;
	*ret = made;
	cairn_snapshot_view_decision(a->eye, &made);
	return true;
}

void cairn_model_client_watch(struct cairn_model_client *a, const struct cairn_run *run)
{
	cairn_snapshot_view_watch(a->eye, run);
}

void cairn_model_client_result(
    struct cairn_model_client *a, const struct cairn_run *run, const struct cairn_msg_result *result)
{
	if (result->decision_id == 0)
		return;
	cairn_dialog_result(a->dialog, result, cairn_run_now_ns(run));
	cairn_snapshot_view_result(a->eye, run, result);
}

const double *cairn_model_client_answer_s(const struct cairn_model_client *a)
{
	return &a->answer_s;
}

void cairn_model_client_stats(const struct cairn_model_client *a, struct cairn_msg_vlm_stats *ret)
{
	cairn_dialog_stats(a->dialog, 0, ret);
}

const struct cairn_ledger *cairn_model_client_ledger(struct cairn_model_client *a)
{
	return &cairn_dialog_budget(a->dialog)->ledger;
}

void cairn_model_client_on_report(struct cairn_model_client *a, cairn_dialog_report_fn *on_report, void *ctx)
{
	cairn_dialog_on_report(a->dialog, on_report, ctx);
}

const char *cairn_model_client_stopped(const struct cairn_model_client *a)
{
	return a->stopped[0] != '\0' ? a->stopped : NULL;
}
