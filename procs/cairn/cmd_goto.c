/* cmd_goto.c - `cairn goto`: asks, and hears from mission and planner what comes of it, here or elsewhere.
 *
 * The sequencer takes any point on the map; whether a way leads there is known a moment later, when the planner has
 * searched. So the tool listens for that moment at least, and with --wait until the robot is there or has given up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

#include "common/base/geom.h"
#include "procs/cairn/commands.h"

#define VERDICT_NS (3 * CAIRN_NS_PER_S) /* for a first word of the planner */
#define SETTLED_NS                                                                                           \
	(700 *                                                                                               \
	    CAIRN_NS_PER_MS) /* by then the mission has told of the command: it is told five times a second */
#define SILENT_NS (5 * CAIRN_NS_PER_S) /* nobody tells of the mission any more */
#define POLL_MS 200

enum { MISSION, NAV, TOPICS };
static const enum cairn_topic topics[TOPICS] = {CAIRN_TOPIC_MISSION, CAIRN_TOPIC_NAV_STATUS};

/* What is heard, from the bus of this machine or of a robot elsewhere. */
struct ears {
	struct cairn_bus *bus;
	struct cairn_sub *subs[TOPICS];
	struct cairn_remote *remote;
	struct cairn_msg_mission mission;
	struct cairn_msg_nav_status nav;
};

static void close_ears(struct ears *e)
{
	cairn_bus_destroy(&e->bus);
	cairn_remote_close(&e->remote);
}

static int open_ears(const struct cli *cli, struct ears *e)
{
	struct cairn_error err = {""};
	int status = CLI_OK;
	if (cli->connect != NULL) {
		e->remote = cli_connect(cli, &status);
		for (int i = 0; e->remote != NULL && i < TOPICS; i++)
			if (!cairn_remote_watch(e->remote, cairn_topics[topics[i]].name, &err))
				status = cli_fail(cli, CLI_FAILED, "%s", err.text);
		return status;
	}
	e->bus = cairn_bus_new(cli->run_dir, &err);
	for (int i = 0; e->bus != NULL && i < TOPICS; i++)
		e->subs[i] = cairn_sub_new(e->bus, topics[i], NULL, &err);
	return e->subs[NAV] != NULL ? CLI_OK : cli_fail(cli, CLI_FAILED, "%s", err.text);
}

/* Takes what comes within POLL_MS. Bits of what was heard; -1: the robot elsewhere lets nobody listen. */
static int hear(struct ears *e)
{
	void *places[TOPICS] = {&e->mission, &e->nav};
	int heard = 0;
	if (e->remote != NULL) {
		char name[CAIRN_KEY_TEXT];
		const void *bytes;
		struct cairn_header hdr;
		int n = cairn_remote_recv(e->remote, name, &bytes, POLL_MS);
		for (int i = 0; n > 0 && i < TOPICS; i++)
			if (strcmp(name, cairn_topics[topics[i]].name) == 0 &&
			    cairn_msg_decode(
				cairn_topics[topics[i]].desc, bytes, (size_t)n, &hdr, places[i], NULL) == 0)
				heard |= 1 << i;
		return n < 0 ? -1 : heard;
	}
	zmq_pollitem_t items[TOPICS];
	for (int i = 0; i < TOPICS; i++)
		items[i] = (zmq_pollitem_t){.socket = cairn_sub_socket(e->subs[i]), .events = ZMQ_POLLIN};
	(void)zmq_poll(items, TOPICS, POLL_MS);
	for (int i = 0; i < TOPICS; i++)
		if (cairn_sub_recv(e->subs[i], places[i], NULL) == 1)
			heard |= 1 << i;
	return heard;
}

static bool no_way(const struct cairn_msg_nav_status *nav)
{
	return nav->state == CAIRN_NAV_STATE_NO_PATH || nav->state == CAIRN_NAV_STATE_GOAL_BLOCKED;
}

/* The mission has left the errand: how it ended stands in its reason. */
static int tell_end(const struct cli *cli, struct cairn_msg_mission *m)
{
	cli_printable(m->reason);
	if (strncmp(m->reason, "goto ", 5) != 0)
		return cli_fail(cli, CLI_FAILED, "the robot does something else by now: %s%s%s",
		    cairn_enum_text(&cairn_enum_mission_state, (int)m->state),
		    m->reason[0] != '\0' ? ", " : "", m->reason);
	if (strstr(m->reason, "could not be reached") != NULL)
		return cli_fail(cli, CLI_FAILED, "%s", m->reason);
	printf("%s\n", m->reason);
	return CLI_OK;
}

static int follow(const struct cli *cli, struct ears *e, bool wait)
{
	int64_t start_ns = cli_now_ns(), heard_ns = start_ns;
	bool going = false;
	while (!cli_interrupted()) {
		int heard = hear(e);
		int64_t now_ns = cli_now_ns();
		if (heard < 0)
			return cli_fail(cli, CLI_FAILED, "the end cannot be told: the key may not watch");
		if ((heard & 1 << MISSION) != 0) {
			heard_ns = now_ns;
			bool there = e->mission.state == CAIRN_MISSION_STATE_GOTO;
			bool held = e->mission.state == CAIRN_MISSION_STATE_PAUSED;
			if (!there && !held && (going || now_ns - start_ns > SETTLED_NS))
				return tell_end(cli, &e->mission);
			going |= there;
		}
		if ((heard & 1 << NAV) != 0 && going && !wait && now_ns - start_ns > SETTLED_NS) {
			if (e->nav.state == CAIRN_NAV_STATE_FOLLOWING ||
			    e->nav.state == CAIRN_NAV_STATE_REACHED)
				return CLI_OK;
			if (no_way(&e->nav))
				return cli_fail(
				    cli, CLI_FAILED, "no way leads there: %s", cli_printable(e->nav.reason));
		}
		if (!wait && now_ns - start_ns > VERDICT_NS)
			return CLI_OK;
		if (now_ns - heard_ns > SILENT_NS)
			return cli_fail(
			    cli, CLI_ABSENT, "the mission is not told any more: the end is not known");
	}
	fprintf(stderr, "cairn goto: not waited for; the robot drives on\n");
	return CLI_FAILED;
}

int cli_goto(const struct cli *cli)
{
	struct ears e = {.bus = NULL};
	bool wait = cli_value(cli, "wait") != NULL;
	int status = cli_check_verb(cli);
	if (status != CLI_OK)
		return status;
	/* Somebody who may drive and not watch, or a stack in parts, has nobody to listen to. */
	bool told =
	    cli->connect != NULL ? wait : cli_bus_bound(cli->run_dir, cairn_topics[CAIRN_TOPIC_MISSION].name);
	cli_catch_signals();
	if (told && (status = open_ears(cli, &e)) != CLI_OK) {
		close_ears(&e);
		return status;
	}
	status = cli_ask_verb(cli);
	if (status == CLI_OK && told)
		status = follow(cli, &e, wait);
	else if (status == CLI_OK && wait)
		status = cli_fail(cli, CLI_ABSENT, "nobody tells of the mission: the end is not known");
	close_ears(&e);
	return status;
}
