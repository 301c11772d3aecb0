/* planner_private.h - what the parts of the planner share; nobody else includes this. */
#ifndef CAIRN_COMMON_PLAN_PLANNER_PRIVATE_H
#define CAIRN_COMMON_PLAN_PLANNER_PRIVATE_H

#include "common/plan/driven_path.h"
#include "common/plan/follow.h"
#include "common/plan/hybrid.h"
#include "common/plan/planner.h"
#include "common/safety/depth_layer.h"

#define PLANNER_TRACE 64    /* poses remembered, to place scan points */
#define PLANNER_UNSEEN 8    /* obstacles felt but not seen */
#define PLANNER_CLOSED 24   /* places that were turned back at */
#define PLANNER_HEARD 8     /* what the motor stage stood before while the robot backed out */
#define PLANNER_TRIES_MAX 3 /* recoveries for a goal */

struct planner_stamped {
	struct cairn_pose2 pose;
	int64_t t_ns;
};

/* Something the robot could not pass though no sensor shows it. */
struct planner_unseen {
	struct cairn_vec2 at;
	int64_t until_ns;
	bool
	    kept_off; /* the motor stage kept away from what LiDAR or depth camera show it; else it was felt */
};

/* Directions of a LiDAR's points: those of the next turn are mostly the same. */
struct planner_angles {
	uint32_t count;
	float rad[CAIRN_POINTS_MAX];
	double c[CAIRN_POINTS_MAX], s[CAIRN_POINTS_MAX];
};

/* A straight move away from where the robot was stuck. */
struct planner_retreat {
	bool active;
	struct cairn_pose2 from;
	double distance_m;
	bool reverse;
	int64_t until_ns;
};

struct planner_place {
	bool some;
	double x_m, y_m;
};

enum planner_back_why {
	PLANNER_BACK_ON_THE_WAY, /* the way to the goal begins so */
	PLANNER_BACK_STUCK, /* there is a way, but it was not got along: it may go better on a new approach */
	PLANNER_BACK_NO_WAY, /* no way to the goal was found from here */
};

/* Backing out along the driven poses. */
struct planner_back {
	bool active;
	bool in_vain; /* the robot came in for this very goal, and no way on was found */
	bool realigning;
	struct cairn_pose2 realign;             /* where that began */
	double aside_m;                         /* so far to the left of the way it drives: see step_aside */
	struct cairn_vec2 pressed_at;           /* where it last stepped aside, map frame */
	struct cairn_vec2 heard[PLANNER_HEARD]; /* ring, map frame: see hear */
	uint32_t heard_count;
	double least_m; /* that was left of the way, and when it was that */
	int64_t t_nearer_ns;
	struct cairn_safety_cost creep; /* when it last moved at all */
};

struct cairn_planner {
	struct cairn_config cfg;
	struct cairn_footprint body;
	struct cairn_costmap costmap;
	struct cairn_hybrid *hybrid;
	int64_t (*clock_ns)(void *ctx);
	void *clock_ctx;
	uint64_t rejects;

	/* inputs */
	struct cairn_msg_nav_goal goal;
	int64_t goal_t_ns;
	struct cairn_msg_pose pose;
	int64_t pose_t_ns;
	struct cairn_msg_motion motion;
	int64_t motion_t_ns;
	struct planner_stamped trace[PLANNER_TRACE]; /* ring, newest at trace_at */
	int trace_at, trace_count;
	struct planner_angles angles; /* of the newest scan */
	struct cairn_vec2 *live;      /* points of the newest scan in the map frame, then the unseen ones */
	size_t live_count;
	bool live_fresh, grid_fresh; /* arrived since the last step */
	bool have_grid;
	struct cairn_vec2
	    claimed[sizeof(((struct cairn_msg_claims *)0)->items) / sizeof(struct cairn_msg_cell_claim)];
	size_t claimed_count;           /* to be occupied, by the model */
	struct cairn_depth_layer floor; /* what the depth camera has seen of it, map frame */
	struct cairn_points lidar; /* scratch: live points in the robot frame of a depth scan, or of now */
	size_t lidar_count;        /* of these, the rest being the floor's */

	/* path */
	struct cairn_path paths[2];
	int path_in_use; /* the other one is for searching */
	struct cairn_follower follower;
	bool have_path;
	int trusted; /* poses up to this one were accepted with too little room around them */
	enum cairn_plan_result found;
	double goal_x_m, goal_y_m; /* what the path leads to */
	bool path_changed;

	/* progress */
	struct cairn_msg_nav_status status;
	char told[sizeof(((struct cairn_msg_nav_status *)0)->reason)];
	enum cairn_nav_state told_state;
	uint64_t told_goal;
	bool finished; /* REACHED or STUCK: nothing to do until the goal changes */
	bool want_plan;
	int64_t planned_ns, tried_ns; /* last success, last try; 0 = never */
	int64_t blocked_since_ns;     /* only live obstacles are in the way; 0 = not */
	unsigned failed_searches;     /* for this goal, since the last path */
	struct planner_retreat retreat;
	struct cairn_driven_path driven;
	struct planner_back back;
	struct planner_place turned_at; /* where it last turned back for want of a way on */
	struct planner_unseen closed[PLANNER_CLOSED];
	uint32_t closed_count;
	struct cairn_safety_cost idle; /* where there is no room to turn */
	struct cairn_safety_cost idle_far;
	double idle_left_m;          /* the least that was left of the path since */
	struct cairn_twist proposed; /* in the last step */
	bool started_tight;          /* there was none when the goal came */
	struct planner_unseen unseen[PLANNER_UNSEEN];
	int tries;
	struct cairn_vec2 stuck_at;
	int ended_short;
	double ended_best_m;
};

/* Where the robot was at t. */
struct cairn_pose2 planner_pose_at(const struct cairn_planner *p, int64_t t_ns);
void planner_forget_floor(struct cairn_planner *p);
/* Adds obstacles that only the depth camera sees to the live points from count on, and marks the border of
 * the unseen; the new count. */
size_t planner_lay_floor(struct cairn_planner *p, size_t count);

/* Lays the newest points over the map. */
void planner_lay_live(struct cairn_planner *p, int64_t now_ns);
/* Plans from pose; true: there is a new path in use. Otherwise state and reason are set. */
bool planner_plan(struct cairn_planner *p, const struct cairn_pose2 *pose, int64_t now_ns);
/* Looks for a much better path than the one in use and takes it. */
void planner_reconsider(struct cairn_planner *p, const struct cairn_pose2 *pose, int64_t now_ns);
/* Distance along the path at which it is blocked, INFINITY if it is free for horizon_m. */
double planner_blocked_m(const struct cairn_planner *p, double horizon_m);
void planner_drop_path(struct cairn_planner *p);
/* planner_floor.c: the newest LiDAR points as a robot at pose has them, into p->lidar. */
void planner_see_lidar(struct cairn_planner *p, const struct cairn_pose2 *pose);

/* planner_closed.c. Places that it has turned back at; how many. */
size_t planner_closed_places(const struct cairn_planner *p, int64_t now_ns, struct cairn_vec2 *ret);
/* Would closing the way in to pose cut the robot, backed out along back (which begins at pose), off from where it began to drive, by
 * the known floor? Then that way leads somewhere, and may be the only one home. Takes memory for the time of the call. */
bool planner_closing_cuts_off(
    const struct cairn_planner *p, const struct cairn_pose2 *pose, const struct cairn_path *back);
/* The way in to pose is not planned again for a while, whatever lies behind it. */
void planner_close_way_in(
    struct cairn_planner *p, const struct cairn_pose2 *pose, const struct cairn_path *back, int64_t now_ns);

/* planner_back.c */
bool planner_has_room(const struct cairn_planner *p, const struct cairn_pose2 *pose); /* to turn round */
/* Backs for long before it does anything else. */
bool planner_backs_long(const struct cairn_path *path);
/* Does so only to turn round elsewhere: it leads back to where it begins. */
bool planner_turns_round(const struct cairn_path *path);
/* Begins to back out; false: there is room here, or no way back that leads to some. */
bool planner_back_begin(
    struct cairn_planner *p, const struct cairn_pose2 *pose, enum planner_back_why why, int64_t now_ns);
void planner_back_end(struct cairn_planner *p);
/* Where there is no room it has got nowhere for long. */
bool planner_back_due(struct cairn_planner *p, const struct cairn_pose2 *pose, bool held, int64_t now_ns);
struct cairn_twist planner_back_step(
    struct cairn_planner *p, const struct cairn_pose2 *pose, bool held, int64_t now_ns);

__attribute__((format(printf, 3, 4))) void planner_say(
    struct cairn_planner *p, enum cairn_nav_state state, const char *fmt, ...);

#endif
