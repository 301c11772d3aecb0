#include "common/eval/asker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_MIN_S 0.05

struct cairn_asker {
	const struct cairn_asker_model *model;
	struct cairn_config_vlm vlm;
	struct cairn_dialog *dialog;
	struct cairn_eye *eye;
	bool candidates;
	double answer_s;
	uint64_t seq;
	char stopped[200];
	struct cairn_msg_mission mission;
};

struct cairn_asker *cairn_asker_new(const struct cairn_config *cfg, const struct cairn_world *world,
    const struct cairn_asker_model *model, bool candidates, struct cairn_error *err)
{
	struct cairn_asker *a = calloc(1, sizeof(*a));
	if (a == NULL) {
		cairn_error_set(err, "out of memory");
		return NULL;
	}
	a->model = model;
	a->candidates = candidates;
	a->vlm = cfg->vlm;
	a->vlm.shadow = false;        /* what it says is looked at here */
	if (model->reserve != NULL) { /* which is asked before each question */
		a->vlm.limit_usd_per_hour = a->vlm.limit_usd_per_session = 1000.0;
	}
	a->eye = cairn_eye_new(cfg, world, err);
	if (a->eye != NULL)
		a->dialog = cairn_dialog_new(&a->vlm, cfg->safety.decision_max_age_s, model->system, err);
	if (a->dialog == NULL || !cairn_dialog_use(a->dialog, model->lineup, err))
		cairn_asker_destroy(&a);
	return a;
}

void cairn_asker_destroy(struct cairn_asker **asker_p)
{
	struct cairn_asker *a = *asker_p;
	*asker_p = NULL;
	if (a == NULL)
		return;
	cairn_dialog_destroy(&a->dialog);
	cairn_eye_destroy(&a->eye);
	free(a);
}

/* ---- asking ---- */

static bool tell(struct cairn_asker *a, const struct cairn_run *run)
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
	size_t n = cairn_eye_look(a->eye, run, CAIRN_TRIGGER_RESULT, &bytes);
	return n > 0 && cairn_dialog_snapshot(a->dialog, bytes, n, now_ns, NULL);
}

static double ledger_usd(struct cairn_asker *a)
{
	return cairn_dialog_budget(a->dialog)->ledger.cost_usd;
}

static void stop(struct cairn_asker *a, const struct cairn_error *why)
{
	snprintf(a->stopped, sizeof(a->stopped), "%.190s", why->text);
}

static bool affordable(struct cairn_asker *a)
{
	struct cairn_error why = {""};
	bool ok = a->model->reserve == NULL || a->model->reserve(a->model->ctx, &why);
	if (!ok)
		stop(a, &why);
	return ok;
}

bool cairn_asker_decide(void *ctx, const struct cairn_run *run, const struct cairn_pilot_view *view,
    struct cairn_msg_decision *ret)
{
	(void)view;
	struct cairn_asker *a = ctx;
	struct cairn_msg_decision made;
	struct cairn_error err = {""};
	if (a->stopped[0] != '\0' || !tell(a, run) || !affordable(a))
		return false;
	double before_usd = ledger_usd(a);
	uint64_t calls = cairn_dialog_budget(a->dialog)->ledger.calls;
	bool some =
	    cairn_dialog_once(a->dialog, cairn_run_now_ns(run), a->model->send, a->model->ctx, &made, &err);
	if (a->model->reserve != NULL)
		a->model->spent(a->model->ctx, ledger_usd(a) - before_usd);
	bool asked = cairn_dialog_budget(a->dialog)->ledger.calls > calls;
	a->answer_s =
	    asked && a->model->took_s != NULL ? fmax(a->model->took_s(a->model->ctx), ANSWER_MIN_S) : 0.0;
	if (!some) {
		if (cairn_route_is_final(cairn_dialog_route(a->dialog)))
			stop(a, &err);
		return false;
	}
	made.latency_s = a->answer_s;
	*ret = made;
	cairn_eye_decision(a->eye, &made);
	return true;
}

void cairn_asker_watch(struct cairn_asker *a, const struct cairn_run *run)
{
	cairn_eye_watch(a->eye, run);
}

void cairn_asker_result(
    struct cairn_asker *a, const struct cairn_run *run, const struct cairn_msg_result *result)
{
	if (result->decision_id == 0)
		return;
	cairn_dialog_result(a->dialog, result, cairn_run_now_ns(run));
	cairn_eye_result(a->eye, run, result);
}

const double *cairn_asker_answer_s(const struct cairn_asker *a)
{
	return &a->answer_s;
}

const struct cairn_ledger *cairn_asker_ledger(struct cairn_asker *a)
{
	return &cairn_dialog_budget(a->dialog)->ledger;
}

void cairn_asker_on_report(struct cairn_asker *a, cairn_dialog_report_fn *on_report, void *ctx)
{
	cairn_dialog_on_report(a->dialog, on_report, ctx);
}

const char *cairn_asker_stopped(const struct cairn_asker *a)
{
	return a->stopped[0] != '\0' ? a->stopped : NULL;
}
