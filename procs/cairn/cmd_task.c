/* cmd_task.c - `cairn task` gives the robot a task in words; `cairn agent` tells how far its agent is: plan, step, cost, answer. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "common/agent/agent.h"
#include "common/base/geom.h"
#include "procs/cairn/commands.h"
#include "procs/cairn/topic_reader.h"

#define HEAR_NS (3 * CAIRN_NS_PER_S)    /* the agent is told of twice a second */
#define SILENT_NS (20 * CAIRN_NS_PER_S) /* nobody tells of the agent any more */

static bool is_over(const struct cairn_msg_agent *a)
{
	return a->state == CAIRN_AGENT_STATE_DONE || a->state == CAIRN_AGENT_STATE_HANDOFF ||
	       a->state == CAIRN_AGENT_STATE_FAILED;
}

static void print_cost(const struct cairn_msg_agent *a)
{
	char clock[32];
	cli_clock_text(a->elapsed_s, clock, sizeof(clock));
	printf("cost      %u queries (%u answered without asking again), %" PRIu64 " + %" PRIu64
	       " tokens, %.4f USD, %u steps, %s\n",
	    a->queries, a->repeated, a->tokens_in, a->tokens_out, a->usd, a->steps, clock);
}

static void print_answer(struct cairn_msg_agent *a)
{
	if (!is_over(a))
		return;
	printf("%-9s %s\n", a->state == CAIRN_AGENT_STATE_DONE ? "answer" : "no answer",
	    cli_printable(a->answer));
	if (a->evidence[0] != '\0')
		printf("evidence  %s (%.0f %% sure, by its own word)\n", cli_printable(a->evidence),
		    100.0 * a->confidence);
	if (a->limit != CAIRN_AGENT_LIMIT_NONE)
		printf("limit     %s\n", cairn_enum_text(&cairn_enum_agent_limit, (int)a->limit));
}

/* What the model was shown of the map, where the robot is this machine. */
static void print_map(const struct cli *cli)
{
	char path[400];
	snprintf(path, sizeof(path), "%s/state/" CAIRN_AGENT_MAP_NAME, cli->run_dir);
	if (access(path, R_OK) == 0)
		printf("map       %s\n", path);
}

static void print_agent(struct cairn_msg_agent *a)
{
	if (a->task_id == 0) {
		printf("no task yet; give it one: cairn task \"where is the sofa?\"\n");
		return;
	}
	printf("task %-4" PRIu64 " %s\nstate     %s%s%s\n", a->task_id, cli_printable(a->task),
	    cairn_enum_text(&cairn_enum_agent_state, (int)a->state), a->step[0] != '\0' ? ": " : "",
	    cli_printable(a->step));
	print_answer(a);
	print_cost(a);
	for (uint32_t i = 0; i < a->plan_count; i++)
		printf("%-9s %s\n", i == 0 ? "plan" : "", cli_printable(a->plan[i].text));
	if (a->revisions > 0)
		printf("          revised %u times\n", a->revisions);
}

int cli_agent(const struct cli *cli)
{
	static struct topic_reader r;
	struct cairn_header hdr;
	static char text[8192];
	int status = topic_reader_open(cli, cairn_topics[CAIRN_TOPIC_AGENT].name, &r);
	if (status != CLI_OK)
		return status;
	cli_catch_signals();
	int got = topic_reader_next(&r, cli_now_ns() + HEAR_NS, &hdr);
	if (got == -EACCES)
		status = topic_reader_refused(cli);
	else if (got != 1)
		status = cli_fail(
		    cli, CLI_ABSENT, "no agent is heard: start the stack with --set agent.enabled=true");
	else if (!cli->json) {
		print_agent(r.msg);
		print_map(cli);
	} else if (cairn_msg_to_json(&cairn_desc_agent, NULL, r.msg, text, sizeof(text)) > 0)
		printf("%s\n", text);
	topic_reader_close(&r);
	return status;
}

/* Until the task that has just been given is over: it is the one whose number is higher than before. */
static int follow(const struct cli *cli, struct topic_reader *r, uint64_t before)
{
	struct cairn_header hdr;
	struct cairn_msg_agent *a = r->msg;
	char told[sizeof(a->step)] = "";
	while (!cli_interrupted()) {
		int got = topic_reader_next(r, cli_now_ns() + SILENT_NS, &hdr);
		if (got == -EACCES)
			return topic_reader_refused(cli);
		if (got != 1)
			break;
		if (a->task_id <= before)
			continue;
		if (is_over(a)) {
			print_answer(a);
			print_cost(a);
			return a->state == CAIRN_AGENT_STATE_DONE ? CLI_OK : CLI_FAILED;
		}
		if (!cli->json && strcmp(told, a->step) != 0)
			fprintf(stderr, "%s\n", cli_printable(a->step));
		memcpy(told, a->step, sizeof(told));
	}
	return cli_interrupted()
		   ? cli_fail(cli, CLI_FAILED, "not waited for; the agent goes on")
		   : cli_fail(cli, CLI_ABSENT, "the agent is not heard any more: the end is not known");
}

int cli_task(const struct cli *cli)
{
	static struct topic_reader r;
	struct cairn_header hdr;
	bool wait = cli_value(cli, "wait") != NULL;
	int status = cli_check_verb(cli);
	if (status != CLI_OK || !wait)
		return status != CLI_OK ? status : cli_ask_verb(cli);
	status = topic_reader_open(cli, cairn_topics[CAIRN_TOPIC_AGENT].name, &r);
	if (status != CLI_OK)
		return status;
	cli_catch_signals();
	int got = topic_reader_next(&r, cli_now_ns() + HEAR_NS, &hdr);
	uint64_t before = got == 1 ? ((struct cairn_msg_agent *)r.msg)->task_id : 0;
	if (got == -EACCES)
		status = topic_reader_refused(cli);
	else
		status = cli_ask_verb(cli);
	if (status == CLI_OK)
		status = follow(cli, &r, before);
	topic_reader_close(&r);
	return status;
}
