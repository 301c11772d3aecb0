/* detect_wire.h - what the detector stage and a detector helper say to each other: lines of JSON over a stream socket that the
 * helper listens on (docs/detector.md). Pure.
 *
 *   stage:   {"look": 17, "t_ns": 123, "labels": ["cup", "chair"], "goal": "find the red cup",
 *             "task": "is there milk in the fridge?"}
 *   helper:  {"look": 17, "t_ns": 120, "width": 640, "height": 480, "things": [{"label": "cup", "score": 0.9,
 *             "box": [left, top, right, bottom], "colour": "red", "points": [[right, down, ahead], ...]}, ...],
 *             "nearest_m": [192 depths]}
 *
 * goal, task, colour, state, track, points and nearest_m may be missing. Unknown fields are ignored. */
#ifndef CAIRN_COMMON_PERCEPT_DETECT_WIRE_H
#define CAIRN_COMMON_PERCEPT_DETECT_WIRE_H

#include "common/percept/detect.h"

#define CAIRN_DETECT_LINE_MAX 65536
#define CAIRN_DETECT_LABELS_MAX 32
#define CAIRN_DETECT_LOOK_MAX 8192

/* Lines out of a stream of bytes. Zeroed: nothing yet. */
struct cairn_detect_lines {
	char line[CAIRN_DETECT_LINE_MAX + 1];
	size_t len;
	bool skipping;     /* a line that is too long, until its end */
	uint64_t too_long; /* of them so far */
};

/* Takes up to count bytes; returns how many. *ret_line: a whole line, NUL-terminated and without its end, valid until the next call; NULL: none
 * is complete. Call until all is taken. */
size_t cairn_detect_lines_take(struct cairn_detect_lines *lines, const char *bytes, size_t count,
    const char **ret_line, size_t *ret_len);

/* The question as a line with its end; labels: separated by commas, "" = any; goal: of the mission, task: of the agent, in words, "" = none.
 * Bytes written, 0 when buf is too small; CAIRN_DETECT_LOOK_MAX is enough. */
size_t cairn_detect_write_look(uint64_t look, int64_t t_ns, const char *labels, const char *goal,
    const char *task, char *buf, size_t bytes);
bool cairn_detect_read_look(
    const char *line, size_t len, uint64_t *ret_look, int64_t *ret_t_ns, struct cairn_error *err);

/* The answer. False with the reason; things that are malformed are left out and counted in ret->left_out. */
bool cairn_detect_read_answer(
    const char *line, size_t len, struct cairn_detected_list *ret, struct cairn_error *err);
/* As a line with its end, to be freed; NULL without memory. */
char *cairn_detect_write_answer(const struct cairn_detected_list *list, size_t *ret_len);

#endif
