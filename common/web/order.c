#include "common/web/order.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/duration.h"
#include "common/base/text.h"

const struct cairn_command_row *cairn_web_order_find(const char *name)
{
	for (int i = 0; i < CAIRN_COMMAND_COUNT; i++) {
		const struct cairn_command_row *row = &cairn_commands[i];
		if (strcmp(row->verb, "ping") != 0 &&
		    strcmp(cairn_command_name(cairn_services[row->service].name, row->verb), name) == 0)
			return row;
	}
	return NULL;
}

/* Without white space at both ends; false when it does not fit. */
static bool trim(const char *text, size_t n, char *buf, size_t bytes)
{
	while (n > 0 && strchr(" \t", text[0]) != NULL) {
		text++;
		n--;
	}
	while (n > 0 && strchr(" \t", text[n - 1]) != NULL)
		n--;
	if (n >= bytes)
		return false;
	memcpy(buf, text, n);
	buf[n] = '\0';
	return true;
}

/* The value that stands behind an option: a word, or all up to the next option when it is in words. */
static size_t value_bytes(const char *p, bool words)
{
	if (!words)
		return strcspn(p, " \t");
	const char *next = strstr(p, " --for");
	return next != NULL ? (size_t)(next - p) : strlen(p);
}

static bool take_explore(const char *args, struct cairn_msg_command *cmd, struct cairn_error *err)
{
	for (const char *p = args;;) {
		p += strspn(p, " \t");
		if (*p == '\0')
			return true;
		bool goal = strncmp(p, "--goal", 6) == 0 && (p[6] == ' ' || p[6] == '=');
		bool limit = strncmp(p, "--for", 5) == 0 && (p[5] == ' ' || p[5] == '=');
		if (!goal && !limit)
			return false;
		p += goal ? 7 : 6;
		p += strspn(p, " \t");
		size_t n = value_bytes(p, goal);
		char value[sizeof(cmd->arg) + 2];
		if (!trim(p, n, value, sizeof(value)))
			return false;
		p += n;
		if (limit && !cairn_duration_parse(value, &cmd->limit_s, err))
			return false;
		size_t len = strlen(value);
		bool quoted = len >= 2 && (value[0] == '"' || value[0] == '\'') && value[len - 1] == value[0];
		if (goal && !trim(value + quoted, len - 2 * quoted, cmd->arg, sizeof(cmd->arg)))
			return false;
	}
}

static bool is_number(const char *text, double *ret)
{
	char *end = NULL;
	*ret = strtod(text, &end);
	return end != text && *end == '\0' && isfinite(*ret);
}

/* "X Y", or a name. A single number is a slip of the hand rather than a name. */
static bool take_place(const char *args, struct cairn_msg_command *cmd)
{
	char first[40] = "", second[40] = "", more[2] = "";
	double x_m, y_m;
	int n = sscanf(args, "%39s %39s %1s", first, second, more);
	if (n == 2 && is_number(first, &x_m) && is_number(second, &y_m)) {
		cmd->x_m = x_m;
		cmd->y_m = y_m;
		cmd->arg[0] = '\0';
		return true;
	}
	return n >= 1 && !is_number(first, &x_m);
}

bool cairn_web_order_parse(const struct cairn_command_row *row, const char *args,
    struct cairn_msg_command *ret, struct cairn_error *err)
{
	struct cairn_msg_command cmd = {.limit_s = 0.0};
	struct cairn_error why = {""};
	bool ok = trim(args, strlen(args), cmd.arg, sizeof(cmd.arg));
	cairn_text_plain(cmd.arg);
	snprintf(cmd.verb, sizeof(cmd.verb), "%s", row->verb);
	switch (row->args) {
	case CAIRN_ARGS_NONE:
		ok = ok && cmd.arg[0] == '\0';
		break;
	case CAIRN_ARGS_EXPLORE: {
		char copy[sizeof(cmd.arg)];
		memcpy(copy, cmd.arg, sizeof(copy));
		cmd.arg[0] = '\0';
		ok = ok && take_explore(copy, &cmd, &why);
		break;
	}
	case CAIRN_ARGS_PLACE: {
		char copy[sizeof(cmd.arg)];
		memcpy(copy, cmd.arg, sizeof(copy));
		ok = ok && take_place(copy, &cmd);
		break;
	}
	case CAIRN_ARGS_STAGE:
		ok = ok && cmd.arg[0] != '\0';
		break;
	case CAIRN_ARGS_TEXT:
		break;
	}
	if (!ok) {
		cairn_error_set(
		    err, "usage: %.120s%s%.100s", row->usage, why.text[0] != '\0' ? "; " : "", why.text);
		return false;
	}
	*ret = cmd;
	return true;
}
