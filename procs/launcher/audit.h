/* audit.h - who gave which command: RUN/state/commands.jsonl and refused.jsonl, and the newest few for `cairn status`.
 *
 * Every stage that takes commands tells them on "commanded" and repeats the newest once a second; what was heard
 * before is passed over. The files are one JSON object a line, {"t": unix seconds, "command": {...}}, with "left_out" before
 * "command" when lines were left out in front of it. A full file becomes FILE.1.
 *
 * What was done stands in a file of its own, so that nobody pushes it out by asking for what he may not do:
 *
 *   class    what                       file            limit of the file    lines
 *   done     accepted, but for below    commands.jsonl  CAIRN_AUDIT_BYTES    all
 *   stops    accepted stops             commands.jsonl                       20 at once, then one every 10 s
 *   rest     refused, and pings         refused.jsonl   a quarter of that    20 at once, then one a second
 *
 * Every key may stop, and refusals cost nothing, so these two are limited. The commands themselves never are, here. */
#ifndef CAIRN_PROCS_LAUNCHER_AUDIT_H
#define CAIRN_PROCS_LAUNCHER_AUDIT_H

#include "ipc/messages.h"

#define CAIRN_AUDIT_BYTES (1u << 20)
#define CAIRN_AUDIT_REFUSED_BYTES (CAIRN_AUDIT_BYTES / 4)
#define CAIRN_AUDIT_STAGES 48
#define CAIRN_AUDIT_SHOWN 4
#define CAIRN_AUDIT_BURST 20
#define CAIRN_AUDIT_STOPS_PER_S 0.1
#define CAIRN_AUDIT_REFUSED_PER_S 1.0

enum cairn_audit_class { CAIRN_AUDIT_DONE, CAIRN_AUDIT_STOPS, CAIRN_AUDIT_REST, CAIRN_AUDIT_CLASSES };

struct cairn_audit {
	char path[320], refused_path[320];
	struct {
		uint64_t epoch, id;
	} heard[CAIRN_AUDIT_STAGES];
	struct {
		double tokens, t_s;
		uint64_t left_out;
	} measures[CAIRN_AUDIT_CLASSES];
	struct cairn_msg_commanded done[CAIRN_AUDIT_SHOWN],
	    rest; /* newest first; newest of what was not done */
	uint64_t done_at[CAIRN_AUDIT_SHOWN], rest_at,
	    taken; /* their places in the order of all; rest_at 0 = none */
	uint32_t done_count;
	struct cairn_msg_commanded newest[CAIRN_AUDIT_SHOWN]; /* newest first, one refusal at most */
	uint32_t count;
	bool failed; /* the file could not be written; told once */
};

void cairn_audit_init(struct cairn_audit *audit, const char *run_dir);
enum cairn_audit_class cairn_audit_class_of(const struct cairn_msg_commanded *done);
/* A message of stage number `stage` (below CAIRN_AUDIT_STAGES), heard at unix_s. True when it was new. */
bool cairn_audit_take(struct cairn_audit *audit, int stage, const struct cairn_header *hdr,
    const struct cairn_msg_commanded *done, double unix_s);

#endif
