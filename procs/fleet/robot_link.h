/* robot_link.h - one robot's core at its broker: what comes in goes to the core, and what the core has to tell or to keep goes out.
 * For the stage and for simulated fleets; commands are given by the owner. */
#ifndef CAIRN_PROCS_FLEET_ROBOT_LINK_H
#define CAIRN_PROCS_FLEET_ROBOT_LINK_H

#include "common/fleet/fleet.h"
#include "procs/fleet/mqtt.h"

struct robot_link {
	struct cairn_fleet *fleet; /* borrowed */
	struct mqtt *mqtt;
	const char *record_path; /* borrowed; NULL: nothing is kept */
	int64_t now_ns;
	char trouble[256]; /* why the order could not be kept; empty: it could */
	uint64_t sent, received;
	/* Shown each message that is sent. May be NULL. */
	void (*tap)(void *ctx, const struct cairn_fleet_message *m);
	void *tap_ctx;
};

/* cfg: its fleet section; password NULL: none. False with the reason. link must not move from here on. */
bool robot_link_open(struct robot_link *link, const struct cairn_config *cfg, const char *client_id,
    const char *password, int64_t now_ns, struct cairn_error *err);
/* Says OFFLINE, and goodbye. */
void robot_link_close(struct robot_link *link, int wait_ms, int64_t now_ns);
/* The broker's part of a turn. */
void robot_link_turn(struct robot_link *link, int64_t now_ns);
/* Keeps what is to survive, then sends: after each call of the core, and before its commands are given. */
void robot_link_flush(struct robot_link *link);

#endif
