/* fleet_sim.c - robots in lockstep (common/eval/run.h), each with the core of the stage fleet and a client of its own at one broker.
 * Motor's gate, sequencer and planner are the robot's; poses are true, the hall is known and there is no camera. */
#include "procs/lab/fleet_sim.h"

#include <jansson.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "common/base/duration.h"
#include "common/base/file.h"
#include "common/eval/run.h"
#include "common/sim/world/build.h"
#include "procs/fleet/robot_link.h"
#include "procs/lab/fleet_master.h"

#define STEPS_OF_CORE 10 /* ten times a second */
#define STEPS_OF_LINK 2
#define STEPS_OF_MASTER 2
#define RECORD_BYTES_MAX (1024 * 1024)
#define END_S 120.0 /* for what is under way when the time is over */
#define FAULT_S 4.0 /* a person presses the emergency stop, and releases it after so long */

struct robot {
	struct cairn_config cfg;
	struct cairn_run *run;
	struct cairn_fleet *fleet;
	struct robot_link link;
	char record_path[512], order[CAIRN_FLEET_ID_CAP];
	bool active;
	uint64_t begun, ended;
	int64_t t_release_ns; /* of the emergency stop; 0: it is not pressed */
	struct fleet_sim *sim;
};

struct fleet_sim {
	const struct cli *cli;
	struct cairn_config cfg;
	struct cairn_world *world;
	double for_s, rate;
	bool orders, mischief;
	FILE *log; /* every message, one a line; NULL: not wanted */
	const char *state_dir;
	int first, count; /* of the robots' numbers */
	struct robot *robots;
	struct fleet_master *master;
	struct cairn_rng rng;
	int64_t lag_ns; /* longest behind real time */
	uint64_t steps, stops;
};

/* ---- clocks ---- */

static int64_t unix_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

static double cpu_s(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (double)u.ru_utime.tv_sec + (double)u.ru_stime.tv_sec +
	       1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* ---- messages into a file ---- */

static void write_line(FILE *log, const char *topic, const char *text)
{
	fprintf(log, "{\"topic\":\"%s\",\"message\":", topic);
	json_t *j = json_loads(text, 0, NULL);
	char *line = j != NULL ? json_dumps(j, JSON_COMPACT) : NULL;
	fprintf(log, "%s}\n", line != NULL ? line : "null"); /* what is no JSON was meant to be none */
	free(line);
	json_decref(j);
}

static void robot_tap(void *ctx, const struct cairn_fleet_message *m)
{
	struct robot *r = ctx;
	write_line(r->sim->log, cairn_vda_topics[m->topic], m->json);
}

static void master_tap(void *ctx, const char *topic, const char *text)
{
	struct fleet_sim *s = ctx;
	write_line(s->log, strrchr(topic, '/') + 1, text);
}

/* ---- one robot ---- */

static void on_bus(void *ctx, enum cairn_topic topic, const void *message)
{
	struct robot *r = ctx;
	if (r->run == NULL || r->fleet == NULL)
		return;
	int64_t now_ns = cairn_run_now_ns(r->run);
	struct cairn_header hdr = {
	    .version = CAIRN_SCHEMA_VERSION, .seq = 1, .epoch = 1, .t_ns = now_ns, .valid = true};
	(void)cairn_in_deliver(cairn_fleet_in, r->fleet, topic, message, &hdr, now_ns);
}

/* A person says stop in simulated fleets only by the emergency stop, so all commands here are master control's. */
static void give_commands(struct robot *r)
{
	struct cairn_fleet_command c;
	struct cairn_msg_reply reply;
	int64_t now_ns = cairn_run_now_ns(r->run);
	robot_link_flush(&r->link);
	while (cairn_fleet_next_command(r->fleet, &c)) {
		memset(&reply, 0, sizeof(reply));
		if (c.command == CAIRN_COMMAND_MAPPER_LOCATE)
			snprintf(reply.text, sizeof(reply.text),
			    "simulated robots of a fleet always know their place");
		else
			cairn_sequencer_on_command(cairn_run_sequencer(r->run), &c.request, now_ns, &reply);
		cairn_fleet_replied(r->fleet, c.tag, reply.ok, reply.text, now_ns);
	}
	robot_link_flush(&r->link);
}

/* What the robot itself says of its orders, apart from any message. */
static void count_orders(struct robot *r)
{
	const struct cairn_fleet_order *o = cairn_fleet_order_of(r->fleet);
	bool active = cairn_fleet_order_active(o);
	if (strcmp(o->id, r->order) != 0) {
		memcpy(r->order, o->id, sizeof(r->order));
		r->begun++;
		r->active = true;
	}
	if (r->active && !active)
		r->ended++;
	r->active = active;
}

static void press_stop(struct robot *r)
{
	struct fleet_sim *s = r->sim;
	int64_t now_ns = cairn_run_now_ns(r->run);
	if (r->t_release_ns != 0 && now_ns > r->t_release_ns) {
		r->t_release_ns = 0;
		(void)cairn_motor_operator_release(cairn_run_motor(r->run), now_ns, NULL);
	} else if (s->mischief && r->t_release_ns == 0 && cairn_rng_u32(&s->rng) % 3000 == 0) {
		s->stops++;
		r->t_release_ns = now_ns + (int64_t)(FAULT_S * 1e9);
		cairn_motor_operator_stop(cairn_run_motor(r->run), "pressed in the simulation");
	}
}

static void step_robot(struct robot *r, uint64_t step)
{
	(void)cairn_run_step(r->run);
	int64_t now_ns = cairn_run_now_ns(r->run);
	if (step % STEPS_OF_LINK == 0) {
		robot_link_turn(&r->link, now_ns);
		give_commands(r);
		count_orders(r);
	}
	if (step % STEPS_OF_CORE != 0)
		return;
	press_stop(r);
	cairn_fleet_clock(r->fleet, unix_ns() - now_ns);
	cairn_fleet_step(r->fleet, now_ns);
	give_commands(r);
	count_orders(r);
}

static bool open_robot(struct fleet_sim *s, int i, struct cairn_error *err)
{
	struct robot *r = &s->robots[i];
	char *record = NULL;
	r->sim = s;
	r->cfg = s->cfg;
	r->cfg.sim.seed = s->first + i + 1;
	fleet_master_serial(s->first + i, r->cfg.fleet.serial, sizeof(r->cfg.fleet.serial));
	struct cairn_run_options options = {.cfg = &r->cfg,
	    .world = s->world,
	    .map = CAIRN_RUN_MAP_TRUE_POSES,
	    .duration_s = 1e9,
	    .known_map = true,
	    .without_depth = true,
	    .on_message = on_bus,
	    .message_ctx = r};
	r->run = cairn_run_new(&options, err);
	if (r->run == NULL)
		return false;
	if (s->state_dir != NULL) {
		snprintf(r->record_path, sizeof(r->record_path), "%.400s/%.40s.json", s->state_dir,
		    r->cfg.fleet.serial);
		record = cairn_file_read(r->record_path, CAIRN_FILE_TEXT, RECORD_BYTES_MAX, NULL, NULL);
		r->link.record_path = r->record_path;
	}
	r->fleet = r->link.fleet = cairn_fleet_new(&r->cfg, record, err);
	free(record);
	if (r->fleet == NULL)
		return false;
	memcpy(r->order, cairn_fleet_order_of(r->fleet)->id, sizeof(r->order));
	if (s->log != NULL) {
		r->link.tap = robot_tap;
		r->link.tap_ctx = r;
	}
	cairn_fleet_clock(r->fleet, unix_ns() - cairn_run_now_ns(r->run));
	return robot_link_open(&r->link, &r->cfg, r->cfg.fleet.serial, getenv("CAIRN_FLEET_PASSWORD"),
	    cairn_run_now_ns(r->run), err);
}

static void close_robot(struct robot *r)
{
	if (r->run != NULL && r->fleet != NULL)
		robot_link_close(&r->link, 50, cairn_run_now_ns(r->run));
	cairn_fleet_destroy(&r->fleet);
	cairn_run_destroy(&r->run);
}

/* ---- all ---- */

static struct cairn_world *make_hall(struct cairn_error *err)
{
	struct cairn_builder b;
	const double w = FLEET_HALL_M;
	struct cairn_vec2 c[4] = {{0, 0}, {w, 0}, {w, w}, {0, w}};
	if (!cairn_build_init(&b, "hall", err))
		return NULL;
	(void)cairn_build_thing(&b, "wall", "wall", 0, 0);
	cairn_build_outline(&b, c, 4, true, 0.0, 2.5, CAIRN_PAINT(200, 200, 200, PLASTER));
	b.world->has_start = true;
	b.world->start = (struct cairn_pose2){0.5 * w, 0.5 * w, 0.0};
	return cairn_build_finish(&b, err);
}

static bool open_all(struct fleet_sim *s, struct cairn_error *err)
{
	s->world = make_hall(err);
	s->robots = calloc((size_t)s->count, sizeof(*s->robots));
	s->master = calloc(1, sizeof(*s->master));
	if (s->world == NULL || s->robots == NULL || s->master == NULL)
		return false;
	for (int i = 0; i < s->count; i++)
		if (!open_robot(s, i, err))
			return false;
	if (!s->orders)
		return true;
	if (!fleet_master_open(s->master, &s->cfg, s->first, s->count, (uint64_t)s->cfg.sim.seed, err))
		return false;
	s->master->mischief = s->mischief;
	if (s->log != NULL) {
		s->master->tap = master_tap;
		s->master->tap_ctx = s;
	}
	return true;
}

static void close_all(struct fleet_sim *s)
{
	for (int i = 0; s->robots != NULL && i < s->count; i++)
		close_robot(&s->robots[i]);
	if (s->master != NULL && s->master->mqtt != NULL)
		fleet_master_close(s->master);
	cairn_world_destroy(&s->world);
	free(s->robots);
	free(s->master);
	if (s->log != NULL)
		fclose(s->log);
}

/* Waits until it is time for this step, and notes how far behind it is. */
static void keep_pace(struct fleet_sim *s, int64_t t0_ns)
{
	int64_t due_ns = t0_ns + (int64_t)((double)s->steps * CAIRN_RUN_STEP_NS / s->rate),
		now_ns = cli_now_ns();
	if (now_ns - due_ns > s->lag_ns)
		s->lag_ns = now_ns - due_ns;
	if (due_ns > now_ns)
		(void)poll(NULL, 0, (int)((due_ns - now_ns) / 1000000));
}

static void run_all(struct fleet_sim *s)
{
	int64_t t0_ns = cli_now_ns();
	uint64_t until = (uint64_t)(s->for_s * 1e9 / CAIRN_RUN_STEP_NS),
		 most = until + (uint64_t)(END_S * 1e9 / CAIRN_RUN_STEP_NS);
	while (!cli_interrupted() && (s->for_s <= 0.0 || s->steps < most)) {
		s->steps++;
		for (int i = 0; i < s->count; i++)
			step_robot(&s->robots[i], s->steps + (uint64_t)i); /* not all at the same moment */
		if (s->orders && s->steps % STEPS_OF_MASTER == 0)
			fleet_master_turn(s->master, cli_now_ns(), unix_ns() - cli_now_ns());
		if (s->for_s > 0.0 && s->steps >= until) {
			s->master->ending = true;
			if (!s->orders || fleet_master_open_orders(s->master) == 0)
				return;
		}
		keep_pace(s, t0_ns);
	}
}

/* ---- options and the end ---- */

static bool report(struct fleet_sim *s, double took_s, double used_s)
{
	const struct fleet_master *m = s->master;
	uint64_t begun = 0, ended = 0, contacts = 0;
	for (int i = 0; i < s->count; i++) {
		begun += s->robots[i].begun;
		ended += s->robots[i].ended;
		contacts += cairn_run_totals(s->robots[i].run).contacts;
	}
	int open = fleet_master_open_orders(m);
	/* Each order that was sent has ended once, by its robot's own count. */
	bool ok =
	    !s->orders || (open == 0 && begun == m->sent && ended == m->done + m->cancelled && m->bad == 0);
	json_t *j =
	    json_pack("{s:b, s:i, s:f, s:f, s:f, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:i, s:I, s:I, "
		      "s:I, s:I, s:I, s:f, s:f, s:f}",
		"ok", ok, "robots", s->count, "simulated_s", (double)s->steps * CAIRN_SIM_STEP_S, "took_s",
		took_s, "cpu_s", used_s, "lag_s", (double)s->lag_ns * 1e-9, "orders_sent",
		(json_int_t)m->sent, "sent_again", (json_int_t)m->again, "begun", (json_int_t)begun, "ended",
		(json_int_t)ended, "done", (json_int_t)m->done, "cancels", (json_int_t)m->cancels, "dropped",
		(json_int_t)m->cancelled, "open", open, "states", (json_int_t)m->states, "states_lost",
		(json_int_t)m->lost, "connections_broken", (json_int_t)m->breaks, "emergency_stops",
		(json_int_t)s->stops, "contacts", (json_int_t)contacts, "latency_p50_ms",
		(double)cairn_histogram_at_ns(&m->latency, 0.5) * 1e-6, "latency_p99_ms",
		(double)cairn_histogram_at_ns(&m->latency, 0.99) * 1e-6, "latency_max_ms",
		(double)m->latency.max_ns * 1e-6);
	char *text = json_dumps(j, s->cli->json ? JSON_COMPACT : JSON_INDENT(1));
	if (text != NULL)
		printf("%s\n", text);
	free(text);
	json_decref(j);
	return ok;
}

static int read_options(struct fleet_sim *s)
{
	const struct cli *cli = s->cli;
	struct cairn_error err = {""};
	const char *time = cli_value(cli, "for"), *rate = cli_value(cli, "rate"),
		   *log = cli_value(cli, "log");
	int sets;
	const char *const *set = cli_values(cli, "set", &sets);
	s->count = atoi(cli->args[0]);
	s->first = (int)cli_count_within(cli, "first", 0, 0, FLEET_NUMBERS_MAX - 1);
	s->rate = rate != NULL ? atof(rate) : 1.0;
	if (s->first < 0)
		return CLI_USAGE;
	if (s->count < 1 || s->count > FLEET_ROBOTS_MAX || !(s->rate > 0.0 && s->rate <= 1000.0))
		return cli_fail(
		    cli, CLI_USAGE, "1 to %d robots, at up to 1000 times real time", FLEET_ROBOTS_MAX);
	cairn_config_defaults(&s->cfg);
	s->cfg.mission.autostart = CAIRN_CHOICE_AUTOSTART_NEVER;
	s->cfg.fleet.map_x_m = s->cfg.fleet.map_y_m = 0.5 * FLEET_HALL_M;
	snprintf(s->cfg.fleet.broker, sizeof(s->cfg.fleet.broker), "127.0.0.1:1883");
	for (int i = 0; i < sets; i++)
		if (!cairn_config_set(&s->cfg, set[i], "--set", &err))
			return cli_fail(cli, CLI_USAGE, "%s", err.text);
	if (time != NULL && !cairn_duration_parse(time, &s->for_s, &err))
		return cli_fail(cli, CLI_USAGE, "%s", err.text);
	s->orders = cli_value(cli, "orders") != NULL;
	s->mischief = cli_value(cli, "mischief") != NULL;
	s->state_dir = cli_value(cli, "state");
	cairn_rng_seed(&s->rng, (uint64_t)s->cfg.sim.seed, 11);
	s->log = log != NULL ? fopen(log, "we") : NULL;
	if (log != NULL && s->log == NULL)
		return cli_fail(cli, CLI_FAILED, "%s cannot be written", log);
	return CLI_OK;
}

int cairn_fleet_sim(const struct cli *cli)
{
	struct fleet_sim *s = calloc(1, sizeof(*s));
	struct cairn_error err = {""};
	if (s == NULL)
		return cli_fail(cli, CLI_FAILED, "out of memory");
	s->cli = cli;
	int status = read_options(s);
	cli_catch_signals();
	if (status == CLI_OK && !open_all(s, &err))
		status = cli_fail(cli, CLI_FAILED, "%s", err.text[0] != '\0' ? err.text : "out of memory");
	if (status == CLI_OK) {
		fprintf(stderr, "%d robots at %s\n", s->count, s->cfg.fleet.broker);
		int64_t t0_ns = cli_now_ns();
		double cpu0_s = cpu_s();
		run_all(s);
		status =
		    report(s, (double)(cli_now_ns() - t0_ns) * 1e-9, cpu_s() - cpu0_s) ? CLI_OK : CLI_FAILED;
	}
	close_all(s);
	free(s);
	return status;
}
