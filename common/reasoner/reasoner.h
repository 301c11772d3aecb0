/* reasoner.h - from one call of the model (fetch this, open that) to what the robot does next, by the scene graph.
 *
 * The model names what is to be done to which thing; the reasoner knows how: it looks the thing up in the scene graph, opens what
 * it is in, goes to where it is in reach, looks, and asks for the skill. What is not in the graph it searches, at a bounded number of
 * places, the likeliest first (search.c). What fails is tried once more, then from elsewhere, then with another thing of the
 * name, then searched anew; then the model is told, and after reasoner.replans_max such failures a person is asked. Each rung is
 * bounded by the section `reasoner`; every step and its outcome is in the trace.
 *
 * Pure: graph, pose and time in, one action out; its outcome in, the next action out. It proposes: the sequencer and the gate of
 * skills judge each action. How the model is asked is not its business. Time: seconds of a clock that does not jump. */
#ifndef CAIRN_COMMON_REASONER_REASONER_H
#define CAIRN_COMMON_REASONER_REASONER_H

#include "common/scene/scene.h"

#define CAIRN_REASONER_TEXT 640
#define CAIRN_REASONER_TRACE 96
#define CAIRN_REASONER_TRIED 12
#define CAIRN_REASONER_DEPTH 4
#define CAIRN_REASONER_CANDIDATES 20

/* What the model asks for. */
enum cairn_reasoner_tool {
	CAIRN_REASONER_RECALL,  /* where is it? No motion */
	CAIRN_REASONER_DO,      /* a skill to a thing; navigate: go to where it is seen */
	CAIRN_REASONER_SEARCH,  /* find it, whether the graph knows it or not */
	CAIRN_REASONER_DONE,    /* the model says that the task is done */
	CAIRN_REASONER_HAND_OFF /* the model asks for a person */
};

struct cairn_reasoner_call {
	enum cairn_reasoner_tool tool;
	enum cairn_skill_verb verb;         /* DO */
	char target[CAIRN_SCENE_LABEL_CAP]; /* label, colour and label, or id; HAND_OFF: why */
	char likely[4]
		   [CAIRN_SCENE_LABEL_CAP]; /* SEARCH, DO: where the model would look first; may be empty */
};

enum cairn_reasoner_act {
	CAIRN_REASONER_IDLE, /* waits for a call */
	CAIRN_REASONER_GO,   /* drive to pose; its yaw is turned to by TURN */
	CAIRN_REASONER_TURN, /* to pose.yaw_rad */
	CAIRN_REASONER_LOOK, /* stand until a picture was searched for things */
	CAIRN_REASONER_SKILL,
	CAIRN_REASONER_TELL,      /* text is the answer to the model's call */
	CAIRN_REASONER_ASK_PERSON /* the last rung: text says what was tried. The task ends */
};

struct cairn_reasoner_action {
	enum cairn_reasoner_act act;
	struct cairn_pose2 pose;
	enum cairn_skill_verb verb;
	char target[48];
	double x_m, y_m, z_m; /* of the target, map frame */
	bool ok;              /* TELL: the call has been carried out */
	char text[CAIRN_REASONER_TEXT];
};

struct cairn_reasoner_event {
	double t_s;
	char what[16]; /* call, candidate, go, look, open, ..., rung, ask */
	char target[48];
	char outcome[112];
};

/* One thing to do on the way to the call's end. */
struct cairn_reasoner_step {
	enum cairn_skill_verb verb; /* NAVIGATE: only to see it */
	uint32_t object;            /* number in the graph */
	int phase;
	int retries, tweaks;
	struct cairn_pose2 at;
	double t_arrived_s;
	double t_waits_s; /* since then for what passes by itself; 0 = it does not */
};

struct cairn_reasoner_search {
	bool on;
	uint32_t count, next, attempts;
	double t_begin_s;
	struct {
		uint32_t object;
		double rank;
		bool opens, told;
		int looks; /* into it, with its door open */
	} items[CAIRN_REASONER_CANDIDATES];
};

struct cairn_reasoner {
	const struct cairn_config *cfg; /* borrowed */
	struct cairn_reasoner_call call, last_call;
	bool busy;
	struct cairn_reasoner_step steps[CAIRN_REASONER_DEPTH]; /* the last one is done first */
	uint32_t depth;
	struct cairn_reasoner_search search;
	uint32_t tried[CAIRN_REASONER_TRIED], tried_count; /* things that the call has failed with */
	struct cairn_vec2 stood[CAIRN_REASONER_TRIED];     /* where the step has been tried from */
	uint32_t stood_count;
	uint32_t opened[CAIRN_REASONER_TRIED],
	    opened_count;  /* containers that stand open by the arm's word */
	uint32_t to_close; /* container to be closed behind a thing that was taken; 0 = none */
	struct cairn_scene_object requester; /* where the one who has asked was then; number 0: not known */
	int replans, equal_calls;
	bool fresh; /* the call has not been begun */
	bool over;  /* a person was asked */
	char held[48];
	char failure[160];
	struct cairn_reasoner_action action; /* the one that is under way */
	struct cairn_reasoner_event trace[CAIRN_REASONER_TRACE];
	uint32_t trace_count; /* of all; the oldest are overwritten */
};

void cairn_reasoner_init(struct cairn_reasoner *reasoner, const struct cairn_config *cfg);

/* Where the one who asks stands as he asks, map frame: what is brought is brought there ("requester" as a target). */
void cairn_reasoner_requester(struct cairn_reasoner *reasoner, struct cairn_vec2 at);

/* A call of the model. The answer comes by cairn_reasoner_next, as TELL; at once where it needs no motion. False: one is under
 * way, or the task is over. */
bool cairn_reasoner_call(
    struct cairn_reasoner *reasoner, const struct cairn_reasoner_call *call, double now_s);

/* What to do now. Call again after its outcome was told; unix_s is the time of the scene's pictures. */
const struct cairn_reasoner_action *cairn_reasoner_next(
    struct cairn_reasoner *reasoner, const struct cairn_scene *scene, struct cairn_pose2 robot, double now_s);

enum cairn_reasoner_end {
	CAIRN_REASONER_DID,
	CAIRN_REASONER_FAILED,
	CAIRN_REASONER_WAITS /* refused for what passes by itself: it is asked again, for reasoner.wait_s at most */
};

/* How the action under way has ended. reason: of the sequencer or the arm. */
void cairn_reasoner_ended(struct cairn_reasoner *reasoner, const struct cairn_scene *scene,
    enum cairn_reasoner_end end, const char *reason, double now_s);

/* search.c: the places at which a thing may be, likeliest first: occluding containers 0.9, other containers and surfaces 0.6, a
 * third of the prior of placements.def and a third of the model's rank on top; ties by distance, then by id. */
void cairn_reasoner_candidates(struct cairn_reasoner *reasoner, const struct cairn_scene *scene,
    const char *what, struct cairn_vec2 from);
/* placements.c: 0..1, how usual it is that a thing of this label is kept at a thing of that label; 0 where nobody was asked. */
double cairn_placement_prior(const char *thing, const char *receptacle);
/* approach.c: a place to stand from which a box is in the arm's reach (or in view, for NAVIGATE), not nearer than 0.25 m to one
 * of `stood`. Into what has doors NAVIGATE looks from in front. The robot does not stand under or in any known thing that begins
 * lower than it is tall. False: none. */
bool cairn_reasoner_approach(const struct cairn_reasoner *reasoner, const struct cairn_scene *scene,
    const struct cairn_scene_object *object, enum cairn_skill_verb verb, struct cairn_pose2 from,
    struct cairn_pose2 *ret);

#endif
