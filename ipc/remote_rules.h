/* remote_rules.h - may an operator on another machine give this command now? Pure: list, command and time in, verdict out.
 *
 * In this order: the key (never its name) is still on the list; the list can be read, or it is a stop; not more commands than remote.commands_per_s (bursts of twice a
 * second's worth; stops have a measure of their own, so that a flood of others cannot use it up); the command exists;
 * the key has the right for it; it says until when it is meant, on the robot's own clock, not more than
 * CAIRN_REMOTE_AHEAD_NS from now, and that has not passed. A stop need not say so and is never too late. */
#ifndef CAIRN_IPC_REMOTE_RULES_H
#define CAIRN_IPC_REMOTE_RULES_H

#include "common/base/token_bucket.h"
#include "ipc/keyring.h"

#define CAIRN_REMOTE_AHEAD_NS INT64_C(10000000000)

struct cairn_remote_gate {
	const struct cairn_allow *allow; /* borrowed */
	double per_s;
	struct cairn_token_bucket others[CAIRN_ALLOW_MAX], stops[CAIRN_ALLOW_MAX]; /* by row of the list */
	double pieces_per_s;                                                       /* of files */
	struct cairn_token_bucket pieces[CAIRN_ALLOW_MAX];
};

enum cairn_remote_verdict {
	CAIRN_REMOTE_REFUSED, /* why says the reason */
	CAIRN_REMOTE_FLOOD,   /* as well, but is not worth a line of its own */
	CAIRN_REMOTE_WAIT,    /* a piece of a file, asked for too soon: nothing wrong with asking again */
	CAIRN_REMOTE_PASSED
};

/* Also after the list has changed: its rows mean other keys then. */
void cairn_remote_gate_init(
    struct cairn_remote_gate *gate, const struct cairn_allow *allow, double per_s, double pieces_per_s);

/* public_key: that the connection was let in with. service: -1 = none of that name. */
enum cairn_remote_verdict cairn_remote_judge(struct cairn_remote_gate *gate, const char *public_key,
    int service, const struct cairn_msg_command *cmd, int64_t now_ns, struct cairn_error *why);

/* May this key have a piece of a file of remote_files.h now? It needs the right to watch. */
enum cairn_remote_verdict cairn_remote_judge_piece(
    struct cairn_remote_gate *gate, const char *public_key, int64_t now_ns, struct cairn_error *why);

#endif
