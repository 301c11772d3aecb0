/* A robot that stands in an open hall while nothing happens: the whole stack leaves calls out, and pictures
 * of the calls that it makes, and says so. */
#include <signal.h>

#include "test/e2e/stack.h"

#define SKIPS 2
#define LEFT_OUT 2

struct counters {
	struct cairn_sub *sub;
	struct cairn_msg_vlm_stats stats;
};

static bool saved_enough(const struct up_run *run, void *ctx)
{
	struct counters *c = ctx;
	struct cairn_header hdr;
	(void)run;
	while (cairn_sub_recv(c->sub, &c->stats, &hdr) == 1) {
	}
	return c->stats.skips >= SKIPS && c->stats.images_left_out >= LEFT_OUT;
}

/* True when the gateway's log has a line of statistics that tells of both. */
static bool log_tells(const char *run_dir)
{
	char path[512], line[1024];
	snprintf(path, sizeof(path), "%s/logs/gateway.log", run_dir);
	FILE *log = fopen(path, "re");
	bool told = false;
	while (log != NULL && fgets(line, sizeof(line), log) != NULL) {
		unsigned skipped = 0, without = 0;
		const char *s = strstr(line, " decisions, ");
		told |= s != NULL && strstr(line, "in the last 5 s: ") != NULL &&
			sscanf(s, " decisions, %u skipped, %u without picture", &skipped, &without) == 2 &&
			skipped > 0 && without > 0;
	}
	if (log != NULL)
		fclose(log);
	return told;
}

static bool log_has_told(const struct up_run *run, void *ctx)
{
	(void)run;
	return log_tells(ctx);
}

START_TEST(calls_and_pictures_are_left_out_while_nothing_changes)
{
	static const char *const args[] = {"--world", "test/data/worlds/hall.yaml", "--set",
	    "pilot.profile=idle", "--set", "vlm.stats_period_s=5", NULL};
	struct cairn_error err = {""};
	struct counters c = {0};
	char dir[256];
	struct drill *drill = stack_start(args);
	snprintf(dir, sizeof(dir), "%s", fixture_run_dir(drill));
	struct cairn_bus *bus = cairn_bus_new(dir, &err);
	ck_assert_msg(bus != NULL, "%s", err.text);
	c.sub = cairn_sub_new(bus, CAIRN_TOPIC_VLM_STATS, NULL, &err);
	ck_assert_msg(c.sub != NULL, "%s", err.text);
	ck_assert_msg(fixture_wait(drill, saved_enough, &c, STACK_UP_S),
	    "%d skips, %d pictures left out of %d calls; see %s", (int)c.stats.skips,
	    (int)c.stats.images_left_out, (int)c.stats.calls, dir);
	ck_assert_uint_gt(c.stats.calls, c.stats.images_left_out); /* the first call had its picture */
	ck_assert_uint_gt(c.stats.triggers[CAIRN_TRIGGER_TIMER], 0);
	ck_assert_uint_eq(c.stats.failures, 0);
	ck_assert_msg(
	    fixture_wait(drill, log_has_told, dir, STACK_PATIENCE_S), "no line of statistics; see %s", dir);
	ck_assert_uint_eq(fixture_run(drill)->truth.contacts, 0);
	cairn_bus_destroy(&bus);
	stack_interrupt(drill, 0);
	fixture_destroy(&drill, false);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("idle", 180.0, calls_and_pictures_are_left_out_while_nothing_changes)
