/* replay.h - recorded questions and answers (common/vlm/recording.h) put to the present code: what would be made of the
 * answer now, what the sequencer would say to it, and how the planner would get there.
 *
 * Each decision is judged for itself, from what the robot saw when it came: what the present code does differently does
 * not change what it is shown next. The sequencer is put to where it was by what it published: state of the mission,
 * frontiers given up, zones, actions that were blocked lately, and the floor the camera showed in the last seconds. Not
 * known are the other things it keeps for itself; and while another decision was being driven nothing is judged. The
 * world stands still while the first velocity is waited for.
 *
 * Pure, and the same recording gives the same answers. */
#ifndef CAIRN_COMMON_EVAL_REPLAY_H
#define CAIRN_COMMON_EVAL_REPLAY_H

#include "common/base/geom.h"
#include "common/vlm/sync_client.h"
#include "common/vlm/recording.h"

/* Tolerances within which two ways of doing something are the same. */
#define CAIRN_RERUN_TARGET_M 0.30
#define CAIRN_RERUN_WAY_SHARE 0.15 /* of the length of the way, and */
#define CAIRN_RERUN_WAY_M 0.50
#define CAIRN_RERUN_V_MPS 0.06
#define CAIRN_RERUN_W_RADPS 0.30

/* What became of an answer, then or now. */
struct cairn_eval_replay_side {
	bool decided; /* a decision was made of the answer; else reason says why not */
	struct cairn_msg_decision decision;
	char asked[160];
	bool judged; /* the sequencer has said something */
	bool accepted;
	char reason[192];
	enum cairn_outcome outcome; /* then */
	bool has_target;
	double target_x_m, target_y_m;
	bool has_nav;
	enum cairn_nav_state nav;
	double way_m; /* negative: no way */
	bool has_command;
	double v_mps, w_radps; /* the first one that moves */
};

/* The first that holds, in this order. */
enum cairn_eval_replay_change {
	CAIRN_RERUN_SAME,
	CAIRN_RERUN_ANSWER,     /* the answer is read as something else */
	CAIRN_RERUN_ACCEPTED,   /* refused then, accepted now */
	CAIRN_RERUN_REFUSED,    /* accepted then, refused now */
	CAIRN_RERUN_REASON,     /* refused for another reason */
	CAIRN_RERUN_TARGET,     /* another place to drive to */
	CAIRN_RERUN_WAY,        /* a way is found or not, or is longer or shorter */
	CAIRN_RERUN_COMMAND,    /* another first velocity */
	CAIRN_RERUN_NOT_JUDGED, /* what the sequencer said cannot be compared; detail says why */
	CAIRN_RERUN_CHANGE_COUNT
};
const char *cairn_eval_replay_change_name(enum cairn_eval_replay_change change);

struct cairn_eval_replay_step {
	uint64_t id;
	double t_s;               /* since the first question */
	double x_m, y_m, yaw_rad; /* of the robot when the decision came */
	bool same_prompt;         /* the context would be the same, byte for byte */
	struct cairn_eval_replay_side then, now;
	enum cairn_eval_replay_change change;
	char detail[256];
};

/* What the present code is made of. */
struct cairn_eval_replay_setup {
	const struct cairn_config *cfg;
	const char *system;                /* the present static prompt (cairn_prompt_load) */
	const struct cairn_lineup *lineup; /* who is asked */
	cairn_sync_client_fn *send;        /* NULL: the recorded answers */
	void *ctx;
	struct cairn_ledger *ledger; /* of what was sent, added to; may be NULL */
	double usd_max;              /* send: nothing is asked beyond this */
};

/* The line-up that reads the answers of a recording. */
void cairn_eval_replay_lineup(const struct cairn_recording *recording, struct cairn_lineup *ret);
/* The question put to who setup says, once more: the decision that comes of it. ret_same_prompt may be NULL. False with
 * the reason: there is none. */
bool cairn_eval_replay_ask(const struct cairn_recorded_question *question,
    const struct cairn_eval_replay_setup *setup, struct cairn_msg_decision *ret, bool *ret_same_prompt,
    struct cairn_error *err);
/* The i-th question of the recording. False with the reason: what is recorded of it cannot be read. */
bool cairn_eval_replay_step(const struct cairn_recording *recording, uint32_t i,
    const struct cairn_eval_replay_setup *setup, struct cairn_eval_replay_step *ret, struct cairn_error *err);

/* ---- parts of it, for tests ---- */

/* Hands decision to a sequencer and planner of their own that see what was seen then; fills what they say. */
bool cairn_eval_replay_drive(const struct cairn_recording *recording, uint32_t i,
    const struct cairn_config *cfg, const struct cairn_msg_decision *decision,
    struct cairn_eval_replay_side *ret, struct cairn_error *err);
/* Fills change and detail. unjudged: why what the sequencer said then says nothing, or NULL. */
void cairn_eval_replay_judge(struct cairn_eval_replay_step *step, const char *unjudged);

/* Where a decision wants the robot to go, in the map frame; false: nowhere in particular. */
bool cairn_eval_replay_place(const struct cairn_recorded_question *question,
    const struct cairn_msg_decision *decision, struct cairn_vec2 *ret);

enum cairn_eval_replay_agreement {
	CAIRN_RERUN_AGREE,
	CAIRN_RERUN_OTHER_ARGUMENTS,
	CAIRN_RERUN_OTHER_TOOL,
	CAIRN_RERUN_NO_ANSWER
};
/* Tolerances: 0.5 m for a place, 20 degrees for a turn, the same direction of a move and 1 s of it, kind of a zone. A way
 * to a place is a way to a place, however it is named. */
enum cairn_eval_replay_agreement cairn_eval_replay_agree(const struct cairn_recorded_question *question,
    const struct cairn_msg_decision *a, const struct cairn_msg_decision *b);

#endif
