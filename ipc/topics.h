/* topics.h - the table of ipc/topics.def as enums and rows. */
#ifndef CAIRN_IPC_TOPICS_H
#define CAIRN_IPC_TOPICS_H

#include "ipc/messages.h"

enum cairn_topic {
#define TOPIC(id, wire, msg, stage, rate, age, mode, doc) CAIRN_TOPIC_##id,
#include "ipc/topics.def"
	CAIRN_TOPIC_COUNT
};

enum cairn_frame_topic {
#define FRAME(id, wire, stage, rate, age, doc) CAIRN_FRAME_##id,
#include "ipc/topics.def"
	CAIRN_FRAME_COUNT
};

enum cairn_service {
#define SERVICE(id, wire, stage, doc) CAIRN_SERVICE_##id,
#include "ipc/topics.def"
	CAIRN_SERVICE_COUNT
};

enum cairn_topic_mode { CAIRN_MODE_LATEST, CAIRN_MODE_EVERY };

struct cairn_topic_row {
	const char *name; /* on the wire */
	const struct cairn_msg_desc *desc;
	const char *stage; /* its one publisher; "*" = one endpoint a stage, "+" = one a declared topic */
	double rate_hz;
	int max_age_ms;
	enum cairn_topic_mode mode;
	const char *doc;
};

struct cairn_frame_row {
	const char *name;
	const char *stage;
	double rate_hz;
	int max_age_ms;
	const char *doc;
};

struct cairn_service_row {
	const char *name;
	const char *stage;
	const char *doc;
};

extern const struct cairn_topic_row cairn_topics[CAIRN_TOPIC_COUNT];
extern const struct cairn_frame_row cairn_frame_topics[CAIRN_FRAME_COUNT];
extern const struct cairn_service_row cairn_services[CAIRN_SERVICE_COUNT];

/* True for a topic that has more than one endpoint: "*" and "+". */
bool cairn_topic_has_instances(const struct cairn_topic_row *row);
/* True for "+": what programs outside publish. */
bool cairn_topic_is_declared(const struct cairn_topic_row *row);

/* Index of a wire name, or -1. */
int cairn_topic_find(const char *name);
int cairn_frame_topic_find(const char *name);
/* The same for the name of an endpoint: "pose", or "heartbeat.motor" with *ret_instance "motor" in it. -1 also for
 * "heartbeat" alone. */
int cairn_topic_of(const char *name, const char **ret_instance);

/* Stamps of other processes may be this far ahead: they read the clock a little later than we do. Farther is the future, and
 * one such stamp would shut out all that follow. */
#define CAIRN_STAMP_AHEAD_NS 50000000

/* True for a stamp that a living process can have set: neither 0 nor in the future. */
bool cairn_stamp_plausible(int64_t t_ns, int64_t now_ns);

/* True when a message stamped t_ns may still be acted on at now_ns: not in the future, not older than the topic's
 * max_age_ms. */
bool cairn_topic_fresh(enum cairn_topic topic, int64_t t_ns, int64_t now_ns);

#endif
