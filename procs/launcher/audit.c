#include "procs/launcher/audit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/log.h"

#define LINE_BYTES 8192 /* every byte of every text escaped */

void cairn_audit_init(struct cairn_audit *audit, const char *run_dir)
{
	memset(audit, 0, sizeof(*audit));
	snprintf(audit->path, sizeof(audit->path), "%.280s/state/commands.jsonl", run_dir);
}

static bool append(const char *path, const char *line, size_t len)
{
	char old[330];
	struct stat st;
	if (stat(path, &st) == 0 && st.st_size + (off_t)len > (off_t)CAIRN_AUDIT_BYTES) {
		snprintf(old, sizeof(old), "%s.1", path);
		(void)rename(path, old);
	}
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
	bool ok = fd >= 0 && write(fd, line, len) == (ssize_t)len;
	if (fd >= 0)
		close(fd);
	return ok;
}

static void keep(struct cairn_audit *audit, const struct cairn_msg_commanded *done, double unix_s)
{
	char line[LINE_BYTES];
	int n = snprintf(line, sizeof(line), "{\"t\":%.3f,\"command\":", unix_s);
	int m = cairn_msg_to_json(&cairn_desc_commanded, NULL, done, line + n, sizeof(line) - (size_t)n - 2);
	if (m < 0)
		return;
	n += m;
	line[n++] = '}';
	line[n++] = '\n';
	bool ok = append(audit->path, line, (size_t)n);
	if (!ok && !audit->failed)
		cairn_log_warn("%s: %s; commands are in the stages' logs only", audit->path, strerror(errno));
	audit->failed = !ok;
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
	memmove(&audit->newest[1], &audit->newest[0], sizeof(audit->newest) - sizeof(audit->newest[0]));
	audit->newest[0] = *done;
	if (audit->count < CAIRN_AUDIT_SHOWN)
		audit->count++;
	return true;
}
