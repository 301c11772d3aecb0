/* external.h - topics that programs outside publish: declared in a file, checked one message at a time.
 *
 * A program hands its messages to the stage `external` (ipc://RUN/bus/in.NAME), which checks them here and publishes what is good as
 * SCHEMA.NAME (note.doorbell, say), a topic like any other. Pure: bytes and time in, a checked message or the reason out. */
#ifndef CAIRN_COMMON_EXTERNAL_EXTERNAL_H
#define CAIRN_COMMON_EXTERNAL_EXTERNAL_H

#include "common/base/token_bucket.h"
#include "common/config/config.h"
#include "ipc/topics.h"

#define CAIRN_EXTERNAL_TOPICS_MAX 16
#define CAIRN_EXTERNAL_NAME_MAX 16 /* so that the name of its socket fits where that of a heartbeat does */

#define REAL(key, def, min, max, doc) double key;
#define INT(key, def, min, max, doc) int32_t key;
#define TEXT(key, def, doc) char key[CAIRN_CONFIG_TEXT_CAP];
#define CHOICE(key, name, NAME, def, doc) enum cairn_choice_##name key;
struct cairn_external_topic {
#include "common/external/external.def"
	enum cairn_topic topic; /* by its schema; name is the instance */
	char wire[64];          /* name of the endpoint that it is published at */
};

struct cairn_external_topics {
	uint32_t count;
	struct cairn_external_topic rows[CAIRN_EXTERNAL_TOPICS_MAX];
};

/* One row a key, in the order of external.def, for docs; offsets into struct cairn_external_topic. */
extern const struct cairn_config_row cairn_external_rows[];
extern const int cairn_external_row_count;

/* Reads the file of external.topics; an empty path is none, which declares nothing. False with one line in err. */
bool cairn_external_load(struct cairn_external_topics *ret, const char *path, struct cairn_error *err);

/* What has come in of one topic. */
struct cairn_external_gate {
	const struct cairn_external_topic *row;
	struct cairn_token_bucket bucket;
	uint64_t taken, refused;
	int64_t t_taken_ns; /* when the newest was taken; 0 = none yet */
	char reason[128];   /* of the newest refusal */
};

/* Checks a message as it came; bytes_there: how much of it is at hand, when it was longer than the buffer. True: *msg (of the
 * row's topic) and *t_ns, its texts cleaned. False: counted, with the reason in the gate; *msg may be half written. */
bool cairn_external_take(struct cairn_external_gate *gate, const void *data, size_t bytes, size_t bytes_there,
    int64_t now_ns, void *msg, int64_t *t_ns);

#endif
