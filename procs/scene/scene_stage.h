/* scene_stage.h - the stage's own state, shared by the files that make it up: seen.c takes what is seen, graph_file.c keeps the graph in
 * RUN/state, questions.c answers, store.c keeps pictures. */
#ifndef CAIRN_PROCS_SCENE_SCENE_STAGE_H
#define CAIRN_PROCS_SCENE_SCENE_STAGE_H

#include "common/scene/scene.h"
#include "procs/scene/store.h"

struct scene_stage {
	CAIRN_STAGE_STATE;
	struct cairn_scene *core;
	struct cairn_frame_sub *grid_sub;
	struct store *store; /* NULL: no pictures are kept */
	double known_m2;     /* of the map */
	struct cairn_pose2 robot;
	bool has_pose, has_features;
	int64_t t_map_ns;
	uint64_t map_hash, saved_version, map_id;
	struct cairn_msg_detections seen_outside;
	double update_ms;
	char path[512];
	struct cairn_msg_features features;
	struct cairn_msg_scene message;
};

/* ---- seen.c ---- */
extern const struct cairn_in seen_in[],
    seen_outside_in[]; /* core: struct scene_stage; the second of programs outside */
/* A loop callback: the map, divided into rooms anew while it changes. */
int seen_on_grid(void *ctx);

/* ---- graph_file.c ---- */
/* What the stage before has kept. A damaged file is put aside. */
void graph_recall(struct scene_stage *s);
/* A loop callback: saved when it has changed. */
int graph_checkpoint(void *ctx);

/* ---- questions.c ---- */
bool questions_open(struct scene_stage *s, struct cairn_error *err);

#endif
