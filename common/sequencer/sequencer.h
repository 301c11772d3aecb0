/* sequencer.h - accepts, modifies, refuses and explains: what the robot does about decisions, operators, a
 * silent model and its mission. Pure: messages and time in, wanted velocity and words out; never opens, reads
 * or waits for anything.
 *
 * Use: hand in messages as they come (on_*), call cairn_sequencer_step every 50 ms, publish its output, and
 * take the results after each of these calls. Every decision that is handed in ends in exactly one result,
 * except duplicates (ids that do not rise within one epoch of their publisher), which are counted only. One
 * that was under way when the process died ends so in the next one (resume.c).
 *
 * Order of authority within: operator, mission (way home), agent (a task), model, local exploration. Velocities pass
 * cairn_safe_velocity (safe_velocity.h) whatever their source; the motor stage checks them once more.
 *
 * What a decision goes through (validate.c): form and ranges; age of its snapshot and travel since;
 * mission and other decisions; memory of blocked actions; free arc against the newest scan. The first that
 * fails refuses, with the reason and a suggestion for the next prompt. */
#ifndef CAIRN_COMMON_SEQUENCER_SEQUENCER_H
#define CAIRN_COMMON_SEQUENCER_SEQUENCER_H

#include "common/config/config.h"
#include "common/sequencer/mission_store.h"
#include "ipc/messages.h"

struct cairn_sequencer;

struct cairn_sequencer_output {
	struct cairn_msg_cmd_vel cmd_vel;
	struct cairn_msg_nav_goal nav_goal;
	struct cairn_msg_mission mission;
	struct cairn_msg_tier tier;
	/* true: something a reader waits for is different from the step before */
	bool nav_goal_changed, mission_changed, tier_changed;
	bool record_changed; /* cairn_sequencer_record is worth saving */
};

/* cfg is borrowed and must stay. record: what an earlier process saved, or NULL for a fresh run. NULL: out of
 * memory. */
struct cairn_sequencer *cairn_sequencer_new(
    const struct cairn_config *cfg, const struct cairn_mission_record *record, int64_t now_ns);
void cairn_sequencer_destroy(struct cairn_sequencer **seq_p);

/* t_ns: stamp of the message. Messages older than the newest of their kind and those with numbers that are
 * not finite are ignored and counted (cairn_sequencer_rejects). */
void cairn_sequencer_on_scan(struct cairn_sequencer *seq, const struct cairn_msg_scan *scan, int64_t t_ns);
void cairn_sequencer_on_depth(
    struct cairn_sequencer *seq, const struct cairn_msg_depth_scan *scan, int64_t t_ns);
void cairn_sequencer_on_pose(struct cairn_sequencer *seq, const struct cairn_msg_pose *pose, int64_t t_ns);
void cairn_sequencer_on_motion(
    struct cairn_sequencer *seq, const struct cairn_msg_motion *motion, int64_t t_ns);
/* Bumper and cliff sensor: nothing is commanded towards what they feel. The motor stage obeys them by itself. */
void cairn_sequencer_on_battery(
    struct cairn_sequencer *seq, const struct cairn_msg_battery *battery, int64_t t_ns);
void cairn_sequencer_on_guard(struct cairn_sequencer *seq, const struct cairn_msg_guard *guard, int64_t t_ns);
void cairn_sequencer_on_frontiers(
    struct cairn_sequencer *seq, const struct cairn_msg_frontiers *frontiers, int64_t t_ns);
void cairn_sequencer_on_candidates(
    struct cairn_sequencer *seq, const struct cairn_msg_candidates *candidates, int64_t t_ns);
void cairn_sequencer_on_nav_velocity(
    struct cairn_sequencer *seq, const struct cairn_msg_nav_velocity *velocity, int64_t t_ns);
void cairn_sequencer_on_nav_status(
    struct cairn_sequencer *seq, const struct cairn_msg_nav_status *status, int64_t t_ns);
/* What was found in this home: for goals in words and places by name. Not held against a stamp: it changes seldom. */
void cairn_sequencer_on_discoveries(
    struct cairn_sequencer *seq, const struct cairn_msg_discoveries *found, int64_t t_ns);
/* The path of a goal: whether it leads through a keep-out zone. */
void cairn_sequencer_on_nav_path(
    struct cairn_sequencer *seq, const struct cairn_msg_nav_path *path, int64_t t_ns);

/* The launcher's table: a stage that is held failed says what the robot does without it. */
void cairn_sequencer_on_stages(
    struct cairn_sequencer *seq, const struct cairn_msg_stages *stages, int64_t t_ns);

/* epoch: of the publisher, so that one that was reborn may count from one again. */
void cairn_sequencer_on_decision(
    struct cairn_sequencer *seq, const struct cairn_msg_decision *decision, uint64_t epoch, int64_t now_ns);
/* The same for the agent's, which come by a topic of their own and count in missions of the kind task alone. */
void cairn_sequencer_on_agent_decision(
    struct cairn_sequencer *seq, const struct cairn_msg_decision *decision, uint64_t epoch, int64_t now_ns);
/* How far the agent is with its task. */
void cairn_sequencer_on_agent(struct cairn_sequencer *seq, const struct cairn_msg_agent *agent, int64_t t_ns);
/* For a sequencer that is put to where another one was: this decision ended blocked, or was refused for what stood in the
 * way, with the robot at that place. Only its memory of blocked actions learns of it. */
void cairn_sequencer_was_blocked(struct cairn_sequencer *seq, const struct cairn_msg_decision *decision,
    double x_m, double y_m, double yaw_rad, int64_t t_ns);
/* The same: the scan, depth and pose that were handed in last are what it saw at t_ns, to be compared with what stands there
 * when an answer comes (decision_basis.c). */
void cairn_sequencer_has_looked(struct cairn_sequencer *seq, int64_t t_ns);
/* Skills (skill_hold.c): a wish passes the gate of common/skill/skill.h or is refused at once; while one is under way the
 * wheels are held at zero and no decision is accepted. Each wish ends in one result. Take orders and results after each
 * call. */
void cairn_sequencer_on_skill_wish(
    struct cairn_sequencer *seq, const struct cairn_msg_skill_request *wish, uint64_t epoch, int64_t now_ns);
void cairn_sequencer_on_skill_done(
    struct cairn_sequencer *seq, const struct cairn_msg_skill_result *done, int64_t now_ns);
void cairn_sequencer_on_skills(
    struct cairn_sequencer *seq, const struct cairn_msg_skills *skills, int64_t t_ns);
/* What the camera's pictures show: for the gate alone. */
void cairn_sequencer_on_detections(
    struct cairn_sequencer *seq, const struct cairn_msg_detections *seen, int64_t t_ns);
bool cairn_sequencer_next_skill_order(struct cairn_sequencer *seq, struct cairn_msg_skill_request *ret);
bool cairn_sequencer_next_skill_result(struct cairn_sequencer *seq, struct cairn_msg_skill_result *ret);

/* A person steers by hand (teleop.c). from: which topic it came by; one at a time is listened to. */
void cairn_sequencer_on_teleop(
    struct cairn_sequencer *seq, const struct cairn_msg_teleop *teleop, int from, int64_t t_ns);
/* Who steers by hand now; NULL: nobody. */
const char *cairn_sequencer_steered_by(const struct cairn_sequencer *seq);
/* Verbs of the operator service (ipc/commands.def). */
void cairn_sequencer_on_command(struct cairn_sequencer *seq, const struct cairn_msg_command *cmd,
    int64_t now_ns, struct cairn_msg_reply *reply);

void cairn_sequencer_step(struct cairn_sequencer *seq, int64_t now_ns, struct cairn_sequencer_output *out);

/* Takes the oldest result not taken yet; false: none. At most 16 wait: take them after every call. */
bool cairn_sequencer_next_result(struct cairn_sequencer *seq, struct cairn_msg_result *ret);

/* Takes zones that an earlier run kept with the map; those without an outline and those that hold the start are left
 * out. How many were taken. */
uint32_t cairn_sequencer_keep_zones(struct cairn_sequencer *seq, const struct cairn_msg_zones *zones);
/* Those zones are of this map (0: not known), and an operator has to look at them first if there is a doubt (enum
 * cairn_zone_doubt). With an unreadable file: 0 and CAIRN_ZONE_DOUBT_LOST. While there is a doubt nothing is driven. */
void cairn_sequencer_zones_saved(struct cairn_sequencer *seq, uint64_t map_id, uint32_t doubt);
/* What stands in each direction now: LiDAR, depth camera, cliff sensor, zones (path_clearance.h). False while the scan or
 * the pose is not fresh: nothing is known then. */
bool cairn_sequencer_paths_clear(
    const struct cairn_sequencer *seq, int64_t now_ns, struct cairn_msg_paths_clear *ret);
/* Zones that hold, for the planner. */
const struct cairn_msg_zones *cairn_sequencer_zones(const struct cairn_sequencer *seq);
const struct cairn_mission_record *cairn_sequencer_record(const struct cairn_sequencer *seq);
uint64_t cairn_sequencer_rejects(const struct cairn_sequencer *seq);
/* Decisions dropped because their id did not rise. */
uint64_t cairn_sequencer_duplicates(const struct cairn_sequencer *seq);

/* The tier of a model that has been silent for silent_s while its word was wanted. answer_s: the time that its answers take, 0 when
 * none came yet. A slow one is waited for
 * until its answer is clearly late (1.3 times the usual), a minute at most. */
enum cairn_tier cairn_sequencer_tier(const struct cairn_config *cfg, double silent_s, double answer_s);

#endif
