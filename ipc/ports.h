/* ports.h - what goes into the core of a stage and what comes out of it, as tables over the topics.
 *
 * The rows of a core stand beside it (common/plan/planner_ports.c, say). The shell of a process runs them over the bus
 * (procs/shell/stage.h), the lockstep runner of the evaluations from core to core (common/eval/run.c): both judge
 * headers and repeat messages by the same rules. No sockets and no clock here. */
#ifndef CAIRN_IPC_PORTS_H
#define CAIRN_IPC_PORTS_H

#include "ipc/topics.h"

/* Which messages are handed to the core. What a sender calls invalid is passed over, as that is its honest word;
 * what is not fit for it otherwise is counted as a reject. */
enum cairn_accept {
	CAIRN_ACCEPT_PLAUSIBLE, /* valid, with a stamp that is neither 0 nor in the future */
	CAIRN_ACCEPT_ORDERED,   /* plausible, and behind all that waits for the rows above in the table */
	CAIRN_ACCEPT_FRESH,     /* plausible, and not older than the topic's max_age_ms */
	CAIRN_ACCEPT_ALL,       /* as they come: the core judges the header itself */
};

/* Gives a message to the core. True: the stage acts at once instead of at its next step. */
typedef bool cairn_take_fn(void *core, const void *message, const struct cairn_header *hdr, int64_t now_ns);

struct cairn_in {
	enum cairn_topic topic;
	enum cairn_accept accept;
	cairn_take_fn *take; /* NULL: end of the table */
};

struct cairn_out {
	enum cairn_topic topic; /* CAIRN_TOPIC_COUNT: end of the table */
	int repeat_ms;          /* for those who come late; 0: sent only when it is new */
};

/* A function of the core as a row's take: message m and header hdr of the core. */
#define CAIRN_TAKE(name, core_type, msg, call)                                                               \
	static bool name(void *core_, const void *message_, const struct cairn_header *hdr, int64_t now_ns)  \
	{                                                                                                    \
		struct core_type *core = core_;                                                              \
		const struct cairn_msg_##msg *m = message_;                                                  \
		(void)hdr, (void)now_ns, (void)m;                                                            \
		(void)(call);                                                                                \
		return false;                                                                                \
	}

enum cairn_judgement {
	CAIRN_JUDGED_FIT,
	CAIRN_JUDGED_UNSURE, /* invalid by the sender's word */
	CAIRN_JUDGED_UNFIT,  /* to be counted */
};

enum cairn_judgement cairn_in_judge(
    const struct cairn_in *row, const struct cairn_header *hdr, int64_t now_ns);

/* Hands a message to the rows of its topic, of all in the table that accept it. True when one of them wants to act at once. */
bool cairn_in_deliver(const struct cairn_in *rows, void *core, enum cairn_topic topic, const void *message,
    const struct cairn_header *hdr, int64_t now_ns);

/* Decides when a message is sent: at once when it is new, and again each repeat_ms. */
typedef void cairn_send_fn(void *ctx, enum cairn_topic topic, const void *message, int64_t t_ns);

struct cairn_outbox {
	const struct cairn_out *rows;
	cairn_send_fn *send;
	void *ctx;
	int64_t due_ns[CAIRN_TOPIC_COUNT];
};

/* True when a message of this topic, which must be in the table, would be sent now; for those that are costly to make. */
bool cairn_outbox_due(const struct cairn_outbox *box, enum cairn_topic topic, bool is_new, int64_t now_ns);
/* Sends it if it is due, stamped now_ns. */
void cairn_outbox_put(
    struct cairn_outbox *box, enum cairn_topic topic, const void *message, bool is_new, int64_t now_ns);

#endif
