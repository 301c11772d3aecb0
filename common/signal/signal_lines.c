#include "common/signal/signal_lines.h"

enum kind { BUZZER, LIGHT, RED, GREEN, BLUE, KINDS };

bool cairn_signal_lines_parse(struct cairn_gpio_lines *lines, const char *text, struct cairn_error *err)
{
	static const char *const words[KINDS + 1] = {
	    "buzzer", "light", "light_red", "light_green", "light_blue"};
	return cairn_gpio_lines_parse(lines, text, words, err);
}

void cairn_signal_lines_levels(
    const struct cairn_gpio_lines *lines, struct cairn_signal_look look, bool ret_level[])
{
	const bool on[KINDS] = {[BUZZER] = look.sounds,
	    [LIGHT] = look.rgb != 0,
	    [RED] = (look.rgb & 0x800000) != 0,
	    [GREEN] = (look.rgb & 0x008000) != 0,
	    [BLUE] = (look.rgb & 0x000080) != 0};
	for (uint32_t i = 0; i < lines->count; i++)
		ret_level[i] = on[lines->kind[i]] != lines->low[i];
}
