/* stats.h - the regular word about calls and their cost, for the log. */
#ifndef CAIRN_COMMON_VLM_STATS_H
#define CAIRN_COMMON_VLM_STATS_H

#include <stddef.h>

#include "ipc/messages.h"

#define CAIRN_VLM_STATS_LINE 512

/* What was added between two reports of the same run, in one line, such as
 * "12 calls (2 goal, 10 result), 1 failed, 11 decisions, 3 skipped, 4 without picture, 0.41 s each, 15000 +
 * 600 tokens, 0.0021 USD". Counters that fell (the ledger is another one's) count as nothing added. */
void cairn_vlm_stats_line(
    const struct cairn_msg_vlm_stats *now, const struct cairn_msg_vlm_stats *before, char *buf, size_t bytes);

/* "2 goal, 10 result" of counts in the order of enum trigger; "none" when all are 0. */
void cairn_trigger_counts_text(const uint32_t counts[CAIRN_TRIGGER_COUNT], char *buf, size_t bytes);

#endif
