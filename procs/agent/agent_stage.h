/* agent_stage.h - the stage's own state, shared by the files that make it up: kept.c has what lies in RUN/state, work.c what is carried
 * between the core and the world. */
#ifndef CAIRN_PROCS_AGENT_AGENT_STAGE_H
#define CAIRN_PROCS_AGENT_AGENT_STAGE_H

#include "common/agent/agent.h"
#include "ipc/frames.h"
#include "procs/gateway/service.h"

struct agent_stage {
	CAIRN_STAGE_STATE;
	struct cairn_config_vlm vlm; /* with the agent's own timeout and recording */
	struct cairn_lineup lineup;
	struct cairn_agent *core;
	struct service *service;
	struct cairn_frame_sub *grid_sub;
	struct cairn_client *speech;
	uint64_t said;
	struct cairn_msg_agent message;
	struct cairn_text file;
	char path[400], map_path[400], key_problem[200];
	uint32_t map_number; /* in that file; 0: there is none */
	char *picture;       /* read last */
};

/* ---- kept.c ---- */
/* The episode that the agent before has saved, if any; and the house's pictures for the core, where it uses them. */
void kept_recall(struct agent_stage *a);
/* A loop callback. */
int kept_save(void *ctx);
/* The picture of the map is a file, for people. */
void kept_map(struct agent_stage *a);

/* ---- work.c ---- */
/* Loop callbacks: what the core wants done; what is told of it; replies of the stage that speaks; the map. */
int work_turn(void *ctx);
int work_tell(void *ctx);
int work_on_speech(void *ctx);
int work_on_grid(void *ctx);
/* The model has answered, or failed. */
void work_answered(void *ctx, const struct cairn_dialog_outcome *outcome);

#endif
