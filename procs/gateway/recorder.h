/* recorder.h - writes exchanges to a file of JSON lines in a folder, never more than a quota for the whole
 * folder. */
#ifndef CAIRN_PROCS_GATEWAY_RECORDER_H
#define CAIRN_PROCS_GATEWAY_RECORDER_H

#include "common/vlm/exchange.h"

struct recorder;

/* Makes the folder if it is missing, and a new file "exchanges-DATE-PID.jsonl" in it that only its owner may
 * read. */
struct recorder *recorder_new(const char *folder, double quota_bytes, struct cairn_error *err);
void recorder_destroy(struct recorder **recorder_p);
/* Beyond the quota nothing is written any more; that is logged once. */
void recorder_add(struct recorder *recorder, const struct cairn_exchange *exchange);
/* The same for a line of another kind (common/vlm/recording.h). */
void recorder_line(struct recorder *recorder, const struct cairn_text *line);
const char *recorder_path(const struct recorder *recorder);

#endif
