/* agent.h - works on one task in words: plans, searches, remembers, answers. After ARNA's Algorithm 1 (arXiv 2506.17462), as a
 * state machine that is polled: nothing blocks, no clock, no sockets; messages, answers and time are passed in.
 *
 * Use: hand in messages as they come (on_*, or the ports); cairn_agent_poll about ten times a second; send what it gives, hand the
 * answer to cairn_agent_answered; publish what cairn_agent_take_decision gives at once, and cairn_agent_message twice a second.
 *
 * The agent proposes: its decisions go to the sequencer, which listens to them in a mission of the kind task alone. It begins when
 * `mission` tells of a new task, waits while that is paused, and gives up when the mission has become something else.
 *
 * A task that is a survey (mission.survey) needs no model: survey.h says where to drive and where to look.
 *
 * An episode ends in one of
 *   DONE     an answer; the things, rooms or pictures that it rests on are named, and the graph has them
 *   HANDOFF  "I do not know", with what was tried
 *   FAILED   a limit (enum agent_limit), or somebody else has taken the robot
 *
 * The plan is revised when it stalls, agent.revisions_max times. A query equal to an earlier one of the episode is answered by what
 * was answered then, and not paid again. */
#ifndef CAIRN_COMMON_AGENT_AGENT_H
#define CAIRN_COMMON_AGENT_AGENT_H

#include "common/config/config.h"
#include "common/reasoner/reasoner.h"
#include "common/scene/scene.h"
#include "common/vlm/dialog.h"
#include "ipc/ports.h"

struct cairn_agent;

#define CAIRN_AGENT_FILE_NAME "agent.json" /* in RUN/state */
#define CAIRN_AGENT_MAP_NAME                                                                                 \
	"agent-map.jpg" /* the same: the picture of the map, while there is one of the task */
#define CAIRN_AGENT_FILE_BYTES_MAX (256u * 1024)

/* Who is asked for tasks: agent.provider alone. *ret_vlm: the keys of vlm as the agent has them. False with the reason. */
bool cairn_agent_lineup(const struct cairn_config *cfg, struct cairn_config_vlm *ret_vlm,
    struct cairn_lineup *ret, struct cairn_error *err);
/* cfg is borrowed; profile: who is asked, copied. NULL with err set. */
struct cairn_agent *cairn_agent_new(
    const struct cairn_config *cfg, const struct cairn_profile *profile, struct cairn_error *err);
void cairn_agent_destroy(struct cairn_agent **agent_p);

void cairn_agent_on_mission(struct cairn_agent *a, const struct cairn_msg_mission *mission, int64_t now_ns);
void cairn_agent_on_scene(struct cairn_agent *a, const struct cairn_msg_scene *scene);
void cairn_agent_on_frontiers(struct cairn_agent *a, const struct cairn_msg_frontiers *frontiers);
void cairn_agent_on_pose(struct cairn_agent *a, const struct cairn_msg_pose *pose);
/* What the detector has searched: which of the floor the camera has looked at. t_ns: when the picture was taken, monotonic. */
void cairn_agent_on_detections(struct cairn_agent *a, const struct cairn_msg_detections *seen, int64_t t_ns);
/* Doorways of the map. */
void cairn_agent_on_features(struct cairn_agent *a, const struct cairn_msg_features *features);
/* The map, as in a map.grid frame. */
void cairn_agent_on_grid(struct cairn_agent *a, const struct cairn_scene_grid *grid);
void cairn_agent_on_skills(struct cairn_agent *a, const struct cairn_msg_skills *skills);
void cairn_agent_on_skill_result(struct cairn_agent *a, const struct cairn_msg_skill_result *result);
/* A voice is there, and what it says. */
void cairn_agent_on_spoken(struct cairn_agent *a, const struct cairn_msg_spoken *spoken, int64_t now_ns);
/* Seconds since 1970 less those of now_ns: the graph tells by the first when a thing was seen. */
void cairn_agent_on_clock(struct cairn_agent *a, double unix_less_mono_s);
/* What was spent today, which bounds a task, too. */
void cairn_agent_on_vlm_stats(struct cairn_agent *agent, const struct cairn_msg_vlm_stats *stats);
void cairn_agent_on_result(struct cairn_agent *a, const struct cairn_msg_result *result, int64_t now_ns);

/* Gives the JPEG of a kept picture, valid until the next call; false: there is none of this number. Without it no picture is
 * looked at. */
typedef bool cairn_agent_picture_fn(void *ctx, uint64_t number, const uint8_t **ret_jpeg, size_t *ret_bytes);
void cairn_agent_on_picture(struct cairn_agent *a, cairn_agent_picture_fn *fn, void *ctx);

/* SEND: *body, valid until the next call of poll, is to be sent. CANCEL: what is on its way is not wanted any more. */
enum cairn_dialog_act cairn_agent_poll(
    struct cairn_agent *a, int64_t now_ns, const char **body, size_t *bytes);
/* The call has ended. */
void cairn_agent_answered(struct cairn_agent *a, int64_t now_ns, const struct cairn_dialog_outcome *outcome);
/* Nobody can be asked, for good: a task that has to ask ends. */
void cairn_agent_give_up(struct cairn_agent *a, const char *why, int64_t now_ns);
/* The decision made since the last call, once. */
bool cairn_agent_take_decision(struct cairn_agent *a, struct cairn_msg_decision *ret);

/* The wish for the arm made since the last call, once. */
bool cairn_agent_take_wish(struct cairn_agent *a, struct cairn_msg_skill_request *ret);

/* The next thing that the reasoner has tried, with what came of it, in order; once each. False: nothing new. */
bool cairn_agent_take_event(struct cairn_agent *a, struct cairn_reasoner_event *ret);

/* What is to be said aloud since the last call, once. */
bool cairn_agent_take_say(struct cairn_agent *a, struct cairn_msg_say *ret);

void cairn_agent_message(const struct cairn_agent *a, int64_t now_ns, struct cairn_msg_agent *ret);
/* The newest picture of the map (JPEG) for the model in this task, and its number; valid until the next poll. NULL: none. */
const uint8_t *cairn_agent_map(const struct cairn_agent *a, uint32_t *ret_number, size_t *ret_bytes);
/* Tokens of an episode by kind of query, in the order of queries.def: for evaluations. */
uint64_t cairn_agent_tokens_in(const struct cairn_agent *a, int query);
struct cairn_agent_cost {
	uint64_t tokens_in;
	uint32_t calls;
	double usd;
};
struct cairn_agent_cost cairn_agent_cost_of(const struct cairn_agent *a, int query);

/* True once since the last call when something is worth saving; the text is JSON with a checksum. */
bool cairn_agent_save(struct cairn_agent *a, struct cairn_text *out);
/* Takes up what an earlier process has saved, if the mission is still at that task. False with the reason: damaged. */
bool cairn_agent_load(struct cairn_agent *a, const char *text, size_t bytes, struct cairn_error *err);

extern const struct cairn_in cairn_agent_in[];
extern const struct cairn_out cairn_agent_out[];

#endif
