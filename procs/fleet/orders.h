/* orders.h - the stage's state, and how it gives the fleet's orders as an operator does: what is kept and sent goes first. */
#ifndef CAIRN_PROCS_FLEET_ORDERS_H
#define CAIRN_PROCS_FLEET_ORDERS_H

#include "procs/fleet/robot_link.h"
#include "procs/shell/stage.h"

struct fleet_stage {
	CAIRN_STAGE_STATE;
	struct cairn_fleet *fleet;
	struct robot_link link;
	struct cairn_client *operator_client, *mapper_client;
	char path[320];
};

/* Makes the core, which goes on with an order of before. False with the reason. */
bool orders_resume(struct fleet_stage *s, struct cairn_error *err);
/* Loop callbacks: after each call of the core; and replies to what was given. */
int orders_flush(void *ctx);
int orders_on_reply(void *ctx);

#endif
