/* fleet_master.h - a master control for simulated fleets: gives each robot one order after the other, and now and then a pause, a cancel, a
 * zone set or a message that is none; sends again what no state shows; counts what it hears. */
#ifndef CAIRN_PROCS_LAB_FLEET_MASTER_H
#define CAIRN_PROCS_LAB_FLEET_MASTER_H

#include "common/base/histogram.h"
#include "common/base/rng.h"
#include "common/fleet/vda5050.h"
#include "procs/fleet/mqtt.h"

#define FLEET_ROBOTS_MAX 500
#define FLEET_NUMBERS_MAX 1000

struct fleet_order_sent {
	char id[40]; /* empty: none yet */
	char *text;  /* as it was sent */
	int nodes;
	int64_t t_first_ns, t_sent_ns;
	bool accepted, cancelling, done, cancelled,
	    mean; /* mean: no order at all, or one that is to be refused */
};

struct fleet_robot_seen {
	char serial[24];
	bool online, known;
	bool pausing, paused; /* by us; by its own word */
	double x_m, y_m;
	uint32_t orders;
	int64_t header_id;  /* of the newest state; -1: none yet */
	int64_t t_next_ns;  /* nothing is sent before */
	int64_t t_pause_ns; /* a pause is ended then */
	struct fleet_order_sent sent;
};

struct fleet_master {
	const struct cairn_config *cfg; /* version, names */
	struct mqtt *mqtt;
	struct cairn_rng rng;
	bool mischief; /* cancels, pauses, zones and wrong messages, too */
	int64_t now_ns, unix_ns;
	int first, robots;
	bool ending; /* no new orders */
	uint64_t sent, again, accepted, done, cancels, cancelled, refused, states, lost, bad, connections,
	    breaks;
	uint32_t header_id;
	struct cairn_histogram latency;
	/* Shown each message that is sent. May be NULL. */
	void (*tap)(void *ctx, const char *topic, const char *text);
	void *tap_ctx;
	struct fleet_robot_seen seen[FLEET_ROBOTS_MAX];
};

/* serials are made by fleet_master_serial. False with the reason. */
bool fleet_master_open(struct fleet_master *m, const struct cairn_config *cfg, int first, int robots,
    uint64_t seed, struct cairn_error *err);
void fleet_master_close(struct fleet_master *m);
/* now_ns: monotonic; unix_ns: wall clock minus that. */
void fleet_master_turn(struct fleet_master *m, int64_t now_ns, int64_t unix_ns);
/* Orders that were sent and have not ended. */
int fleet_master_open_orders(const struct fleet_master *m);
void fleet_master_serial(int robot, char *buf, size_t bytes);

#endif
