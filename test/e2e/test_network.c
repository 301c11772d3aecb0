/* The way to the model's service is spoiled: the tiers of the sequencer follow the silence as configured, and
 * the first answer brings the model back. The whole stack, a proxy of the test's own between gateway and
 * scripted pilot. */
#include <netinet/in.h>
#include <sys/socket.h>

#include "common/sequencer/sequencer.h"
#include "test/e2e/stack.h"
#include "test/support/proxy.h"

static int free_port(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	close(fd);
	return ntohs(at.sin_port);
}

struct spoilt {
	struct drill *drill;
	struct proxy *proxy;
	struct cairn_config cfg; /* the silences that the stack runs with */
};

/* Silences in seconds, and how long an answer may take. */
static void begin_with(struct spoilt *s, int coast_s, int wait_s, int local_s, int timeout_s)
{
	char port[32], url[80], coast[40], wait[40], local[40], timeout[40];
	int pilot = free_port();
	s->proxy = proxy_start(pilot);
	ck_assert_ptr_nonnull(s->proxy);
	snprintf(port, sizeof(port), "pilot.port=%d", pilot);
	snprintf(url, sizeof(url), "vlm.base_url=http://127.0.0.1:%d/v1", proxy_port(s->proxy));
	snprintf(coast, sizeof(coast), "safety.silent_coast_s=%d", coast_s);
	snprintf(wait, sizeof(wait), "safety.silent_wait_s=%d", wait_s);
	snprintf(local, sizeof(local), "safety.silent_local_s=%d", local_s);
	snprintf(timeout, sizeof(timeout), "vlm.timeout_s=%d", timeout_s);
	const char *args[] = {"--world", "config/worlds/loop.yaml", "--set", port, "--set", url, "--set",
	    timeout, "--set", coast, "--set", wait, "--set", local, NULL};
	cairn_config_defaults(&s->cfg);
	s->cfg.safety.silent_coast_s = coast_s;
	s->cfg.safety.silent_wait_s = wait_s;
	s->cfg.safety.silent_local_s = local_s;
	s->drill = stack_start(args);
	stack_must(s->drill, stack_drives, NULL, "does not drive");
}

/* Shorter silences than a user would want, so that each tier is reached within seconds. */
static void begin(struct spoilt *s)
{
	begin_with(s, 2, 4, 20, 2);
}

static void end(struct spoilt *s)
{
	stack_end(&s->drill);
	proxy_stop(&s->proxy);
}

struct tiers {
	const struct cairn_config *cfg;
	enum cairn_tier until;
	int wrong; /* messages whose tier is not that of their silence */
	char what[64];
};

/* Every tier told on the way is that of the silence told with it. */
static bool reaches(const struct up_run *run, void *ctx)
{
	struct tiers *t = ctx;
	const struct cairn_msg_tier *tier = &run->tier;
	bool exploring = run->have_mission && run->mission.state == CAIRN_MISSION_STATE_EXPLORING;
	if (exploring && run->have_tier && tier->tier != CAIRN_TIER_RETURNING &&
	    tier->tier != cairn_sequencer_tier(t->cfg, tier->silent_s, 0.0) && tier->silent_s > 0.0) {
		t->wrong++;
		snprintf(t->what, sizeof(t->what), "%s after %.2f s",
		    cairn_enum_text(&cairn_enum_tier, (int)tier->tier), tier->silent_s);
	}
	return run->have_tier && tier->tier == t->until;
}

static void must_reach(struct spoilt *s, enum cairn_tier tier)
{
	struct tiers t = {.cfg = &s->cfg, .until = tier};
	stack_must(s->drill, reaches, &t, cairn_enum_text(&cairn_enum_tier, (int)tier));
	ck_assert_msg(t.wrong == 0, "%s; see %s", t.what, fixture_run_dir(s->drill));
}

static bool explores_locally(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->mission.decision_source == CAIRN_SOURCE_LOCAL && run->motion.v_mps != 0.0;
}

static bool model_drives(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->mission.state == CAIRN_MISSION_STATE_EXPLORING && run->tier.tier == CAIRN_TIER_NORMAL &&
	       run->mission.decision_source == CAIRN_SOURCE_MODEL && run->motion.v_mps != 0.0;
}

struct answered {
	struct cairn_sub *decisions;
	int words;       /* of the model */
	int64_t last_ns; /* the newest */
};

/* The model's word has come, and the sequencer has told its tier after it. A frontier may be gone between
 * question and answer, and an answer that names nothing is none: then the second word counts. */
static bool told_after_an_answer(const struct up_run *run, void *ctx)
{
	struct answered *a = ctx;
	static struct cairn_msg_decision decision;
	struct cairn_header hdr;
	while (cairn_sub_recv(a->decisions, &decision, &hdr) == 1) {
		if (decision.source == CAIRN_SOURCE_MODEL && a->words++ < 2)
			a->last_ns = run->stamp_ns[UP_TIER] > hdr.t_ns ? run->stamp_ns[UP_TIER] : hdr.t_ns;
	}
	bool told = a->words > 0 && run->stamp_ns[UP_TIER] > a->last_ns;
	return told && (run->tier.tier == CAIRN_TIER_NORMAL || a->words > 1);
}

/* The service answers again: one answer that names something is enough for the tier to be normal. */
static void must_recover(struct spoilt *s)
{
	struct cairn_error err = {""};
	struct cairn_bus *bus = cairn_bus_new(fixture_run_dir(s->drill), &err);
	ck_assert_msg(bus != NULL, "%s", err.text);
	struct answered a = {.decisions = cairn_sub_new(bus, CAIRN_TOPIC_DECISION, NULL, &err)};
	ck_assert_msg(a.decisions != NULL, "%s", err.text);
	proxy_set(s->proxy, PROXY_PASS, 0);
	stack_must(s->drill, told_after_an_answer, &a, "the model is not asked again");
	ck_assert_msg(fixture_run(s->drill)->tier.tier == CAIRN_TIER_NORMAL,
	    "tier %s after an answer; see %s",
	    cairn_enum_text(&cairn_enum_tier, (int)fixture_run(s->drill)->tier.tier),
	    fixture_run_dir(s->drill));
	stack_must(s->drill, model_drives, NULL, "the model does not drive again");
	cairn_bus_destroy(&bus);
}

START_TEST(whatever_spoils_the_way_it_explores_locally_and_the_first_answer_ends_that)
{
	static const struct {
		enum proxy_mode mode;
		int delay_ms;
		const char *name;
	} faults[] = {{PROXY_RESET, 0, "reset"}, {PROXY_TRUNCATE, 0, "truncated"}, {PROXY_DROP, 0, "dropped"},
	    {PROXY_DELAY, 6000, "too late"}};
	struct spoilt s;
	begin(&s);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		uint32_t spoiled = proxy_spoiled(s.proxy);
		uint64_t failures = fixture_run(s.drill)->vlm.failures;
		proxy_set(s.proxy, faults[i].mode, faults[i].delay_ms);
		must_reach(&s, CAIRN_TIER_LOCAL);
		stack_must(s.drill, explores_locally, NULL, faults[i].name);
		ck_assert_uint_gt(proxy_spoiled(s.proxy), spoiled);
		ck_assert_uint_gt(fixture_run(s.drill)->vlm.failures, failures);
		must_recover(&s);
	}
	end(&s);
}
END_TEST

static bool degraded(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->have_vlm && run->vlm.net_tier >= CAIRN_NET_TIER_DEGRADED;
}

START_TEST(a_service_that_stays_away_sends_it_home_and_its_answer_calls_it_back)
{
	struct spoilt s;
	begin(&s);
	proxy_set(s.proxy, PROXY_RESET, 0);
	must_reach(&s, CAIRN_TIER_LOCAL);
	must_reach(&s, CAIRN_TIER_RETURNING);
	ck_assert_str_eq(fixture_run(s.drill)->mission.reason, "model_silent");
	stack_must(s.drill, degraded, NULL, "the service is not called degraded");
	must_recover(&s);
	end(&s);
}
END_TEST

struct net_wish {
	enum cairn_net_tier tier;
	enum cairn_tier worst; /* of the robot meanwhile */
	double silent_s;       /* and the silence then */
};

static bool net_reaches(const struct up_run *run, void *ctx)
{
	struct net_wish *w = ctx;
	if (run->have_tier && run->tier.tier > w->worst) {
		w->worst = run->tier.tier;
		w->silent_s = run->tier.silent_s;
	}
	return run->have_vlm && run->vlm.net_tier == w->tier;
}

/* As a person asks, while an answer is awaited. ctx: the run directory. */
static bool status_says_slow(const struct up_run *run, void *ctx)
{
	char out[8192], line[400];
	if (!run->vlm.in_flight)
		return false;
	snprintf(line, sizeof(line), "%s status --run %s 2>&1", CAIRN_PROGRAM, (const char *)ctx);
	FILE *tool = popen(line, "r");
	ck_assert_ptr_nonnull(tool);
	size_t n = fread(out, 1, sizeof(out) - 1, tool);
	out[n] = '\0';
	pclose(tool);
	return strstr(out, "waits for a slow model: ") != NULL;
}

START_TEST(a_service_that_answers_late_but_in_time_is_called_elevated_and_goes_on_driving)
{
	struct spoilt s;
	begin_with(&s, 15, 25, 90, 10);
	stack_must(s.drill, model_drives, NULL, "the model does not drive");
	uint64_t failures = fixture_run(s.drill)->vlm.failures, calls = fixture_run(s.drill)->vlm.calls;
	struct net_wish wish = {.tier = CAIRN_NET_TIER_ELEVATED, .worst = CAIRN_TIER_NORMAL};
	proxy_set(s.proxy, PROXY_DELAY, 3500);
	stack_must(s.drill, net_reaches, &wish, "a slow service is not called elevated");
	char dir[256];
	snprintf(dir, sizeof(dir), "%s", fixture_run_dir(s.drill));
	stack_must(s.drill, status_says_slow, dir, "cairn status does not say that the model is slow");
	stack_must(s.drill, model_drives, NULL, "the model does not drive, though it answers");
	ck_assert_uint_gt(proxy_spoiled(s.proxy), 0);
	ck_assert_uint_gt(fixture_run(s.drill)->vlm.calls, calls);
	wish.tier = CAIRN_NET_TIER_NORMAL;
	proxy_set(s.proxy, PROXY_PASS, 0);
	stack_must(s.drill, net_reaches, &wish, "a service that is quick again is not called normal");
	/* Slow is not silent: it coasts between two words, and never waits or drives by itself. */
	ck_assert_msg(wish.worst <= CAIRN_TIER_COASTING, "%s after %.1f s of silence; see %s",
	    cairn_enum_text(&cairn_enum_tier, (int)wish.worst), wish.silent_s, fixture_run_dir(s.drill));
	ck_assert_uint_eq(fixture_run(s.drill)->vlm.failures, failures);
	end(&s);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("network", 400.0,
    a_service_that_answers_late_but_in_time_is_called_elevated_and_goes_on_driving,
    whatever_spoils_the_way_it_explores_locally_and_the_first_answer_ends_that,
    a_service_that_stays_away_sends_it_home_and_its_answer_calls_it_back)
