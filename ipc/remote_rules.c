#include "ipc/remote_rules.h"

#include <stdio.h>
#include <string.h>

#define BURST_S 2.0

void cairn_remote_gate_init(
    struct cairn_remote_gate *gate, const struct cairn_allow *allow, double per_s, double pieces_per_s)
{
	memset(gate, 0, sizeof(*gate));
	gate->allow = allow;
	gate->per_s = per_s;
	gate->pieces_per_s = pieces_per_s;
}

static bool in_time(const struct cairn_msg_command *cmd, int64_t now_ns, struct cairn_error *why)
{
	if (cmd->expires_ns <= 0)
		cairn_error_set(why, "does not say until when it is meant; ask for the robot's time first");
	else if (cmd->expires_ns < now_ns)
		cairn_error_set(why, "came too late to be done");
	else if (cmd->expires_ns - now_ns > CAIRN_REMOTE_AHEAD_NS)
		cairn_error_set(why, "is meant for more than %d s: not by the robot's clock",
		    (int)(CAIRN_REMOTE_AHEAD_NS / 1000000000));
	else
		return true;
	return false;
}

enum cairn_remote_verdict cairn_remote_judge(struct cairn_remote_gate *gate, const char *public_key,
    int service, const struct cairn_msg_command *cmd, int64_t now_ns, struct cairn_error *why)
{
	const struct cairn_allow_row *row = cairn_allow_by_key(gate->allow, public_key);
	bool stop = strcmp(cmd->verb, "stop") == 0;
	if (row == NULL) {
		cairn_error_set(why, "the key is not on the list any more");
		return CAIRN_REMOTE_REFUSED;
	}
	size_t i = (size_t)(row - gate->allow->rows);
	struct cairn_token_bucket *bucket = stop ? &gate->stops[i] : &gate->others[i];
	if (!cairn_token_bucket_take(bucket, gate->per_s, BURST_S, now_ns)) {
		cairn_error_set(why, "more than %g commands a second (remote.commands_per_s)", gate->per_s);
		return CAIRN_REMOTE_FLOOD;
	}
	const struct cairn_command_row *command =
	    service >= 0 ? cairn_command_find((enum cairn_service)service, cmd->verb) : NULL;
	char rights[64];
	if (command == NULL)
		cairn_error_set(why, "there is no such command");
	else if (gate->allow->stops_only && !stop)
		cairn_error_set(
		    why, "the list of keys cannot be read (remote.allow_file): only stops are taken");
	else if (!cairn_rights_allow(row->rights, command->right))
		cairn_error_set(why, "needs the right to %s; key '%s' has: %s",
		    cairn_enum_text(&cairn_enum_right, (int)command->right), row->name,
		    cairn_rights_text(row->rights, rights, sizeof(rights)));
	else if (stop || in_time(cmd, now_ns, why))
		return CAIRN_REMOTE_PASSED;
	return CAIRN_REMOTE_REFUSED;
}

enum cairn_remote_verdict cairn_remote_judge_piece(
    struct cairn_remote_gate *gate, const char *public_key, int64_t now_ns, struct cairn_error *why)
{
	const struct cairn_allow_row *row = cairn_allow_by_key(gate->allow, public_key);
	char rights[64];
	if (row == NULL)
		cairn_error_set(why, "the key is not on the list any more");
	else if (gate->allow->stops_only)
		cairn_error_set(
		    why, "the list of keys cannot be read (remote.allow_file): only stops are taken");
	else if (!cairn_rights_allow(row->rights, CAIRN_RIGHT_WATCH))
		cairn_error_set(why, "needs the right to watch; key '%s' has: %s", row->name,
		    cairn_rights_text(row->rights, rights, sizeof(rights)));
	else
		return cairn_token_bucket_take(
			   &gate->pieces[row - gate->allow->rows], gate->pieces_per_s, BURST_S, now_ns)
			   ? CAIRN_REMOTE_PASSED
			   : CAIRN_REMOTE_WAIT;
	return CAIRN_REMOTE_REFUSED;
}
