#include "common/vlm/stats.h"

#include <inttypes.h>
#include <stdio.h>

void cairn_trigger_counts_text(const uint32_t counts[CAIRN_TRIGGER_COUNT], char *buf, size_t bytes)
{
	size_t len = 0;
	snprintf(buf, bytes, "none");
	for (int i = 0; i < CAIRN_TRIGGER_COUNT; i++) {
		if (counts[i] == 0 || len >= bytes)
			continue;
		len += (size_t)snprintf(buf + len, bytes - len, "%s%" PRIu32 " %s", len > 0 ? ", " : "",
		    counts[i], cairn_enum_text(&cairn_enum_trigger, i));
	}
}

static uint64_t added(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

void cairn_vlm_stats_line(
    const struct cairn_msg_vlm_stats *now, const struct cairn_msg_vlm_stats *before, char *buf, size_t bytes)
{
	uint32_t counts[CAIRN_TRIGGER_COUNT];
	char kinds[256];
	for (int i = 0; i < CAIRN_TRIGGER_COUNT; i++)
		counts[i] = (uint32_t)added(now->triggers[i], before->triggers[i]);
	cairn_trigger_counts_text(counts, kinds, sizeof(kinds));
	double cost_usd = now->cost_usd - before->cost_usd;
	snprintf(buf, bytes,
	    "%" PRIu64 " calls (%s), %" PRIu64 " failed, %" PRIu64 " decisions, %" PRIu64 " skipped, %" PRIu64
	    " without picture, %.2f s each, %" PRIu64 " + %" PRIu64 " tokens, %.4f USD",
	    added(now->calls, before->calls), kinds, added(now->failures, before->failures),
	    added(now->decisions, before->decisions), added(now->skips, before->skips),
	    added(now->images_left_out, before->images_left_out), now->latency_mean_s,
	    added(now->tokens_in, before->tokens_in), added(now->tokens_out, before->tokens_out),
	    cost_usd > 0.0 ? cost_usd : 0.0);
}
