/* eval_soak.c - a stack that drives for half an hour or longer: does anything grow, does anything slow down?
 *
 * The robot explores a house and then patrols it (workload.h). Memory and descriptors of every process are
 * sampled, and the rates at which the stages of the control loop speak. Pass marks, last window against the
 * first one after the warm-up (soak_meter.h): resident memory of each process and of all together at most 1 %
 * more, no more descriptors, no stage replaced, no contact, each rate at least 97 % of what it was, and
 * nothing left behind. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "procs/lab/bench.h"
#include "procs/cli/cli.h"
#include "procs/lab/stack_fixture.h"
#include "procs/lab/workload.h"
#include "procs/cli/rundir.h"
#include "procs/lab/soak_meter.h"
#include "procs/launcher/procstat.h"

#define UP_TIMEOUT_S 60.0
#define END_TIMEOUT_S 60.0
#define DEFAULT_S 1800.0
#define SAMPLE_NS INT64_C(2000000000)
#define TELL_NS INT64_C(60000000000)
#define RATE_SHARE_MIN 0.97

/* What the control loop and the deliberation live from. */
static const enum cairn_topic paced[] = {CAIRN_TOPIC_SCAN, CAIRN_TOPIC_ODOM, CAIRN_TOPIC_POSE,
    CAIRN_TOPIC_CMD_VEL, CAIRN_TOPIC_MOTION, CAIRN_TOPIC_PERCEPT, CAIRN_TOPIC_FRONTIERS};
#define PACED_COUNT (sizeof(paced) / sizeof(paced[0]))

struct pace {
	struct cairn_sub *sub;
	uint64_t seq_begin[SOAK_WINDOWS], seq_end[SOAK_WINDOWS];
	int64_t t_begin_ns[SOAK_WINDOWS], t_end_ns[SOAK_WINDOWS];
};

struct soak {
	struct drill *drill;
	struct cairn_bus *bus;
	struct soak_meter meter;
	struct patrol patrol;
	struct pace paces[PACED_COUNT];
	int64_t begin_ns, end_ns, sample_due_ns, tell_due_ns;
	union cairn_soak_in {
		struct cairn_msg_scan scan;
		struct cairn_msg_odom odom;
		struct cairn_msg_pose pose;
		struct cairn_msg_cmd_vel cmd_vel;
		struct cairn_msg_motion motion;
		struct cairn_msg_percept percept;
		struct cairn_msg_frontiers frontiers;
	} in;
};

static void sample_process(struct soak *s, const char *name, int pid, double t_s)
{
	struct cairn_procstat ps;
	if (pid <= 0 || !cairn_procstat_read(pid, &ps))
		return;
	struct soak_sample sample = {ps.rss_mb, ps.cpu_s, cairn_procstat_fds(pid)};
	soak_meter_sample(&s->meter, name, pid, t_s, &sample);
}

static void sample_all(struct soak *s, double t_s)
{
	const struct cairn_msg_stages *stages = &fixture_run(s->drill)->stages;
	for (uint32_t i = 0; i < stages->items_count; i++)
		sample_process(s, stages->items[i].name, stages->items[i].pid, t_s);
	sample_process(s, "cairn up", fixture_up_pid(s->drill), t_s);
}

static void take_paces(struct soak *s)
{
	struct cairn_header hdr;
	for (size_t i = 0; i < PACED_COUNT; i++) {
		struct pace *p = &s->paces[i];
		while (cairn_sub_recv(p->sub, &s->in, &hdr) == 1) {
			for (int w = 0; w < SOAK_WINDOWS; w++) {
				double t_s = (double)(hdr.t_ns - s->begin_ns) * 1e-9;
				if (!soak_meter_within(&s->meter, (enum soak_window)w, t_s))
					continue;
				if (p->t_begin_ns[w] == 0) {
					p->t_begin_ns[w] = hdr.t_ns;
					p->seq_begin[w] = hdr.seq;
				}
				p->t_end_ns[w] = hdr.t_ns;
				p->seq_end[w] = hdr.seq;
			}
		}
	}
}

static double rate_hz(const struct pace *p, int w)
{
	double span_s = (double)(p->t_end_ns[w] - p->t_begin_ns[w]) * 1e-9;
	return span_s > 0.0 ? (double)(p->seq_end[w] - p->seq_begin[w]) / span_s : 0.0;
}

static void tell(const struct soak *s, double t_s)
{
	const struct up_run *run = fixture_run(s->drill);
	fprintf(stderr, "%7.0f s  %.1f MB, %u restarts, %u contacts, %.1f m driven, %u orders\n", t_s,
	    run->stages.rss_mb, run->stages.restarts, run->truth.contacts, run->truth.distance_m,
	    s->patrol.legs);
}

static bool tend(const struct up_run *run, void *ctx)
{
	struct soak *s = ctx;
	int64_t now_ns = cli_now_ns();
	double t_s = (double)(now_ns - s->begin_ns) * 1e-9;
	take_paces(s);
	workload_tend(&s->patrol, run, now_ns);
	if (now_ns >= s->sample_due_ns) {
		s->sample_due_ns = now_ns + SAMPLE_NS;
		sample_all(s, t_s);
	}
	if (now_ns >= s->tell_due_ns) {
		s->tell_due_ns = now_ns + TELL_NS;
		tell(s, t_s);
	}
	return now_ns >= s->end_ns;
}

static bool all_up(const struct up_run *run, void *ctx)
{
	(void)ctx;
	bool up = run->have_stages && run->have_mission && run->have_truth && run->stages.items_count > 0;
	for (uint32_t i = 0; up && i < run->stages.items_count; i++)
		up = run->stages.items[i].state == CAIRN_STAGE_STATE_UP;
	return up;
}

static bool add_processes(struct soak *s, json_t *figures)
{
	json_t *list = json_array();
	bool ok = true;
	double sum_mb[SOAK_WINDOWS] = {0.0};
	for (int i = 0; i < s->meter.count; i++) {
		const struct soak_row *row = &s->meter.rows[i];
		struct soak_verdict v = soak_meter_judge(row);
		sum_mb[SOAK_FIRST] += v.rss_mb[SOAK_FIRST];
		sum_mb[SOAK_LAST] += v.rss_mb[SOAK_LAST];
		json_array_append_new(
		    list, json_pack("{s:s,s:f,s:f,s:f,s:f,s:i,s:i,s:f,s:f,s:b}", "process", row->name,
			      "rss_first_mb", v.rss_mb[SOAK_FIRST], "rss_last_mb", v.rss_mb[SOAK_LAST],
			      "rss_growth", v.rss_growth, "rss_max_mb", row->rss_max_mb, "fds_first",
			      v.fds[SOAK_FIRST], "fds_last", v.fds[SOAK_LAST], "cpu_first_cores",
			      v.cpu_cores[SOAK_FIRST], "cpu_last_cores", v.cpu_cores[SOAK_LAST], "passed",
			      v.rss_ok && v.fds_ok));
		ok = ok && v.rss_ok && v.fds_ok;
	}
	double growth = sum_mb[SOAK_FIRST] > 0.0 ? sum_mb[SOAK_LAST] / sum_mb[SOAK_FIRST] - 1.0 : 0.0;
	json_object_set_new(figures, "rss_first_mb", json_real(sum_mb[SOAK_FIRST]));
	json_object_set_new(figures, "rss_last_mb", json_real(sum_mb[SOAK_LAST]));
	json_object_set_new(figures, "rss_growth", json_real(growth));
	json_object_set_new(figures, "processes", list);
	return ok && s->meter.count > 0 && growth <= SOAK_RSS_SHARE_MAX;
}

static bool add_rates(struct soak *s, json_t *figures)
{
	json_t *list = json_array();
	bool ok = true;
	for (size_t i = 0; i < PACED_COUNT; i++) {
		double first = rate_hz(&s->paces[i], SOAK_FIRST), last = rate_hz(&s->paces[i], SOAK_LAST);
		bool kept = first > 0.0 && last >= RATE_SHARE_MIN * first;
		json_array_append_new(
		    list, json_pack("{s:s,s:f,s:f,s:b}", "topic", cairn_topics[paced[i]].name, "first_hz",
			      first, "last_hz", last, "passed", kept));
		ok = ok && kept;
	}
	json_object_set_new(figures, "rates", list);
	return ok;
}

static bool open_soak(struct soak *s, const char *world, double total_s, struct cairn_error *err)
{
	char dir[4096], cairn[4200];
	const char *const args[] = {"--stay", "--world", world, NULL};
	if (!cairn_program_dir(dir, sizeof(dir)))
		return false;
	snprintf(cairn, sizeof(cairn), "%s/cairn", dir);
	s->drill = fixture_start(cairn, args, err);
	s->bus = s->drill != NULL ? cairn_bus_new(fixture_run_dir(s->drill), err) : NULL;
	for (size_t i = 0; i < PACED_COUNT && s->bus != NULL; i++) {
		s->paces[i].sub = cairn_sub_new(s->bus, paced[i], NULL, err);
		if (s->paces[i].sub == NULL)
			return false;
	}
	soak_meter_init(&s->meter, total_s);
	workload_init(&s->patrol, 1);
	return s->bus != NULL;
}

static bool drive_and_judge(struct soak *s, double total_s, json_t *figures)
{
	bool up = fixture_wait(s->drill, all_up, NULL, UP_TIMEOUT_S);
	s->begin_ns = cli_now_ns();
	s->end_ns = s->begin_ns + (int64_t)(total_s * 1e9);
	bool over = up && fixture_wait(s->drill, tend, s, total_s + 10.0);
	const struct up_run *run = fixture_run(s->drill);
	json_object_set_new(figures, "ran_s", json_real((double)(cli_now_ns() - s->begin_ns) * 1e-9));
	json_object_set_new(figures, "warm_up_s", json_real(s->meter.begin_s[SOAK_FIRST]));
	json_object_set_new(
	    figures, "window_s", json_real(s->meter.end_s[SOAK_FIRST] - s->meter.begin_s[SOAK_FIRST]));
	json_object_set_new(figures, "driven_m", json_real(run->truth.distance_m));
	json_object_set_new(figures, "calls", json_integer((json_int_t)run->vlm.calls));
	json_object_set_new(figures, "orders", json_integer(s->patrol.legs));
	json_object_set_new(figures, "contacts", json_integer(run->truth.contacts));
	json_object_set_new(figures, "restarts", json_integer(run->stages.restarts));
	bool grown_ok = add_processes(s, figures), paced_ok = add_rates(s, figures);
	bool calm = run->truth.contacts == 0 && run->stages.restarts == 0;
	struct cairn_error left = {""};
	int status = fixture_end(s->drill, SIGINT, END_TIMEOUT_S, NULL, 0);
	int leftovers = fixture_leftovers(s->drill, &left);
	json_object_set_new(figures, "exit_status", json_integer(status));
	json_object_set_new(figures, "leftovers", json_integer(leftovers));
	if (!over)
		json_object_set_new(figures, "problem",
		    json_string(up ? "the stack ended by itself" : "the stack did not come up"));
	return over && grown_ok && paced_ok && calm && status == 0 && leftovers == 0;
}

enum cairn_eval_end cairn_eval_soak(const struct cli *cli, json_t *figures)
{
	static struct soak s; /* large */
	double total_s = DEFAULT_S;
	struct cairn_error err = {""};
	const char *world = cli_value(cli, "world");
	if (!cli_time(cli, "for", &total_s))
		return CAIRN_EVAL_USAGE;
	bool passed = false;
	if (open_soak(&s, world != NULL ? world : "config/worlds/home.yaml", total_s, &err))
		passed = drive_and_judge(&s, total_s, figures);
	else
		json_object_set_new(figures, "problem", json_string(err.text));
	cairn_bus_destroy(&s.bus);
	fixture_close(&s.drill, passed);
	return passed;
}
