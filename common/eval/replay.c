/* replay.c - the dialog of a recorded question, once more. */
#include "common/eval/replay.h"

#include <math.h>

#include <stdlib.h>
#include <string.h>

/* The room it takes; too large for a stack. */
struct put {
	struct cairn_msg_mission mission;
	struct cairn_header mission_hdr, hdr;
	struct cairn_msg_frontiers frontiers;
	struct cairn_msg_candidates candidates;
	struct cairn_memory memory;
	struct cairn_ledger none;
	struct cairn_snapshot_head head;
	struct cairn_text snapshot;
};

static const char *word(const struct cairn_recorded_line *line, const char *name)
{
	const char *text = cairn_recorded_text(line, name);
	return text != NULL ? text : "";
}

static bool read_question(const struct cairn_recorded_line *asked, struct put *p,
    struct cairn_dialog_question *ret, struct cairn_error *err)
{
	struct cairn_error why = {""};
	*ret = (struct cairn_dialog_question){.mission = &p->mission,
	    .mission_hdr = &p->mission_hdr,
	    .frontiers = &p->frontiers,
	    .candidates = &p->candidates,
	    .memory = &p->memory,
	    .head = &p->head,
	    .snapshot_ns = strtoll(word(asked, "snapshot_ns"), NULL, 10),
	    .pictures = strcmp(word(asked, "pictures"), "yes") == 0,
	    .detail = strcmp(word(asked, "detail"), "yes") == 0,
	    .view = strcmp(word(asked, "view"), "yes") == 0,
	    .problem = word(asked, "problem")};
	const char *memory = word(asked, "memory");
	bool ok = cairn_recorded_newest(asked, CAIRN_TOPIC_MISSION, &p->mission_hdr, &p->mission) &&
		  cairn_recorded_blob(asked, "snapshot", &p->snapshot) && p->snapshot.len > sizeof(p->head) &&
		  cairn_memory_read(&p->memory, &p->none, memory, strlen(memory), &why);
	if (!ok) {
		cairn_error_set(err,
		    "line %d: mission, snapshot or memory of the question cannot be read%s%.200s",
		    asked->number, why.text[0] != '\0' ? ": " : "", why.text);
		return false;
	}
	if (cairn_recorded_newest(asked, CAIRN_TOPIC_FRONTIERS, &p->hdr, &p->frontiers))
		ret->frontiers_ns = p->hdr.t_ns;
	if (cairn_recorded_newest(asked, CAIRN_TOPIC_CANDIDATES, &p->hdr, &p->candidates))
		ret->candidates_ns = p->hdr.t_ns;
	memcpy(&p->head, p->snapshot.data, sizeof(p->head));
	ret->parts = p->snapshot.data + sizeof(p->head);
	ret->parts_bytes = p->snapshot.len - sizeof(p->head);
	return true;
}

/* ---- the recorded answers ---- */

struct answers {
	const struct cairn_recorded_question *question;
	uint32_t next;
};

static bool give(void *ctx, const struct cairn_profile *profile, const char *body, size_t bytes,
    struct cairn_dialog_outcome *ret, struct cairn_error *err)
{
	(void)profile, (void)body, (void)bytes;
	struct answers *a = ctx;
	if (a->next == a->question->exchange_count) {
		cairn_error_set(err, a->next == 0 ? "no answer was recorded"
						  : "the present code asks further than was recorded");
		return false;
	}
	const json_t *row = a->question->exchanges[a->next++].row,
		     *response = json_object_get(row, "response");
	*ret =
	    (struct cairn_dialog_outcome){.status = (int)json_integer_value(json_object_get(row, "status")),
		.body = json_string_value(response),
		.body_bytes = json_string_length(response),
		.retry_after_s = json_number_value(json_object_get(row, "retry_after_s")),
		.error = json_string_value(json_object_get(row, "error"))};
	return true;
}

void cairn_eval_replay_lineup(const struct cairn_recording *recording, struct cairn_lineup *ret)
{
	struct cairn_profile *p = &ret->rows[0];
	cairn_lineup_alone(ret);
	cairn_profile_defaults(p);
	snprintf(p->name, sizeof(p->name), "recording");
	/* What is not known is what the defaults say. */
	int format = cairn_choice_find(cairn_choice_format_words, word(&recording->begun, "format"));
	int dialect = cairn_choice_find(cairn_choice_dialect_words, word(&recording->begun, "dialect"));
	if (format >= 0)
		p->format = (enum cairn_choice_format)format;
	if (dialect >= 0)
		p->dialect = (enum cairn_choice_dialect)dialect;
}

/* A fallback may speak another format than who was asked first. */
static struct cairn_lineup who_answered(
    const struct cairn_recorded_question *question, const struct cairn_lineup *lineup)
{
	struct cairn_lineup who = *lineup;
	const char *word = question->exchange_count > 0
			       ? json_string_value(json_object_get(question->exchanges[0].row, "format"))
			       : NULL;
	int format = word != NULL ? cairn_choice_find(cairn_choice_format_words, word) : -1;
	if (format >= 0)
		who.rows[0].format = (enum cairn_choice_format)format;
	return who;
}

bool cairn_eval_replay_ask(const struct cairn_recorded_question *question,
    const struct cairn_eval_replay_setup *setup, struct cairn_msg_decision *ret, bool *ret_same_prompt,
    struct cairn_error *err)
{
	struct cairn_config_vlm vlm = setup->cfg->vlm;
	struct put *p = calloc(1, sizeof(*p));
	struct cairn_dialog_question q;
	struct cairn_dialog *dialog = NULL;
	struct answers answers = {.question = question};
	int64_t t_ns = cairn_recorded_t_ns(&question->asked);
	struct cairn_lineup who =
	    setup->send == NULL ? who_answered(question, setup->lineup) : *setup->lineup;
	vlm.shadow = false; /* the decision is what is wanted */
	if (setup->send != NULL) {
		vlm.limit_usd_per_hour = vlm.limit_usd_per_day = vlm.limit_usd_per_session = setup->usd_max;
	} else { /* free of cost */
		vlm.limit_usd_per_hour = vlm.limit_usd_per_day = vlm.limit_usd_per_session = 1000.0;
	}
	bool ok = p != NULL && read_question(&question->asked, p, &q, err);
	if (ok)
		dialog = cairn_dialog_new(&vlm, setup->cfg->safety.decision_max_age_s, setup->system, err);
	ok = ok && dialog != NULL && cairn_dialog_use(dialog, &who, err);
	if (ok && setup->send != NULL && setup->ledger != NULL)
		cairn_budget_carry_on(cairn_dialog_budget(dialog), setup->ledger, t_ns);
	ok = ok && cairn_dialog_restore(dialog, &q, t_ns, err) &&
	     cairn_dialog_sync(dialog, t_ns, setup->send != NULL ? setup->send : give,
		 setup->send != NULL ? setup->ctx : &answers, ret, err);
	if (dialog != NULL && setup->ledger != NULL)
		*setup->ledger = cairn_dialog_budget(dialog)->ledger;
	if (dialog != NULL && ret_same_prompt != NULL) {
		struct cairn_dialog_question made;
		cairn_dialog_question(dialog, &made);
		*ret_same_prompt =
		    made.context != NULL && strcmp(made.context, word(&question->asked, "context")) == 0;
	}
	cairn_dialog_destroy(&dialog);
	if (p != NULL)
		cairn_text_free(&p->snapshot);
	free(p);
	return ok;
}

/* ---- a step ---- */

static double length_of(const struct cairn_msg_nav_path *path)
{
	double sum = 0.0;
	for (uint32_t i = 1; i < path->points_count; i++)
		sum += hypot((double)(path->points[i].x_m - path->points[i - 1].x_m),
		    (double)(path->points[i].y_m - path->points[i - 1].y_m));
	return sum;
}

static void read_then(const struct cairn_recorded_question *q, struct cairn_eval_replay_side *then)
{
	union {
		struct cairn_msg_result result;
		struct cairn_msg_nav_goal goal;
		struct cairn_msg_nav_status status;
		struct cairn_msg_nav_path path;
		struct cairn_msg_cmd_vel cmd;
	} *in = calloc(1, sizeof(*in));
	struct cairn_header hdr;
	then->way_m = -1.0;
	then->decided = cairn_recorded_newest(&q->decided, CAIRN_TOPIC_DECISION, &hdr, &then->decision);
	if (then->decided)
		cairn_decision_words(&then->decision, then->asked, sizeof(then->asked));
	else
		snprintf(then->reason, sizeof(then->reason), "no decision came of it");
	if (in != NULL && cairn_recorded_newest(&q->ended, CAIRN_TOPIC_RESULT, &hdr, &in->result)) {
		then->judged = true;
		then->outcome = in->result.outcome;
		then->accepted = in->result.outcome != CAIRN_OUTCOME_REFUSED;
		snprintf(then->reason, sizeof(then->reason), "%s", in->result.reason);
	}
	if (in != NULL && cairn_recorded_newest(&q->ended, CAIRN_TOPIC_NAV_GOAL, &hdr, &in->goal)) {
		then->has_target = true;
		then->target_x_m = in->goal.x_m;
		then->target_y_m = in->goal.y_m;
	}
	if (in != NULL && cairn_recorded_newest(&q->ended, CAIRN_TOPIC_NAV_STATUS, &hdr, &in->status)) {
		then->has_nav = true;
		then->nav = in->status.state;
	}
	if (in != NULL && cairn_recorded_newest(&q->ended, CAIRN_TOPIC_NAV_PATH, &hdr, &in->path))
		then->way_m = length_of(&in->path);
	if (in != NULL && cairn_recorded_newest(&q->ended, CAIRN_TOPIC_CMD_VEL, &hdr, &in->cmd)) {
		then->has_command = true;
		then->v_mps = in->cmd.v_mps;
		then->w_radps = in->cmd.w_radps;
	}
	free(in);
}

/* Why what the sequencer said then came of something that is not recorded, or NULL. */
static const char *why_unjudged(
    const struct cairn_recorded_question *q, const struct cairn_eval_replay_side *then)
{
	struct cairn_msg_mission mission;
	struct cairn_header hdr;
	if (!then->decided)
		return NULL;
	if (!then->judged)
		return "no result was recorded: the session ended, or the model was only watched "
		       "(vlm.shadow)";
	if (!cairn_recorded_newest(&q->decided, CAIRN_TOPIC_MISSION, &hdr, &mission))
		return "the state of the mission is missing";
	/* The next one may take over from it when it was asked for ahead (prefetch.c). */
	if (mission.decision_id != 0 && mission.decision_source != CAIRN_SOURCE_LOCAL &&
	    mission.decision_id != then->decision.id && !mission.wants_decision)
		return "another decision was being driven";
	return strstr(mission.activity, "leaving a tight place") != NULL
		   ? "the robot was leaving a tight place by itself"
		   : NULL;
}

bool cairn_eval_replay_step(const struct cairn_recording *recording, uint32_t i,
    const struct cairn_eval_replay_setup *setup, struct cairn_eval_replay_step *ret, struct cairn_error *err)
{
	const struct cairn_recorded_question *q = &recording->questions[i];
	struct cairn_msg_pose pose;
	struct cairn_header hdr;
	struct cairn_error why = {""};
	memset(ret, 0, sizeof(*ret));
	ret->t_s =
	    (double)(cairn_recorded_t_ns(&q->asked) - cairn_recorded_t_ns(&recording->questions[0].asked)) *
	    1e-9;
	read_then(q, &ret->then);
	ret->id = ret->then.decision.id;
	if (cairn_recorded_newest(&q->decided, CAIRN_TOPIC_POSE, &hdr, &pose)) {
		ret->x_m = pose.x_m;
		ret->y_m = pose.y_m;
		ret->yaw_rad = pose.yaw_rad;
	}
	ret->now.way_m = -1.0;
	ret->now.decided = cairn_eval_replay_ask(q, setup, &ret->now.decision, &ret->same_prompt, &why);
	const char *unjudged = why_unjudged(q, &ret->then);
	if (!ret->now.decided) {
		snprintf(ret->now.reason, sizeof(ret->now.reason), "%.190s", why.text);
	} else {
		cairn_decision_words(&ret->now.decision, ret->now.asked, sizeof(ret->now.asked));
		if (q->decided.row != NULL &&
		    !cairn_eval_replay_drive(recording, i, setup->cfg, &ret->now.decision, &ret->now, err))
			return false;
	}
	cairn_eval_replay_judge(ret, unjudged);
	return true;
}
