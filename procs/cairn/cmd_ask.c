/* cmd_ask.c - requests with an acknowledgement: operator verbs, emergency stop, restart, down. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/duration.h"
#include "ipc/lockfile.h"
#include "procs/cairn/commands.h"
#include "procs/cli/rundir.h"

#define ANSWER_MS 2000
#define NETWORK_MS 1000 /* more, for the way there */
#define UP_WAIT_MS 20
#define UP_TRIES 250
#define SAID_MAX 200
#define STOP_ANSWER_MS 500 /* a person who says stop does not wait for a stage that is away */

static bool parse_coordinate(const char *text, double *ret)
{
	char *end = NULL;
	*ret = strtod(text, &end);
	return end != text && *end == '\0' && isfinite(*ret);
}

/* A number first, and not two of them: a slip of the hand rather than the name of a place. */
static bool looks_like_numbers(const struct cli *cli)
{
	char *end = NULL;
	(void)strtod(cli->args[0], &end);
	return end != cli->args[0] && *end == '\0';
}

static void join_arguments(const struct cli *cli, struct cairn_msg_command *cmd)
{
	size_t n = 0;
	for (int i = 0; i < cli->arg_count && n < sizeof(cmd->arg); i++)
		n += (size_t)snprintf(
		    cmd->arg + n, sizeof(cmd->arg) - n, "%s%s", i > 0 ? " " : "", cli->args[i]);
}

/* The request of a verb from what was given on the command line; CLI_OK, or CLI_USAGE with a message. */
static int fill_command(
    const struct cli *cli, const struct cairn_command_row *verb, struct cairn_msg_command *cmd)
{
	struct cairn_error err = {""};
	const char *limit = cli_value(cli, "for");
	*cmd = (struct cairn_msg_command){.limit_s = 0.0};
	/* user and process stand in front of it, as the kernel tells them to the stage */
	snprintf(cmd->who, sizeof(cmd->who), "cairn %s", cli->command->name);
	snprintf(cmd->verb, sizeof(cmd->verb), "%s", verb->verb);
	switch (verb->args) {
	case CAIRN_ARGS_NONE:
		break;
	case CAIRN_ARGS_EXPLORE:
		if (limit != NULL && !cairn_duration_parse(limit, &cmd->limit_s, &err))
			return cli_fail(cli, CLI_USAGE, "--for: %s", err.text);
		if (cli_value(cli, "goal") != NULL)
			snprintf(cmd->arg, sizeof(cmd->arg), "%s", cli_value(cli, "goal"));
		break;
	case CAIRN_ARGS_PLACE:
		if (cli->arg_count == 2 && parse_coordinate(cli->args[0], &cmd->x_m) &&
		    parse_coordinate(cli->args[1], &cmd->y_m))
			break;
		if (looks_like_numbers(cli))
			return cli_fail(cli, CLI_USAGE,
			    "X and Y are plain numbers, in metres of the map frame; anything else is a name");
		join_arguments(cli, cmd);
		break;
	case CAIRN_ARGS_STAGE:
	case CAIRN_ARGS_TEXT:
		join_arguments(cli, cmd);
		break;
	}
	return CLI_OK;
}

/* Sends it and takes the answer, whatever that is. */
static int request(const struct cli *cli, const struct cairn_command_row *verb, int timeout_ms,
    const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	struct cairn_error err = {""};
	int status, r;
	if (cli->connect != NULL) {
		struct cairn_remote *remote = cli_connect(cli, &status);
		if (remote == NULL)
			return status;
		r = cairn_remote_ask(remote, verb->service, cmd, reply, timeout_ms + NETWORK_MS, &err);
		cairn_remote_close(&remote);
		if (r == -ETIMEDOUT)
			return cli_fail(cli, CLI_ABSENT, "%s: %s", cli->connect, err.text);
	} else {
		r = cairn_ask(cli->run_dir, verb->service, cmd, reply, timeout_ms, &err);
	}
	if (r == -ETIMEDOUT) {
		status = cli_need_stack(cli);
		return status != CLI_OK ? status : cli_stage_silent(cli, cairn_services[verb->service].stage);
	}
	if (r != 0)
		return cli_fail(cli, CLI_FAILED, "%s", err.text[0] != '\0' ? err.text : strerror(-r));
	cli_printable(reply->text);
	return CLI_OK;
}

/* A name that the sequencer does not know may stand in the scene graph, which it does not read: then the robot is sent to
 * that point. What is said of it goes to *ret_said, and the answer to *reply. */
static int ask_by_scene(const struct cli *cli, const struct cairn_command_row *verb, int timeout_ms,
    struct cairn_msg_command *cmd, struct cairn_msg_reply *reply, char ret_said[SAID_MAX])
{
	struct cairn_vec2 at;
	ret_said[0] = '\0';
	if (verb->args != CAIRN_ARGS_PLACE || cmd->arg[0] == '\0' || cli->connect != NULL ||
	    !cli_scene_find(cli, cmd->arg, &at, ret_said, SAID_MAX))
		return CLI_OK;
	cmd->arg[0] = '\0';
	cmd->x_m = at.x_m;
	cmd->y_m = at.y_m;
	return request(cli, verb, timeout_ms, cmd, reply);
}

static int ask(const struct cli *cli, const struct cairn_command_row *verb, int timeout_ms)
{
	struct cairn_msg_command cmd;
	struct cairn_msg_reply reply = {0};
	char said[SAID_MAX] = "";
	int status = fill_command(cli, verb, &cmd);
	if (status == CLI_OK)
		status = request(cli, verb, timeout_ms, &cmd, &reply);
	if (status == CLI_OK && !reply.ok)
		status = ask_by_scene(cli, verb, timeout_ms, &cmd, &reply, said);
	if (status != CLI_OK)
		return status;
	if (!reply.ok && said[0] == '\0' && cmd.arg[0] != '\0' && verb->args == CAIRN_ARGS_PLACE &&
	    cli->connect == NULL)
		snprintf(
		    said, sizeof(said), "'cairn scene' lists the rooms and things that it goes to as well");
	const char *between = said[0] != '\0' ? "; " : "";
	if (cli->json && reply.data[0] != '\0') {
		printf("%s\n", cli_printable(reply.data));
		return reply.ok ? CLI_OK : CLI_FAILED;
	}
	if (!reply.ok) /* who asks what is known gets no for an answer, and is not refused */
		return cli_fail(cli, CLI_FAILED, "%s%s%s%s",
		    verb->service == CAIRN_SERVICE_SCENE ? "" : "refused: ", reply.text, between, said);
	printf("%s%s%s\n", reply.text[0] != '\0' ? reply.text : "done", between, said);
	return CLI_OK;
}

int cli_check_verb(const struct cli *cli)
{
	struct cairn_msg_command cmd;
	return fill_command(cli, cli->command->verb, &cmd);
}

int cli_ask_verb(const struct cli *cli)
{
	const struct cairn_command_row *verb = cli->command->verb;
	int status = cli_check_verb(cli); /* a wrong request is wrong whether a stack runs or not */
	if (status != CLI_OK)
		return status;
	/* A stop is asked for wherever it can be: who answers it is looked at then. */
	if (cli->connect == NULL && strcmp(verb->verb, "stop") != 0) {
		status = cli_trust_run_dir(cli);
		if (status != CLI_OK)
			return status;
	}
	if (cli->connect == NULL && !cli_bus_bound(cli->run_dir, cairn_services[verb->service].name) &&
	    cli_need_stack(cli) != CLI_OK)
		return CLI_ABSENT;
	return ask(cli, verb, ANSWER_MS);
}

int cli_stop(const struct cli *cli)
{
	const struct cairn_command_row *last_resort = &cairn_commands[CAIRN_COMMAND_MOTOR_STOP];
	if (cli->connect == NULL && !cli_bus_bound(cli->run_dir, cairn_services[last_resort->service].name) &&
	    cli_need_stack(cli) != CLI_OK)
		return CLI_ABSENT;
	int status = ask(cli, cli->command->verb, STOP_ANSWER_MS);
	if (status == CLI_OK)
		return status;
	fprintf(stderr,
	    "cairn stop: asking the motor stage for an emergency stop instead ('cairn release' ends it)\n");
	return ask(cli, last_resort, STOP_ANSWER_MS);
}

/* `cairn up` still writes its summary; afterwards the run directory is free for the next. */
static void wait_for_up(const char *run_dir)
{
	char path[CLI_RUN_DIR_MAX + 16];
	snprintf(path, sizeof(path), "%s/up.lock", run_dir);
	for (int i = 0; i < UP_TRIES && cairn_lockfile_held(path); i++)
		(void)poll(NULL, 0, UP_WAIT_MS);
}

int cli_down(const struct cli *cli)
{
	double timeout_s = 30.0;
	struct cairn_error err = {""};
	const char *text = cli_value(cli, "timeout");
	if (text != NULL && !cairn_duration_parse(text, &timeout_s, &err))
		return cli_fail(cli, CLI_USAGE, "--timeout: %s", err.text);
	if (cli->connect != NULL) /* its end cannot be seen from here */
		return ask(cli, &cairn_commands[CAIRN_COMMAND_DOWN], ANSWER_MS);
	int status = cli_trust_run_dir(cli);
	if (status != CLI_OK)
		return status;
	pid_t pid = cairn_pid_of(cli->run_dir, "launcher.pid");
	int watch = pid != 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	if (watch < 0)
		return cli_fail(cli, CLI_ABSENT, "nothing is running in %s", cli->run_dir);
	status = ask(cli, &cairn_commands[CAIRN_COMMAND_DOWN], ANSWER_MS);
	if (status == CLI_OK) {
		struct pollfd item = {.fd = watch, .events = POLLIN};
		if (poll(&item, 1, (int)fmin(timeout_s * 1e3, 1e9)) <= 0)
			status = cli_fail(cli, CLI_ABSENT, "the launcher (pid %d) has not ended within %g s",
			    (int)pid, timeout_s);
		else
			wait_for_up(cli->run_dir);
	}
	close(watch);
	return status;
}
