/* commands.h - the table of ipc/commands.def as rows, and who may give which command. Pure. */
#ifndef CAIRN_IPC_COMMANDS_H
#define CAIRN_IPC_COMMANDS_H

#include "ipc/topics.h"

enum cairn_command_args {
	CAIRN_ARGS_NONE,
	CAIRN_ARGS_EXPLORE,
	CAIRN_ARGS_PLACE,
	CAIRN_ARGS_STAGE,
	CAIRN_ARGS_TEXT
};

enum cairn_command {
#define COMMAND(id, service, verb, right, args, usage, help) CAIRN_COMMAND_##id,
#include "ipc/commands.def"
	CAIRN_COMMAND_COUNT
};

struct cairn_command_row {
	enum cairn_service service;
	const char *verb;
	enum cairn_right
	    right; /* that an operator from another machine needs; CAIRN_RIGHT_ANY: one of them, no matter which */
	enum cairn_command_args args;
	const char *usage, *help;
};

extern const struct cairn_command_row cairn_commands[CAIRN_COMMAND_COUNT];

/* The row of a verb of a service, or NULL: no such command. */
const struct cairn_command_row *cairn_command_find(enum cairn_service service, const char *verb);

/* What a command is called at the command line, where the verbs of all services stand side by side: the motor stage's
 * "stop" is `estop` there. Names from outside will do: what is in no table keeps its verb. */
const char *cairn_command_name(const char *service, const char *verb);

/* A set of rights: bit CAIRN_RIGHT_BIT(r) for each. Zero: nothing is allowed. */
#define CAIRN_RIGHT_BIT(right) (1u << (right))

/* "watch,drive" as a set. False with the reason in err when a word is no right or none is given. */
bool cairn_rights_parse(const char *text, unsigned *ret_rights, struct cairn_error *err);
/* The set as "watch,drive"; "none" when empty. Returns buf. */
const char *cairn_rights_text(unsigned rights, char *buf, size_t bytes);
/* May somebody with these rights do what needs this one? */
bool cairn_rights_allow(unsigned rights, enum cairn_right needed);

#endif
