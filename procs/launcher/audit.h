/* audit.h - who gave which command: RUN/state/commands.jsonl, and the newest few for `cairn status`.
 *
 * Every stage that takes commands tells them on "commanded" and repeats the newest once a second; what was heard
 * before is passed over. The file is one JSON object a line, {"t": unix seconds, "command": {...}}; at
 * CAIRN_AUDIT_BYTES it becomes commands.jsonl.1. */
#ifndef CAIRN_PROCS_LAUNCHER_AUDIT_H
#define CAIRN_PROCS_LAUNCHER_AUDIT_H

#include "ipc/messages.h"

#define CAIRN_AUDIT_BYTES (1u << 20)
#define CAIRN_AUDIT_STAGES 32
#define CAIRN_AUDIT_SHOWN 4

struct cairn_audit {
	char path[320];
	struct {
		uint64_t epoch, id;
	} heard[CAIRN_AUDIT_STAGES];
	struct cairn_msg_commanded newest[CAIRN_AUDIT_SHOWN]; /* newest first */
	uint32_t count;
	bool failed; /* the file could not be written; told once */
};

void cairn_audit_init(struct cairn_audit *audit, const char *run_dir);
/* A message of stage number `stage` (below CAIRN_AUDIT_STAGES), heard at unix_s. True when it was new. */
bool cairn_audit_take(struct cairn_audit *audit, int stage, const struct cairn_header *hdr,
    const struct cairn_msg_commanded *done, double unix_s);

#endif
