#include "ipc/commands.h"

#include <stdio.h>
#include <string.h>

const struct cairn_command_row cairn_commands[CAIRN_COMMAND_COUNT] = {
#define COMMAND(id, service, verb, right, args, usage, help)                                                 \
	[CAIRN_COMMAND_##id] = {                                                                             \
	    CAIRN_SERVICE_##service, verb, CAIRN_RIGHT_##right, CAIRN_ARGS_##args, usage, help},
#include "ipc/commands.def"
};

const struct cairn_command_row *cairn_command_find(enum cairn_service service, const char *verb)
{
	for (int i = 0; i < CAIRN_COMMAND_COUNT; i++) {
		if (cairn_commands[i].service == service && strcmp(cairn_commands[i].verb, verb) == 0)
			return &cairn_commands[i];
	}
	return NULL;
}

const char *cairn_command_name(const char *service, const char *verb)
{
	const struct cairn_command_row *stop = &cairn_commands[CAIRN_COMMAND_MOTOR_STOP];
	bool is_stop =
	    strcmp(service, cairn_services[stop->service].name) == 0 && strcmp(verb, stop->verb) == 0;
	return is_stop ? "estop" : verb;
}

bool cairn_rights_parse(const char *text, unsigned *ret_rights, struct cairn_error *err)
{
	unsigned rights = 0;
	for (const char *p = text; *p != '\0';) {
		size_t n = strcspn(p, ",");
		int right = CAIRN_RIGHT_ANY;
		for (int i = CAIRN_RIGHT_ANY + 1; i < CAIRN_RIGHT_COUNT; i++) {
			const char *name = cairn_enum_text(&cairn_enum_right, i);
			if (strlen(name) == n && memcmp(name, p, n) == 0)
				right = i;
		}
		if (right == CAIRN_RIGHT_ANY) {
			cairn_error_set(
			    err, "'%.*s' is no right: watch, drive or configure", (int)(n < 40 ? n : 40), p);
			return false;
		}
		rights |= CAIRN_RIGHT_BIT(right);
		p += n + (p[n] == ',');
	}
	if (rights == 0) {
		cairn_error_set(err, "no right is given: watch, drive or configure, comma-separated");
		return false;
	}
	*ret_rights = rights;
	return true;
}

const char *cairn_rights_text(unsigned rights, char *buf, size_t bytes)
{
	size_t n = 0;
	snprintf(buf, bytes, "none");
	for (int i = CAIRN_RIGHT_ANY + 1; i < CAIRN_RIGHT_COUNT && n < bytes; i++) {
		if ((rights & CAIRN_RIGHT_BIT(i)) != 0)
			n += (size_t)snprintf(buf + n, bytes - n, "%s%s", n > 0 ? "," : "",
			    cairn_enum_text(&cairn_enum_right, i));
	}
	return buf;
}

bool cairn_rights_allow(unsigned rights, enum cairn_right needed)
{
	return needed == CAIRN_RIGHT_ANY ? rights != 0 : (rights & CAIRN_RIGHT_BIT(needed)) != 0;
}
