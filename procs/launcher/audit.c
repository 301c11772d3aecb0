#include "procs/launcher/audit.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/file.h"
#include "common/base/log.h"

#define LINE_BYTES 8192 /* every byte of every text escaped */

void cairn_audit_init(struct cairn_audit *audit, const char *run_dir)
{
	memset(audit, 0, sizeof(*audit));
	snprintf(audit->path, sizeof(audit->path), "%.280s/state/commands.jsonl", run_dir);
	snprintf(audit->refused_path, sizeof(audit->refused_path), "%.280s/state/refused.jsonl", run_dir);
	for (int i = 0; i < CAIRN_AUDIT_CLASSES; i++)
		audit->measures[i].tokens = CAIRN_AUDIT_BURST;
}

enum cairn_audit_class cairn_audit_class_of(const struct cairn_msg_commanded *done)
{
	if (!done->ok || strcmp(done->verb, "ping") == 0)
		return CAIRN_AUDIT_REST;
	return strcmp(done->verb, "stop") == 0 ? CAIRN_AUDIT_STOPS : CAIRN_AUDIT_DONE;
}

/* True when this line is to be written; else it is counted. A clock that is set back gives nothing. */
static bool within(struct cairn_audit *audit, enum cairn_audit_class class, double unix_s)
{
	static const double per_s[] = {
	    [CAIRN_AUDIT_STOPS] = CAIRN_AUDIT_STOPS_PER_S, [CAIRN_AUDIT_REST] = CAIRN_AUDIT_REFUSED_PER_S};
	if (class == CAIRN_AUDIT_DONE)
		return true;
	double passed_s = unix_s - audit->measures[class].t_s, *tokens = &audit->measures[class].tokens;
	if (passed_s > 0.0 && audit->measures[class].t_s != 0.0)
		*tokens = fmin(CAIRN_AUDIT_BURST, *tokens + passed_s * per_s[class]);
	audit->measures[class].t_s = unix_s;
	if (*tokens < 1.0) {
		audit->measures[class].left_out++;
		return false;
	}
	*tokens -= 1.0;
	return true;
}

static void keep(struct cairn_audit *audit, const struct cairn_msg_commanded *done, double unix_s)
{
	enum cairn_audit_class class = cairn_audit_class_of(done);
	const char *path = class == CAIRN_AUDIT_REST ? audit->refused_path : audit->path;
	char line[LINE_BYTES];
	if (!within(audit, class, unix_s))
		return;
	uint64_t *left_out = &audit->measures[class].left_out;
	int n = snprintf(line, sizeof(line), "{\"t\":%.3f,", unix_s);
	if (*left_out > 0)
		n += snprintf(line + n, sizeof(line) - (size_t)n, "\"left_out\":%" PRIu64 ",", *left_out);
	n += snprintf(line + n, sizeof(line) - (size_t)n, "\"command\":");
	int m = cairn_msg_to_json(&cairn_desc_commanded, NULL, done, line + n, sizeof(line) - (size_t)n - 2);
	if (m < 0)
		return;
	n += m;
	line[n++] = '}';
	line[n++] = '\n';
	bool ok = cairn_file_append(path, 0600, line, (size_t)n,
	    class == CAIRN_AUDIT_REST ? CAIRN_AUDIT_REFUSED_BYTES : CAIRN_AUDIT_BYTES, NULL);
	if (ok)
		*left_out = 0;
	else if (!audit->failed)
		cairn_log_warn("%s: %s; commands are in the stages' logs only", path, strerror(errno));
	audit->failed = !ok;
}

/* The newest few, of which one was not done at most: a flood of refusals hides nothing. */
static void show(struct cairn_audit *audit)
{
	bool rest = audit->rest_at != 0;
	audit->count = 0;
	for (uint32_t i = 0; i < audit->done_count && audit->count < CAIRN_AUDIT_SHOWN; i++) {
		if (rest && audit->rest_at > audit->done_at[i]) {
			audit->newest[audit->count++] = audit->rest;
			rest = false;
		}
		if (audit->count < CAIRN_AUDIT_SHOWN)
			audit->newest[audit->count++] = audit->done[i];
	}
	if (rest && audit->count < CAIRN_AUDIT_SHOWN)
		audit->newest[audit->count++] = audit->rest;
}

bool cairn_audit_take(struct cairn_audit *audit, int stage, const struct cairn_header *hdr,
    const struct cairn_msg_commanded *done, double unix_s)
{
	if (stage < 0 || stage >= CAIRN_AUDIT_STAGES ||
	    (audit->heard[stage].epoch == hdr->epoch && done->id <= audit->heard[stage].id))
		return false;
	audit->heard[stage].epoch = hdr->epoch;
	audit->heard[stage].id = done->id;
	keep(audit, done, unix_s);
	audit->taken++;
	if (cairn_audit_class_of(done) == CAIRN_AUDIT_REST) {
		audit->rest = *done;
		audit->rest_at = audit->taken;
	} else {
		size_t others = CAIRN_AUDIT_SHOWN - 1;
		memmove(&audit->done[1], &audit->done[0], others * sizeof(audit->done[0]));
		memmove(&audit->done_at[1], &audit->done_at[0], others * sizeof(audit->done_at[0]));
		audit->done[0] = *done;
		audit->done_at[0] = audit->taken;
		audit->done_count += audit->done_count < CAIRN_AUDIT_SHOWN;
	}
	show(audit);
	return true;
}
