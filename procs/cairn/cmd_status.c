/* cmd_status.c - one look at the whole stack. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

#include "common/base/geom.h"
#include "procs/cairn/commands.h"
#include "procs/cairn/narrow.h"
#include "procs/cli/rundir.h"

#define WAIT_NS (1500 * CAIRN_NS_PER_MS)
#define THERE_NS (4000 * CAIRN_NS_PER_MS) /* connecting, and the slowest topic's second */
#define SLOW_S 3.0                        /* an answer that takes longer, or is awaited for longer */
#define JSON_BYTES (64 * 1024)

static const enum cairn_topic wanted[] = {CAIRN_TOPIC_STAGES, CAIRN_TOPIC_MISSION, CAIRN_TOPIC_TIER,
    CAIRN_TOPIC_POSE, CAIRN_TOPIC_MOTION, CAIRN_TOPIC_BATTERY, CAIRN_TOPIC_VLM_STATS, CAIRN_TOPIC_HEALTH,
    CAIRN_TOPIC_FRONTIERS, CAIRN_TOPIC_SIGNAL};
enum { STAGES, MISSION, TIER, POSE, MOTION, BATTERY, VLM, HEALTH, FRONTIERS, SIGNAL, WANTED };

struct picture {
	bool have[WANTED];
	struct cairn_msg_stages stages;
	struct cairn_msg_mission mission;
	struct cairn_msg_tier tier;
	struct cairn_msg_pose pose;
	struct cairn_msg_motion motion;
	struct cairn_msg_battery battery;
	struct cairn_msg_vlm_stats vlm;
	struct cairn_msg_health health;
	struct cairn_msg_frontiers frontiers;
	struct cairn_msg_signal signal;
};

static void place_of(struct picture *p, void *places[WANTED])
{
	void *all[WANTED] = {&p->stages, &p->mission, &p->tier, &p->pose, &p->motion, &p->battery, &p->vlm,
	    &p->health, &p->frontiers, &p->signal};
	memcpy(places, all, sizeof(all));
}

/* Listens until each topic was heard or the time is up. Topics that nobody has bound are not waited for. */
static bool look(const char *run_dir, struct picture *p, struct cairn_error *err)
{
	struct cairn_bus *bus = cairn_bus_new(run_dir, err);
	struct cairn_sub *subs[WANTED] = {NULL};
	zmq_pollitem_t items[WANTED];
	void *places[WANTED];
	place_of(p, places);
	bool ok = bus != NULL;
	int open = 0, heard = 0;
	for (int i = 0; ok && i < WANTED; i++) {
		subs[i] = cairn_sub_new(bus, wanted[i], NULL, err);
		ok = subs[i] != NULL;
		open += ok && cli_bus_bound(run_dir, cairn_topics[wanted[i]].name);
		items[i] =
		    (zmq_pollitem_t){.socket = ok ? cairn_sub_socket(subs[i]) : NULL, .events = ZMQ_POLLIN};
	}
	int64_t end_ns = cli_now_ns() + WAIT_NS;
	while (ok && heard < open && !cli_interrupted()) {
		int64_t left_ns = end_ns - cli_now_ns();
		if (left_ns <= 0 || zmq_poll(items, WANTED, (long)(left_ns / CAIRN_NS_PER_MS) + 1) < 0)
			break;
		for (int i = 0; i < WANTED; i++) {
			if (!p->have[i] && cairn_sub_recv(subs[i], places[i], NULL) == 1) {
				p->have[i] = true;
				heard++;
				items[i].events = 0;
			}
		}
	}
	cairn_bus_destroy(&bus);
	return ok;
}

/* The stage runs, whose topic is not there on every robot. */
static bool has_signals(const struct picture *p)
{
	for (uint32_t i = 0; p->have[STAGES] && i < p->stages.items_count; i++)
		if (strcmp(p->stages.items[i].name, cairn_topics[CAIRN_TOPIC_SIGNAL].stage) == 0)
			return true;
	return false;
}

/* The same of a robot elsewhere. */
static bool look_there(
    const struct cli *cli, struct cairn_remote *remote, struct picture *p, struct cairn_error *err)
{
	void *places[WANTED];
	char name[CAIRN_KEY_TEXT];
	const void *bytes = NULL;
	int heard = 0, r = 0;
	place_of(p, places);
	for (int i = 0; i < WANTED; i++) {
		if (!cairn_remote_watch(remote, cairn_topics[wanted[i]].name, err))
			return false;
	}
	int64_t end_ns = cli_now_ns() + THERE_NS;
	while ((heard < SIGNAL || (has_signals(p) && !p->have[SIGNAL])) && !cli_interrupted() &&
	       cli_now_ns() < end_ns) {
		int64_t left_ns = end_ns - cli_now_ns();
		r = cairn_remote_recv(remote, name, &bytes, (int)(left_ns / CAIRN_NS_PER_MS) + 1);
		if (r <= 0)
			break;
		for (int i = 0; i < WANTED; i++) {
			struct cairn_header hdr;
			if (p->have[i] || strcmp(cairn_topics[wanted[i]].name, name) != 0)
				continue;
			p->have[i] = cairn_msg_decode(cairn_topics[wanted[i]].desc, bytes, (size_t)r, &hdr,
					 places[i], err) == 0;
			heard += p->have[i] && i < SIGNAL;
		}
	}
	if (heard > 0)
		return true;
	cairn_error_set(err, "%s: %s", cli->connect,
	    r < 0 ? "the robot refuses the key: it is not on its list, or may not watch"
		  : "the robot does not answer, or has another key than the file says");
	return false;
}

/* With the words of an operator, who has stopped it, which its reason does not have. */
static char *motor_note(struct picture *p)
{
	static char none[] = "";
	for (uint32_t i = 0; p->have[STAGES] && i < p->stages.items_count; i++)
		if (strcmp(p->stages.items[i].name, "motor") == 0)
			return p->stages.items[i].note;
	return none;
}

static void print_robot(struct picture *p)
{
	if (p->have[MISSION]) {
		struct cairn_msg_mission *m = &p->mission;
		char elapsed[32], limit[32] = "";
		cli_clock_text(m->elapsed_s, elapsed, sizeof(elapsed));
		if (m->limit_s > 0.0)
			cli_clock_text(m->limit_s, limit, sizeof(limit));
		printf("mission   %s, %s%s%s%s%s\n",
		    cairn_enum_text(&cairn_enum_mission_state, (int)m->state), elapsed,
		    limit[0] != '\0' ? " of " : "", limit, m->reason[0] != '\0' ? ": " : "",
		    cli_printable(m->reason));
		if (m->goal[0] != '\0')
			printf("goal      %s%s%s\n", cli_printable(m->goal),
			    m->goal_place[0] != '\0' ? ": known as " : "", cli_printable(m->goal_place));
		if (m->help[0] != '\0')
			printf("HELP      %s (cairn resume, once it can go on)\n", cli_printable(m->help));
		printf("doing     %s\n", m->activity[0] != '\0' ? cli_printable(m->activity) : "nothing");
		printf("decisions %llu executed, %llu refused, %llu overridden\n",
		    (unsigned long long)m->decisions, (unsigned long long)m->refused,
		    (unsigned long long)m->overrides);
	}
	if (p->have[FRONTIERS])
		narrow_print(&p->frontiers, "narrow    ", stdout);
	if (p->have[POSE]) {
		double deg = cairn_compass_deg(p->pose.yaw_rad);
		printf("pose      x %.2f m, y %.2f m, heading %s %d°, tracking %s (%.2f), %.1f m driven\n",
		    p->pose.x_m, p->pose.y_m, cairn_compass_point(deg),
		    cairn_compass_whole_deg(p->pose.yaw_rad),
		    cairn_enum_text(&cairn_enum_tracking, (int)p->pose.tracking), p->pose.quality,
		    p->pose.distance_m);
	}
	if (p->have[MOTION] && p->motion.state == CAIRN_MOTOR_STATE_ESTOP && motor_note(p)[0] != '\0')
		printf("wheels    %s\n", cli_printable(motor_note(p)));
	else if (p->have[MOTION])
		printf("wheels    %s, %.2f m/s%s%s\n",
		    cairn_enum_text(&cairn_enum_motor_state, (int)p->motion.state), p->motion.v_mps,
		    p->motion.reason[0] != '\0' ? ": " : "", cli_printable(p->motion.reason));
	if (p->have[SIGNAL])
		printf("signal    %s%s%s\n", cairn_enum_text(&cairn_enum_signal, (int)p->signal.signal),
		    p->signal.reason[0] != '\0' ? ": " : "", cli_printable(p->signal.reason));
	if (p->have[BATTERY])
		printf("battery   %.1f V", p->battery.voltage_v);
	if (p->have[BATTERY] && p->battery.percent >= 0.0)
		printf(", %.0f %%", p->battery.percent);
	if (p->have[BATTERY])
		printf("\n");
}

/* Who else decides: by rule where nothing is new, the strong model, the one on the robot. */
static void print_others(struct cairn_msg_vlm_stats *v)
{
	if (v->novelty >= 0.0 || v->rule_decisions > 0)
		printf("          novelty %.2f; %llu decisions by rule, without a call\n", v->novelty,
		    (unsigned long long)v->rule_decisions);
	if (v->strong_provider[0] != '\0')
		printf("          hard decisions: %s, %llu calls, $%.4f\n", cli_printable(v->strong_provider),
		    (unsigned long long)v->strong_calls, v->strong_usd);
	if (v->local_provider[0] != '\0')
		printf("          without the network: %s%s, %llu calls\n", cli_printable(v->local_provider),
		    v->local_decides ? " (decides now)" : "", (unsigned long long)v->local_calls);
}

static void print_model(struct picture *p)
{
	if (p->have[VLM]) {
		struct cairn_msg_vlm_stats *v = &p->vlm;
		printf("model     %s %s, network %s, %llu calls, %llu failed, %.2f s each, $%.4f\n",
		    cli_printable(v->provider), cli_printable(v->model),
		    cairn_enum_text(&cairn_enum_net_tier, (int)v->net_tier), (unsigned long long)v->calls,
		    (unsigned long long)v->failures, v->latency_mean_s, v->cost_usd);
		printf("          $%.4f in the last hour, $%.4f in the last day\n", v->usd_hour, v->usd_day);
		if (v->in_flight && fmax(v->waiting_s, v->latency_mean_s) > SLOW_S)
			printf("          waits for a slow model: %.0f s so far, %.1f s an answer of late\n",
			    v->waiting_s, v->latency_mean_s);
		if (v->fallback_calls > 0)
			printf("          %llu calls to a fallback, %llu changes of provider\n",
			    (unsigned long long)v->fallback_calls, (unsigned long long)v->switches);
		print_others(v);
		if (v->last_error[0] != '\0')
			printf("          last failure: %s\n", cli_printable(v->last_error));
	}
	if (p->have[TIER] && p->tier.tier != CAIRN_TIER_NORMAL)
		printf("tier      %s: %s\n", cairn_enum_text(&cairn_enum_tier, (int)p->tier.tier),
		    cli_printable(p->tier.reason));
	if (p->have[HEALTH])
		printf("health    %s%s\n", p->health.ok ? "ok" : cli_printable(p->health.problem),
		    p->health.data_plane_ok ? "" : ", data plane down");
}

static void print_commands(struct picture *p)
{
	for (uint32_t i = 0; i < p->stages.commanded_count; i++) {
		struct cairn_msg_commanded *c = &p->stages.commanded[i];
		char name[sizeof(c->verb)];
		snprintf(name, sizeof(name), "%s", cairn_command_name(c->service, c->verb));
		printf("%-9s %s%s%s%s (%s)\n", i == 0 ? "command" : "", c->ok ? "" : "REFUSED ",
		    cli_printable(name), c->arg[0] != '\0' ? " " : "", cli_printable(c->arg),
		    cli_printable(c->who));
	}
}

static void print_stages(struct picture *p)
{
	printf("\n%-14s %-9s %7s %8s %10s %8s %6s %8s %9s %9s %8s %6s  %s\n", "STAGE", "STATE", "PID",
	    "RESTARTS", "UP", "BEAT", "CPU", "RSS", "TURN", "LATE", "OVERRUNS", "LOST", "NOTE");
	for (uint32_t i = 0; i < p->stages.items_count; i++) {
		struct cairn_msg_stage *s = &p->stages.items[i];
		char up[32], beat[32] = "-", turn[32] = "-", late[32] = "-", overruns[32] = "-",
			     lost[32] = "-";
		cli_clock_text(s->uptime_s, up, sizeof(up));
		if (s->heartbeat_age_s >= 0.0) { /* the others have no such loop */
			snprintf(beat, sizeof(beat), "%.1f s", s->heartbeat_age_s);
			snprintf(turn, sizeof(turn), "%.1f ms", s->turn_ms);
			snprintf(late, sizeof(late), "%.1f ms", s->late_p99_ms);
			snprintf(overruns, sizeof(overruns), "%llu", (unsigned long long)s->overruns);
			snprintf(lost, sizeof(lost), "%llu", (unsigned long long)s->frames_lost);
		}
		char without[96] = "";
		if (s->state == CAIRN_STAGE_STATE_FAILED && (int)s->without < cairn_enum_without.count)
			snprintf(without, sizeof(without), "; without it the robot %s",
			    cairn_enum_without.values[s->without].doc);
		printf("%-14s %-9s %7d %8u %10s %8s %6.2f %5.1f MB %9s %9s %8s %6s  %s%s\n",
		    cli_printable(s->name), cairn_enum_text(&cairn_enum_stage_state, (int)s->state), s->pid,
		    s->restarts, up, beat, s->cpu_cores, s->rss_mb, turn, late, overruns, lost,
		    cli_printable(s->note), without);
	}
}

static void print_text(const struct cli *cli, struct picture *p)
{
	const char *where = cli->connect != NULL ? cli->connect : cli->run_dir;
	if (p->have[STAGES]) {
		char up[32];
		cli_clock_text(p->stages.uptime_s, up, sizeof(up));
		printf("stack     %s, up %s, %.2f cores, %.0f MB, %u restarts, %u data plane resets\n", where,
		    up, p->stages.cpu_cores_mean, p->stages.rss_mb, p->stages.restarts,
		    p->stages.plane_resets);
	} else {
		printf("stack     %s\n", where);
	}
	print_robot(p);
	print_model(p);
	print_commands(p);
	bool first = true;
	for (int i = 0; i < WANTED; i++) {
		if (!p->have[i] && (i < SIGNAL || has_signals(p))) {
			printf("%s%s", first ? "silent    " : ", ", cairn_topics[wanted[i]].name);
			first = false;
		}
	}
	if (!first)
		putchar('\n');
	if (p->have[STAGES])
		print_stages(p);
}

static bool print_json(const struct cli *cli, struct picture *p, bool well)
{
	char *buf = malloc(JSON_BYTES);
	void *places[WANTED];
	place_of(p, places);
	if (buf == NULL)
		return false;
	printf("{\"run\":");
	cli_print_json_string(stdout, cli->connect != NULL ? cli->connect : cli->run_dir);
	printf(",\"well\":%s", well ? "true" : "false");
	for (int i = 0; i < WANTED; i++) {
		const struct cairn_topic_row *row = &cairn_topics[wanted[i]];
		bool fits = p->have[i] && cairn_msg_to_json(row->desc, NULL, places[i], buf, JSON_BYTES) > 0;
		printf(",\"%s\":%s", row->name, fits ? buf : "null");
	}
	printf("}\n");
	free(buf);
	return true;
}

static int see(const struct cli *cli, struct picture *p)
{
	struct cairn_error err = {""};
	int status = CLI_OK;
	if (cli->connect != NULL) {
		struct cairn_remote *remote = cli_connect(cli, &status);
		if (remote == NULL)
			return status;
		bool seen = look_there(cli, remote, p, &err);
		cairn_remote_close(&remote);
		return seen ? CLI_OK : cli_fail(cli, CLI_ABSENT, "%s", err.text);
	}
	status = cli_need_stack(cli);
	if (status == CLI_OK && !look(cli->run_dir, p, &err))
		status = cli_fail(cli, CLI_FAILED, "%s", err.text);
	return status;
}

int cli_status(const struct cli *cli)
{
	struct picture *p = calloc(1, sizeof(*p));
	if (p == NULL)
		return cli_fail(cli, CLI_FAILED, "out of memory");
	cli_catch_signals();
	int status = see(cli, p);
	if (status != CLI_OK) {
		free(p);
		return status;
	}
	bool well = p->have[STAGES] && p->have[HEALTH] && p->health.ok;
	for (uint32_t i = 0; i < p->stages.items_count; i++)
		well = well && p->stages.items[i].state == CAIRN_STAGE_STATE_UP;
	if (cli->json)
		(void)print_json(cli, p, well);
	else
		print_text(cli, p);
	free(p);
	return well ? CLI_OK : CLI_FAILED;
}
