/* mapper_stage.h - the stage's own state, shared by the files that make it up: map_frame.c has the grid in the data plane, map_file.c the map in
 * RUN/state, said.c what is told of it. */
#ifndef CAIRN_PROCS_MAPPER_MAPPER_STAGE_H
#define CAIRN_PROCS_MAPPER_MAPPER_STAGE_H

#include "common/slam/mapper_ports.h"
#include "ipc/frames.h"
#include "procs/shell/stage.h"

struct mapper_stage {
	CAIRN_STAGE_STATE;
	struct cairn_mapper_ports ports;
	struct cairn_frame_pub *grid_pub;
	enum cairn_kept_map_state kept_said;
	enum cairn_tracking said_tracking;
	enum cairn_hint_state hint_said;
	uint64_t said_claims;
	bool said_stuck;
	uint32_t grid_revision; /* of the last frame */
	uint32_t map_epoch;     /* last seen */
	uint64_t grid_seq;
	int64_t t_grid_ns;
	uint64_t saved_changes;
	int64_t save_due_ns;
	char path[512];
};

/* ---- map_frame.c ---- */
/* What is new, and again once a second. */
void map_frame_send(struct mapper_stage *s, int64_t now_ns);
/* A map that was drawn anew goes out before the first pose in it. */
void map_frame_follow_epoch(struct mapper_stage *s);

/* ---- map_file.c ---- */
/* The map of the mapper that was here before, or a new one. A damaged file is put aside, not lost. False with the reason without
 * memory or without the map that was to be started from. */
bool map_file_open(struct mapper_stage *s, struct cairn_error *err);
/* A loop callback: saved while it changes. */
int map_file_checkpoint(void *ctx);

/* ---- said.c ---- */
/* After each input, and after each command. */
void said_input(struct mapper_stage *s);
void said_hint(struct mapper_stage *s);
/* A home that has changed since the map was kept is said, and stays in the stage's trouble for as long. */
void said_kept(struct mapper_stage *s);
void said_candidates(struct mapper_stage *s);
/* The loop has ended: the map is saved, and what became of the scans is told. */
void said_at_end(void *ctx);

#endif
