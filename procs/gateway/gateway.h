/* gateway.h - the stage's own state, shared by the files that make it up: asking.c has what goes to the model and comes back, told.c what is
 * told of it. */
#ifndef CAIRN_PROCS_GATEWAY_GATEWAY_H
#define CAIRN_PROCS_GATEWAY_GATEWAY_H

#include "procs/gateway/decision_record.h"
#include "procs/gateway/decision_trace.h"
#include "procs/gateway/discoveries.h"
#include "procs/gateway/locate.h"
#include "procs/gateway/outside.h"
#include "procs/gateway/remembered.h"
#include "procs/gateway/service.h"
#include "procs/shell/stage.h"

struct gateway {
	CAIRN_STAGE_STATE;
	struct cairn_dialog *dialog;
	struct cairn_lineup lineup;
	struct service *service;
	struct discoveries *found;
	struct locator *locator;
	struct witness *witness; /* NULL: nothing is recorded */
	struct cairn_text system;
	int64_t wanted_ns; /* a decision was wanted last; 0 = not yet */
	struct cairn_frame_sub *snapshot_sub;
	struct outside *outside; /* notes of programs outside */
	uint64_t snapshot_epoch, snapshot_seq;
	struct remembered remembered;
	struct decision_record record;
	struct cairn_msg_places rooms;
	bool said_budget;
	char said_error[160]; /* so that each is logged once */
	enum cairn_net_tier said_tier;
	struct cairn_msg_vlm_stats logged; /* when the regular line was last written */
};

/* ---- asking.c ---- */
extern const struct cairn_in asking_result_in[], asking_scene_in[]; /* core: struct gateway */
/* A loop callback: what the dialog wants done now. */
int asking_turn(void *ctx);
/* What became of a call. */
void asking_ended(void *ctx, const struct cairn_dialog_outcome *outcome);

/* ---- told.c ---- */
void told_stats(struct gateway *g);
void told_who_is_asked(const struct cairn_lineup *lineup);
/* Loop callbacks: what is told, kept and tried again once a second; the regular line of the log. */
int told_on_second(void *ctx);
int told_on_stats_period(void *ctx);

#endif
