#include "common/eval/lockstep.h"

#include "common/explore/explorer_ports.h"
#include "common/plan/planner_ports.h"
#include "common/safety/motor_ports.h"
#include "common/sequencer/sequencer_ports.h"

static void send(void *ctx, enum cairn_topic topic, const void *message, int64_t t_ns)
{
	cairn_lockstep_send(ctx, topic, message, t_ns);
}

void cairn_lockstep_init(struct cairn_lockstep *l)
{
	l->seq_box = (struct cairn_outbox){.rows = cairn_sequencer_out, .send = send, .ctx = l};
	l->planner_box = (struct cairn_outbox){.rows = cairn_planner_out, .send = send, .ctx = l};
	l->mapper_box = (struct cairn_outbox){.rows = cairn_mapper_out, .send = send, .ctx = l};
}

void cairn_lockstep_send(struct cairn_lockstep *l, enum cairn_topic topic, const void *message, int64_t t_ns)
{
	struct cairn_header hdr = {.version = CAIRN_SCHEMA_VERSION,
	    .seq = ++l->seq_of[topic],
	    .epoch = CAIRN_LOCKSTEP_EPOCH,
	    .t_ns = t_ns,
	    .valid = true};
	if (l->tap != NULL)
		l->tap(l->tap_ctx, topic, message, t_ns);
	if (l->motor != NULL)
		l->motor_at_once |=
		    cairn_in_deliver(cairn_motor_in, l->motor, topic, message, &hdr, l->now_ns);
	if (l->seq != NULL)
		(void)cairn_in_deliver(cairn_sequencer_in, l->seq, topic, message, &hdr, l->now_ns);
	if (l->planner != NULL)
		(void)cairn_in_deliver(cairn_planner_in, l->planner, topic, message, &hdr, l->now_ns);
	if (l->explorer != NULL)
		(void)cairn_in_deliver(cairn_explorer_in, l->explorer, topic, message, &hdr, l->now_ns);
	if (l->mapper != NULL)
		(void)cairn_in_deliver(cairn_mapper_in, l->mapper, topic, message, &hdr, l->now_ns);
}
