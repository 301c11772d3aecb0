/* recording.h - what a session with a model was like, line by line: who answered, what each question was made of, what
 * was said, what the robot saw when a decision was made, and what became of it. Written by the gateway (vlm.record), read
 * by `cairn eval replay`; the answers alone also by vlm.replay (exchange.h).
 *
 * A line is a JSON object with "v" (the version), "kind" and, as its last member, "sum": the FNV-1a hash of everything
 * before it, so that a changed byte is found. Kinds:
 *
 *   begun     program, provider, format, dialect, model, and every key of the configuration
 *   asked     the messages the question was made of, the snapshot, the memory, and the text of the context
 *   exchange  request and response as they went over the wire, without key and pictures (exchange.h)
 *   decided   the decision, and the messages that the sequencer and the planner had when it came
 *   seen      where the robot was and what the depth camera saw of the floor, each time it has moved a little
 *   ended     the result of a decision, and the goal, the path and the first velocity it led to
 *
 * Messages of the bus lie in "bus" as [topic, base64 of their msgpack form], oldest first; large things in "blobs", by
 * name, as base64. Lines of version 1 are exchanges alone. */
#ifndef CAIRN_COMMON_VLM_RECORDING_H
#define CAIRN_COMMON_VLM_RECORDING_H

#include <jansson.h>

#include "common/base/error.h"
#include "common/config/config.h"
#include "common/vlm/profile.h"
#include "common/base/text.h"
#include "ipc/frame_layout.h"
#include "ipc/topics.h"

#define CAIRN_RECORDING_VERSION 2
#define CAIRN_RECORDING_LINE_MAX (8u << 20)
#define CAIRN_RECORDING_MESSAGE_MAX (256u * 1024)
#define CAIRN_RECORDING_EXCHANGES 8 /* of one question, retries included; later ones are dropped */

/* ---- writing: begin, any number of messages, then any number of blobs, end; out keeps growing ---- */

/* number ties lines together: that of the question, or the decision's id. 0 = none. */
void cairn_recording_begin(struct cairn_text *out, const char *kind, uint64_t number, int64_t t_ns);
void cairn_recording_message(
    struct cairn_text *out, enum cairn_topic topic, const struct cairn_header *hdr, const void *msg);
void cairn_recording_blob(struct cairn_text *out, const char *name, const void *bytes, size_t count);
/* A text as it is. */
void cairn_recording_text(struct cairn_text *out, const char *name, const char *text, size_t count);
/* The sum and the end of the line that begins at from. */
void cairn_recording_end(struct cairn_text *out, size_t from);
/* The line "begun". */
void cairn_recording_begun(struct cairn_text *out, const struct cairn_config *cfg,
    const struct cairn_profile *profile, const char *system, double t_unix_s);
/* The bytes of a map.grid frame as a blob: header and rows, compressed. False: no memory. */
bool cairn_recording_grid(struct cairn_text *out, const struct cairn_frame_header *hdr, const void *cells);

/* ---- reading ---- */

/* One line, checked but for what lies in its messages. */
struct cairn_recorded_line {
	const json_t *row; /* NULL: there is none */
	int number;        /* in the file, from 1 */
};

struct cairn_recorded_question {
	struct cairn_recorded_line asked, decided, ended;
	struct cairn_recorded_line exchanges[CAIRN_RECORDING_EXCHANGES];
	uint32_t exchange_count;
};

struct cairn_recording {
	json_t *rows;
	struct cairn_recorded_line begun;
	struct cairn_recorded_question *questions; /* in their order */
	uint32_t count;
	struct cairn_recorded_line *seen; /* in their order */
	uint32_t seen_count;
};

/* NULL with "FILE: line N: reason": damaged, of another version, or without a question. A last line without its end is
 * one that was being written when the power went: left out. */
struct cairn_recording *cairn_recording_open(const char *path, struct cairn_error *err);
void cairn_recording_close(struct cairn_recording **recording_p);

/* True for a line whose sum is right; bytes: without the newline. */
bool cairn_recording_sum_ok(const char *line, size_t bytes);

/* Messages in a line. */
uint32_t cairn_recorded_messages(const struct cairn_recorded_line *line);
/* The topic of the i-th, or -1: this program does not know it. */
int cairn_recorded_topic(const struct cairn_recorded_line *line, uint32_t i);
/* Decodes the i-th into *msg (of the topic's type). False with the reason. */
bool cairn_recorded_message(const struct cairn_recorded_line *line, uint32_t i, struct cairn_header *hdr,
    void *msg, struct cairn_error *err);
/* The newest one of a topic; false: there is none, or it cannot be read. */
bool cairn_recorded_newest(
    const struct cairn_recorded_line *line, enum cairn_topic topic, struct cairn_header *hdr, void *msg);
/* A blob into out (cleared first). False: there is none, or it is no base64. */
bool cairn_recorded_blob(const struct cairn_recorded_line *line, const char *name, struct cairn_text *out);
const char *cairn_recorded_text(const struct cairn_recorded_line *line, const char *name);
int64_t cairn_recorded_t_ns(const struct cairn_recorded_line *line);
/* The grid of a line; cells into out (cleared first), *hdr tells their size. False with the reason. */
bool cairn_recorded_grid(const struct cairn_recorded_line *line, struct cairn_frame_header *hdr,
    struct cairn_text *out, struct cairn_error *err);
/* Lays the recorded configuration over *cfg. Keys that this program does not know, or not with that value, are left out
 * and counted. */
uint32_t cairn_recorded_config(const struct cairn_recording *recording, struct cairn_config *cfg);

#endif
