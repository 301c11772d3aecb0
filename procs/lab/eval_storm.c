/* eval_storm.c - a busy writer of frames and its reader are killed again and again: do frames flow again
 * every time?
 *
 * This aims at what iceoryx 2.0.3 cannot do: a publisher that dies inside its interprocess lock leaves RouDi
 * alive and deaf. Both are attached to a whole stack that explores. Each is killed with SIGKILL while frames
 * flow, and started again at once; when RouDi does not let it in, the stack has to notice and to build its
 * data plane anew. A pair that hangs in a lock of its own without harm to RouDi is killed after HUNG_NS, as
 * the watchdog does with a stage. Pass marks: frames flow again after every kill, the stack's own canary too,
 * no contact, nothing left behind. Times are told, not judged. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "common/base/rng.h"
#include "procs/lab/bench.h"
#include "procs/lab/chaos_meter.h"
#include "procs/cli/cli.h"
#include "procs/lab/stack_fixture.h"
#include "procs/cli/rundir.h"
#include "procs/lab/shm_stress_worker.h"

#define UP_TIMEOUT_S 60.0
#define END_TIMEOUT_S 60.0
#define DEFAULT_KILLS 200
#define FLOW_TIMEOUT_S 60.0
#define FLOW_FRAMES 20 /* read after the kill: then they flow */
#define HUNG_NS INT64_C(3000000000)
#define BUSY_MAX_S 0.1 /* of undisturbed flow before the next kill */

struct storm {
	struct drill *drill;
	struct cairn_bus *bus;
	struct cairn_sub *canary;
	uint64_t canary_received;
	struct cairn_config cfg;
	struct cairn_rng rng;
	struct storm_tally *tally;
	pid_t workers[STORM_ROLES];
	uint32_t resets, resets_seen; /* of the data plane */
	unsigned long long mark;
	int64_t mark_ns; /* when frames were last seen to be read, or the pair was started */
	int kills, flowed, hung, refused;
	struct chaos_samples again, again_reset;
};

static void end_worker(struct storm *s, enum storm_role role)
{
	if (s->workers[role] <= 0)
		return;
	kill(s->workers[role], SIGKILL);
	(void)waitpid(s->workers[role], NULL, 0);
	s->workers[role] = 0;
}

static void start_worker(struct storm *s, enum storm_role role)
{
	pid_t pid = storm_worker_start(role, fixture_run_dir(s->drill), &s->cfg, s->tally);
	s->workers[role] = pid > 0 ? pid : 0;
}

static void restart_pair(struct storm *s)
{
	for (int r = 0; r < STORM_ROLES; r++) {
		end_worker(s, (enum storm_role)r);
		start_worker(s, (enum storm_role)r);
	}
	s->mark_ns = cli_now_ns();
}

/* Those that could not register have ended; in a plane that was built anew the old pair talks to nobody. */
static void tend_workers(struct storm *s, const struct up_run *run)
{
	if (run->have_stages && run->stages.plane_resets != s->resets_seen) {
		s->resets +=
		    run->stages.plane_resets > s->resets_seen ? run->stages.plane_resets - s->resets_seen : 0;
		s->resets_seen = run->stages.plane_resets;
		restart_pair(s);
	}
	for (int r = 0; r < STORM_ROLES; r++) {
		if (s->workers[r] > 0 && waitpid(s->workers[r], NULL, WNOHANG) == s->workers[r]) {
			s->workers[r] = 0;
			s->refused++;
		}
		if (s->workers[r] == 0)
			start_worker(s, (enum storm_role)r);
	}
}

static bool flows(const struct up_run *run, void *ctx)
{
	struct storm *s = ctx;
	int64_t now_ns = cli_now_ns();
	tend_workers(s, run);
	if (atomic_load(&s->tally->read) >= s->mark + FLOW_FRAMES)
		return true;
	bool blocked = run->have_health && !run->health.data_plane_ok;
	if (now_ns - s->mark_ns > HUNG_NS && !blocked) {
		s->hung++;
		restart_pair(s);
	}
	return false;
}

static bool busy_for_a_while(const struct up_run *run, void *ctx)
{
	(void)run;
	return cli_now_ns() >= *(int64_t *)ctx;
}

static bool drives(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->have_motion && run->have_mission && run->have_stages && run->motion.v_mps != 0.0;
}

static bool canary_hears(const struct up_run *run, void *ctx)
{
	struct storm *s = ctx;
	struct cairn_msg_canary msg;
	bool more = false;
	while (cairn_sub_recv(s->canary, &msg, NULL) == 1) {
		more = msg.received != 0 && msg.received != s->canary_received;
		s->canary_received = msg.received;
	}
	return more && run->have_health && run->health.data_plane_ok;
}

/* One kill; false when frames do not flow again. */
static bool strike(struct storm *s)
{
	int64_t until_ns = cli_now_ns() + (int64_t)(cairn_rng_uniform(&s->rng) * BUSY_MAX_S * 1e9);
	(void)fixture_wait(s->drill, busy_for_a_while, &until_ns, 2.0 * BUSY_MAX_S);
	enum storm_role victim = cairn_rng_u32(&s->rng) % 3 == 0 ? STORM_READER : STORM_WRITER;
	uint32_t resets = s->resets;
	int64_t kill_ns = cli_now_ns();
	end_worker(s, victim);
	s->kills++;
	s->mark = atomic_load(&s->tally->read);
	start_worker(s, victim);
	s->mark_ns = cli_now_ns();
	if (!fixture_wait(s->drill, flows, s, FLOW_TIMEOUT_S))
		return false;
	s->flowed++;
	struct chaos_samples *to = s->resets != resets ? &s->again_reset : &s->again;
	if (to->count < CHAOS_SAMPLES_MAX)
		to->s[to->count++] = (double)(cli_now_ns() - kill_ns) * 1e-9;
	return true;
}

static void add_samples(json_t *figures, const char *name, struct chaos_samples *samples)
{
	json_object_set_new(figures, name,
	    json_pack("{s:I,s:f,s:f,s:f}", "count", (json_int_t)samples->count, "p50_s",
		chaos_quantile(samples, 0.5), "p99_s", chaos_quantile(samples, 0.99), "max_s",
		chaos_quantile(samples, 1.0)));
}

static bool open_storm(struct storm *s, struct cairn_error *err)
{
	/* Dying often is what this is about: nothing is to be held failed for it. */
	const char *const args[] = {
	    "--stay", "--world", "config/worlds/loop.yaml", "--set", "launcher.deaths_max=1000", NULL};
	char dir[4096], cairn[4200], path[320];
	if (!cairn_program_dir(dir, sizeof(dir)))
		return false;
	s->tally = mmap(NULL, sizeof(*s->tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s->tally == MAP_FAILED) {
		cairn_error_set(err, "%s", strerror(errno));
		return false;
	}
	snprintf(cairn, sizeof(cairn), "%s/cairn", dir);
	s->drill = fixture_start(cairn, args, err);
	if (s->drill == NULL || !fixture_wait(s->drill, drives, NULL, UP_TIMEOUT_S)) {
		cairn_error_set(err, "the robot never drove");
		return false;
	}
	snprintf(path, sizeof(path), "%s/config.yaml", fixture_run_dir(s->drill));
	cairn_config_defaults(&s->cfg);
	s->bus = cairn_bus_new(fixture_run_dir(s->drill), err);
	if (s->bus != NULL && cairn_config_load(&s->cfg, path, err))
		s->canary = cairn_sub_new(s->bus, CAIRN_TOPIC_CANARY, NULL, err);
	return s->canary != NULL;
}

static bool run_storm(struct storm *s, int kills, json_t *figures)
{
	int shared = fixture_count_shared();
	s->resets_seen = fixture_run(s->drill)->stages.plane_resets;
	restart_pair(s);
	s->mark = atomic_load(&s->tally->read);
	bool going = fixture_wait(s->drill, flows, s, FLOW_TIMEOUT_S);
	while (going && s->kills < kills)
		going = strike(s);
	for (int r = 0; r < STORM_ROLES; r++)
		end_worker(s, (enum storm_role)r);
	/* What a killed pair did to RouDi shows at the next registration: the stack must come through that,
	 * too. */
	bool canary = fixture_wait(s->drill, canary_hears, s, FLOW_TIMEOUT_S);
	unsigned contacts = fixture_run(s->drill)->truth.contacts;
	struct cairn_error left = {""};
	int status = fixture_end(s->drill, SIGINT, END_TIMEOUT_S, NULL, 0);
	int leftovers = fixture_leftovers(s->drill, &left);
	shared = fixture_count_shared() - shared;
	json_object_set_new(figures, "kills", json_integer(s->kills));
	json_object_set_new(figures, "flowed_again", json_integer(s->flowed));
	json_object_set_new(figures, "frames_read", json_integer((json_int_t)atomic_load(&s->tally->read)));
	json_object_set_new(figures, "plane_resets", json_integer(s->resets));
	json_object_set_new(figures, "pairs_hung", json_integer(s->hung));
	json_object_set_new(figures, "registrations_refused", json_integer(s->refused));
	add_samples(figures, "flows_again", &s->again);
	add_samples(figures, "flows_again_after_reset", &s->again_reset);
	json_object_set_new(figures, "canary_hears", json_boolean(canary));
	json_object_set_new(figures, "contacts", json_integer(contacts));
	json_object_set_new(figures, "exit_status", json_integer(status));
	json_object_set_new(figures, "leftovers", json_integer(leftovers));
	json_object_set_new(figures, "shared_memory_left", json_integer(shared));
	return going && s->flowed == kills && canary && contacts == 0 && status == 0 && leftovers == 0 &&
	       shared <= 0;
}

enum cairn_eval_end cairn_eval_storm(const struct cli *cli, json_t *figures)
{
	static struct storm s; /* large */
	struct cairn_error err = {""};
	long kills = cli_count(cli, "kills", DEFAULT_KILLS), seed = cli_count(cli, "seed", 1);
	if (kills < 0 || seed < 0)
		return CAIRN_EVAL_USAGE;
	cairn_rng_seed(&s.rng, (uint64_t)seed, 2);
	bool passed = false;
	if (open_storm(&s, &err))
		passed = run_storm(&s, (int)kills, figures);
	else
		json_object_set_new(figures, "problem", json_string(err.text));
	cairn_bus_destroy(&s.bus);
	fixture_close(&s.drill, passed);
	return passed;
}
