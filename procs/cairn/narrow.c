#include "procs/cairn/narrow.h"

#include "common/map/narrow_gap.h"

void narrow_print(const struct cairn_msg_frontiers *frontiers, const char *lead, FILE *out)
{
	for (uint32_t i = 0; i < frontiers->items_count; i++) {
		char text[96];
		if (!cairn_narrow_gap_first(frontiers->items, i))
			continue;
		cairn_narrow_gap_text(&frontiers->items[i], frontiers->needs_m, text, sizeof(text));
		fprintf(out, "%sfrontier %u: %s\n", lead, frontiers->items[i].id, text);
	}
}

uint32_t narrow_count(const struct cairn_msg_frontiers *frontiers)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < frontiers->items_count; i++)
		count += cairn_narrow_gap_first(frontiers->items, i);
	return count;
}
