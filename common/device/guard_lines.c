#include "common/device/guard_lines.h"

#include <math.h>

bool cairn_guard_lines_parse(struct cairn_gpio_lines *lines, const char *text, struct cairn_error *err)
{
	static const char *const words[CAIRN_GUARD_KINDS + 1] = {"bumper", "bumper_rear", "cliff"};
	return cairn_gpio_lines_parse(lines, text, words, err);
}

bool cairn_guard_lines_have(const struct cairn_gpio_lines *lines, enum cairn_guard_kind kind)
{
	for (uint32_t i = 0; i < lines->count; i++)
		if (lines->kind[i] == (int)kind)
			return true;
	return false;
}

struct cairn_msg_guard cairn_guard_lines_message(const struct cairn_gpio_lines *lines, const bool level[])
{
	bool acts[CAIRN_GUARD_KINDS] = {false};
	for (uint32_t i = 0; i < lines->count; i++)
		acts[lines->kind[i]] |= level[i] != lines->low[i];
	double floor_m = acts[CAIRN_GUARD_CLIFF] ? INFINITY : 0.0;
	return (struct cairn_msg_guard){.bumper = acts[CAIRN_GUARD_BUMPER],
	    .bumper_rear = acts[CAIRN_GUARD_BUMPER_REAR],
	    .floor_m = cairn_guard_lines_have(lines, CAIRN_GUARD_CLIFF) ? floor_m : -1.0};
}
