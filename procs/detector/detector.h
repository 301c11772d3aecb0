/* detector.h - the stage's own state, shared by the files that make it up: helper_link.c has the connection to the detector helper, search.c
 * its questions and answers, depth.c the camera's depth for a helper that knows boxes alone. */
#ifndef CAIRN_PROCS_DETECTOR_DETECTOR_H
#define CAIRN_PROCS_DETECTOR_DETECTOR_H

#include "common/percept/detect_wire.h"
#include "ipc/frames.h"
#include "procs/shell/stage.h"

struct detector_stage {
	CAIRN_STAGE_STATE;
	struct cairn_frame_sub *depth_sub; /* NULL: the helper knows depth by itself (simulated) */
	uint16_t *depth_mm;                /* the newest picture of depth */
	uint32_t depth_width, depth_height;
	int64_t depth_t_ns;
	int fd; /* -1: not connected */
	int64_t try_at_ns;
	bool said_lost;
	uint32_t nonsense; /* refusals in a row */
	uint64_t refused;  /* lines that could not be read, and answers that make no sense */
	struct cairn_detector detector;
	char goal[sizeof(((struct cairn_msg_mission *)0)->goal)];
	char task[sizeof(((struct cairn_msg_agent *)0)->task)];
	struct cairn_detect_lines lines;
	struct cairn_detected_list list;
	struct cairn_msg_detections message;
};

/* ---- helper_link.c ---- */
/* Where there is no connection, and once a second. */
void helper_link_tend(struct detector_stage *d, int64_t now_ns);
void helper_link_send(struct detector_stage *d, const char *line, size_t bytes);
void helper_link_lose(struct detector_stage *d, const char *why);

/* ---- search.c ---- */
extern const struct cairn_in search_in[]; /* core: struct detector_stage */
extern const struct cairn_out search_out[];
/* A line of the helper. */
void search_answer(struct detector_stage *d, const char *line, size_t len);
/* Counted and said; after many in a row the helper is left. */
void search_refuse(struct detector_stage *d, const struct cairn_error *err);
/* Loop callbacks. */
int search_on_tick(void *ctx);
int search_on_note(void *ctx);

/* ---- depth.c ---- */
bool depth_open(struct detector_stage *d, struct cairn_error *err);
void depth_take(struct detector_stage *d);
/* How far the things of d->list are, where there is depth of the picture's moment. */
void depth_of_list(struct detector_stage *d);

#endif
