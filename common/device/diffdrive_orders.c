#include "common/device/diffdrive_orders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool within(int64_t mmps)
{
	return llabs(mmps) <= CAIRN_DIFFDRIVE_WHEEL_MAX_MMPS;
}

static bool read_order(struct cairn_diffdrive_orders *o, struct cairn_diffdrive_order *ret)
{
	int64_t n[2];
	o->line[o->have] = '\0';
	const char *text = strlen(o->line) == o->have ? cairn_diffdrive_text(o->line) : NULL;
	int count = text != NULL ? cairn_diffdrive_numbers(text, n, 2) : -1;
	if (count == 2 && text[0] == 'V' && text[1] == ',' && within(n[0]) && within(n[1]))
		*ret = (struct cairn_diffdrive_order){
		    CAIRN_DIFFDRIVE_SPEED, 1e-3 * (double)n[0], 1e-3 * (double)n[1]};
	else if (count == 0 && strcmp(text, "S") == 0)
		*ret = (struct cairn_diffdrive_order){.kind = CAIRN_DIFFDRIVE_STAND};
	else if (count == 0 && strcmp(text, "Q") == 0)
		*ret = (struct cairn_diffdrive_order){.kind = CAIRN_DIFFDRIVE_WHO};
	else
		return false;
	return true;
}

size_t cairn_diffdrive_orders_feed(struct cairn_diffdrive_orders *o, const uint8_t *data, size_t len,
    struct cairn_diffdrive_order *ret, bool *ret_some)
{
	*ret_some = false;
	for (size_t i = 0; i < len; i++) {
		char c = (char)data[i];
		if (c == '$') {
			o->refused += o->in_line; /* the one before has no end */
			o->in_line = true;
			o->have = 0;
		}
		if (!o->in_line)
			continue;
		if (c == '\n' || c == '\r') {
			o->in_line = false;
			*ret_some = read_order(o, ret);
			o->taken += *ret_some;
			o->refused += !*ret_some;
			if (*ret_some)
				return i + 1;
		} else if (o->have + 1 == sizeof(o->line)) {
			o->in_line = false; /* no line is so long */
			o->refused++;
		} else {
			o->line[o->have++] = c;
		}
	}
	return len;
}

size_t cairn_diffdrive_identity(char out[CAIRN_DIFFDRIVE_LINE_MAX], bool gyro)
{
	char text[16];
	snprintf(text, sizeof(text), "I,%d,%d", CAIRN_DIFFDRIVE_VERSION, gyro);
	return cairn_diffdrive_line(out, text);
}
