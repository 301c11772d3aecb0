/* lockstep.h - the cores of mapper, planner, sequencer and motor without processes: what one sends, the others take at once.
 *
 * Wired by the same tables that the processes run over the bus (ipc/ports.h), so that an evaluation reads the topics,
 * judges the headers and repeats the messages as the robot does. */
#ifndef CAIRN_COMMON_EVAL_LOCKSTEP_H
#define CAIRN_COMMON_EVAL_LOCKSTEP_H

#include "common/plan/planner.h"
#include "common/safety/motor_gate.h"
#include "common/sequencer/sequencer.h"
#include "common/slam/mapper_ports.h"
#include "ipc/ports.h"

#define CAIRN_LOCKSTEP_EPOCH 1 /* of every publisher */

struct cairn_lockstep {
	struct cairn_sequencer *seq; /* borrowed, as the others; NULL: not there */
	struct cairn_planner *planner;
	struct cairn_motor *motor;
	struct cairn_mapper_ports *mapper;
	struct cairn_explorer *explorer; /* the mapper's, or one beside a map that is known */
	bool motor_at_once;              /* the motor's gate wants to decide at once; cleared by the caller */
	int64_t now_ns;                  /* set by the caller before each step */
	uint64_t seq_of[CAIRN_TOPIC_COUNT];
	struct cairn_outbox seq_box, planner_box, mapper_box;
	cairn_send_fn *tap; /* shown each message that is sent; NULL: nobody looks */
	void *tap_ctx;
};

/* After the cores are set. *l must not move from here on. */
void cairn_lockstep_init(struct cairn_lockstep *l);

/* Sends a message to all whose table has the topic; the motor's gate first, then sequencer, planner and
 * mapper. */
void cairn_lockstep_send(struct cairn_lockstep *l, enum cairn_topic topic, const void *message, int64_t t_ns);

#endif
