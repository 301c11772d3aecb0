/* fleet_private.h - what the parts of the fleet's core share; nobody else includes it. */
#ifndef CAIRN_COMMON_FLEET_FLEET_PRIVATE_H
#define CAIRN_COMMON_FLEET_FLEET_PRIVATE_H

#include "common/base/geom.h"
#include "common/fleet/fleet.h"

#define FLEET_ERRORS_MAX 8
#define FLEET_INSTANTS_MAX 16
#define FLEET_MESSAGES_MAX 32
#define FLEET_COMMANDS_MAX 24
#define FLEET_DONE_MAX 64 /* orders of before that are known again */
#define FLEET_ZONES_MAX 12
#define FLEET_ANSWER_NS (3 * CAIRN_NS_PER_S)

struct fleet_error {
	enum cairn_vda_fault fault;
	char order_id[CAIRN_FLEET_ID_CAP]; /* empty: not about an order */
	uint32_t update_id;
	char action_id[CAIRN_FLEET_ID_CAP], action_type[CAIRN_FLEET_ID_CAP];
	char text[160];
};

/* The way to one node. */
enum fleet_way {
	FLEET_WAY_NONE,
	FLEET_WAY_ASKED,   /* goto is given, not answered yet */
	FLEET_WAY_GRANTED, /* accepted; the mission does not show it yet */
	FLEET_WAY_DRIVEN,  /* the mission drives there */
};

struct fleet_drive {
	enum fleet_way way;
	uint64_t tag;
	int64_t t_ns;           /* asked or granted */
	struct cairn_vec2 goal; /* the robot's map */
	int64_t t_retry_ns;     /* not before */
	bool held;              /* the mission is paused on behalf of master control */
	int64_t t_hold_ns;      /* newest pause or resume of ours */
	bool stopping;          /* a stop of ours is under way, for a cancelOrder or a person */
	uint64_t stop_tag;
	int64_t t_stop_ns;
};

/* A place that master control has named, until it has proved right or wrong. */
struct fleet_locate {
	uint64_t tag; /* of the command that is asked; 0: none */
	int64_t t_ns; /* when it was named */
	char action_id[CAIRN_FLEET_ID_CAP], node[CAIRN_FLEET_ID_CAP]; /* no action: none is under way */
	struct cairn_pose2 pose;                                      /* on the fleet's map */
};

struct fleet_zone_task {
	char text[256]; /* of the operator's verb `zone` */
};

struct fleet_zones {
	char set_id[CAIRN_FLEET_ID_CAP]; /* kept; empty: none */
	uint32_t count;                  /* of its zones: fleet-0, fleet-1, ... */
	/* being laid: first the old ones are forgotten, then the new ones drawn */
	char next_id[CAIRN_FLEET_ID_CAP];
	uint32_t drawn, task_count, task_at;
	uint64_t tag; /* of the one that is asked; 0: none */
	int64_t t_ns;
	struct fleet_zone_task tasks[2 * FLEET_ZONES_MAX];
};

struct cairn_fleet {
	const struct cairn_config *cfg;
	char serial[CAIRN_FLEET_ID_CAP];
	enum cairn_choice_fleet_version version;
	unsigned rights;
	struct cairn_fleet_body body;
	int64_t unix_ns;          /* wall clock minus monotonic */
	struct cairn_pose2 frame; /* the robot's map in the fleet's */

	/* survives */
	struct cairn_fleet_order order;
	uint64_t done[FLEET_DONE_MAX]; /* hashes of the ids of orders of before, a ring */
	uint32_t done_at;
	bool manual, paused;
	uint64_t commanded; /* hash of the newest command of a person: it is repeated */
	struct fleet_zones zones;

	struct fleet_drive drive;
	struct fleet_locate locate;
	bool busy; /* a mission is under way that is not the fleet's */
	struct cairn_fleet_action instants[FLEET_INSTANTS_MAX];
	uint32_t instant_count;
	struct fleet_error errors[FLEET_ERRORS_MAX];
	uint32_t error_count;

	struct cairn_msg_pose pose;
	struct cairn_msg_motion motion;
	struct cairn_msg_mission mission;
	struct cairn_msg_battery battery;
	int64_t t_pose_ns, t_motion_ns, t_mission_ns, t_battery_ns, t_teleop_ns;
	double last_node_distance_m; /* of the odometer, where the last node was reached */
	int64_t t_actions_ns;

	bool connected, state_due, record_changed;
	int64_t t_state_ns, t_visualization_ns, t_step_ns;
	uint32_t told; /* digest of what makes a new state due */
	uint32_t header_ids[CAIRN_VDA_TOPIC_COUNT];
	struct cairn_fleet_message messages[FLEET_MESSAGES_MAX];
	uint32_t message_head, message_count;
	struct cairn_fleet_command commands[FLEET_COMMANDS_MAX];
	uint32_t command_head, command_count;
	uint64_t last_tag;
	char report[256];
	uint64_t rejects;
};

/* fleet.c */
bool fleet_localized(const struct cairn_fleet *f);
bool fleet_driving(const struct cairn_fleet *f);
bool fleet_automatic(const struct cairn_fleet *f);
bool fleet_steered(const struct cairn_fleet *f, int64_t now_ns);
void fleet_fault(struct cairn_fleet *f, const struct fleet_error *e);
void fleet_clear_faults(struct cairn_fleet *f, enum cairn_vda_until until);
void fleet_fault_gone(struct cairn_fleet *f, enum cairn_vda_fault fault);
/* The command's tag; 0: too many wait. */
uint64_t fleet_command(
    struct cairn_fleet *f, enum cairn_command command, const char *arg, struct cairn_vec2 at, int64_t now_ns);
void fleet_changed(struct cairn_fleet *f);                  /* of what survives: it is saved, and told */
struct cairn_pose2 fleet_pose(const struct cairn_fleet *f); /* on the fleet's map */
uint64_t fleet_order_hash(const char *id);

/* fleet_take.c */
void fleet_take_order(struct cairn_fleet *f, const json_t *m, int64_t now_ns);

/* fleet_actions.c */
void fleet_take_instants(struct cairn_fleet *f, const json_t *m, int64_t now_ns);
void fleet_step_actions(struct cairn_fleet *f, int64_t now_ns);
bool fleet_actions_allow_driving(const struct cairn_fleet *f);
void fleet_run_instant(struct cairn_fleet *f, struct cairn_fleet_action *a);
/* FAILED is told as an error, too. */
void fleet_end_instant(
    struct cairn_fleet *f, struct cairn_fleet_action *a, enum cairn_fleet_status status, const char *result);

/* fleet_locate.c */
/* Begins the action a, which is kept among the instant ones. */
void fleet_locate(struct cairn_fleet *f, struct cairn_fleet_action *a, int64_t now_ns);
void fleet_step_locate(struct cairn_fleet *f, int64_t now_ns);
bool fleet_locate_replied(struct cairn_fleet *f, uint64_t tag, bool ok, const char *text);

/* fleet_drive.c */
void fleet_adopt(struct cairn_fleet *f, int64_t now_ns);
void fleet_step_drive(struct cairn_fleet *f, int64_t now_ns);
void fleet_drive_replied(struct cairn_fleet *f, uint64_t tag, bool ok, const char *text, int64_t now_ns);
/* A goto of ours is under way, or may be. */
bool fleet_drive_under_way(const struct cairn_fleet *f);
void fleet_stop_driving(struct cairn_fleet *f, int64_t now_ns);
/* Whether the robot stands at the first node of an order. */
bool fleet_at_first(const struct cairn_fleet *f, const struct cairn_fleet_order *o);

/* fleet_zones.c */
void fleet_take_zones(struct cairn_fleet *f, const json_t *m, int64_t now_ns);
void fleet_step_zones(struct cairn_fleet *f, int64_t now_ns);
bool fleet_zones_replied(struct cairn_fleet *f, uint64_t tag, bool ok, const char *text);

/* fleet_state.c, factsheet.c */
void fleet_tell(struct cairn_fleet *f, enum cairn_vda_topic topic, json_t *message, int64_t now_ns);
void fleet_tell_connection(struct cairn_fleet *f, const char *state, int64_t now_ns);
void fleet_tell_state(struct cairn_fleet *f, int64_t now_ns);
void fleet_tell_visualization(struct cairn_fleet *f, int64_t now_ns);
void fleet_tell_factsheet(struct cairn_fleet *f, int64_t now_ns);
json_t *fleet_header(struct cairn_fleet *f, enum cairn_vda_topic topic, int64_t now_ns);

/* fleet_store.c */
bool fleet_load(struct cairn_fleet *f, const char *record, struct cairn_error *err);

#endif
