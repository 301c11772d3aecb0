/* The whole stack as a user starts it: real processes, a simulated house, a scripted pilot. Each test has a
 * stack, a run directory and (where the kernel allows) a mount namespace of its own. Waits are for
 * conditions; their limits are there for a broken stack and measure nothing (`cairn eval recovery` does). */
#include <glob.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include <jansson.h>
#include <zmq.h>

#include "common/base/file.h"
#include "test/e2e/stack.h"

static bool deciding(const struct up_run *run, void *ctx)
{
	return run->have_mission && run->have_truth && run->mission.decisions >= *(uint64_t *)ctx;
}

static bool wheels_turn(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->have_mission && run->have_motion && run->mission.decision_id != 0 &&
	       run->motion.v_mps != 0.0;
}

static void check_clean_end(struct drill *drill)
{
	struct cairn_error left = {""};
	stack_interrupt(drill, 0);
	ck_assert_msg(fixture_leftovers(drill, &left) == 0, "%s", left.text);
}

START_TEST(the_stack_drives_a_house_decision_by_decision_without_a_contact)
{
	static const char *const args[] = {"--for", STACK_SLOWER > 1.0 ? "120s" : "45s", NULL};
	struct drill *drill = stack_start(args);
	uint64_t few = 3;
	ck_assert_msg(
	    fixture_wait(drill, deciding, &few, STACK_UP_S), "no decisions; see %s", fixture_run_dir(drill));
	double coverage = fixture_run(drill)->truth.coverage;
	char summary[8192];
	int status = fixture_end(drill, 0, STACK_PATIENCE_S, summary, sizeof(summary));
	json_t *s = json_loads(summary, 0, NULL);
	ck_assert_msg(s != NULL, "summary: %s", summary);
	ck_assert_msg(status == 0, "status %d: %s", status, summary);
	ck_assert_int_eq(json_integer_value(json_object_get(s, "contacts")), 0);
	ck_assert_int_ge(json_integer_value(json_object_get(s, "decisions")), 3);
	ck_assert_double_ge(json_real_value(json_object_get(s, "coverage")), coverage);
	ck_assert(json_is_true(json_object_get(s, "passed")));
	static const char *const keys[] = {"duration_s", "first_decision_s", "overrides", "home_distance_m",
	    "cost_usd", "restarts", "cpu_cores", "rss_mb"};
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		ck_assert_msg(
		    json_is_number(json_object_get(s, keys[i])), "%s is no number: %s", keys[i], summary);
	ck_assert(json_is_string(json_object_get(s, "end_reason")));
	json_decref(s);
	char picture[320];
	snprintf(picture, sizeof(picture), "%s/map.png", fixture_run_dir(drill));
	ck_assert_int_eq(access(picture, R_OK), 0);
	struct cairn_error left = {""};
	ck_assert_msg(fixture_leftovers(drill, &left) == 0, "%s", left.text);
	fixture_destroy(&drill, false);
}
END_TEST

struct kill {
	const char *name;
	int pid;
};

static bool replaced(const struct up_run *run, void *ctx)
{
	const struct kill *k = ctx;
	for (uint32_t i = 0; i < run->stages.items_count; i++) {
		const struct cairn_msg_stage *st = &run->stages.items[i];
		if (strcmp(st->name, k->name) == 0)
			return st->state == CAIRN_STAGE_STATE_UP && st->pid != 0 && st->pid != k->pid;
	}
	return false;
}

START_TEST(whoever_is_killed_comes_back_and_the_robot_drives_on_untouched)
{
	static const char *const args[] = {"--world", "config/worlds/loop.yaml", NULL};
	static const char *const victims[] = {
	    "motor", "sensor-bridge", "mapper", "sequencer", "gateway", "robot-sim", "roudi", "launcher"};
	struct drill *drill = stack_start(args);
	ck_assert_msg(fixture_wait(drill, wheels_turn, NULL, STACK_UP_S), "does not drive; see %s",
	    fixture_run_dir(drill));
	for (size_t i = 0; i < sizeof(victims) / sizeof(victims[0]); i++) {
		struct kill k = {victims[i], fixture_pid(drill, victims[i])};
		ck_assert_msg(k.pid > 0, "%s is not running; see %s", k.name, fixture_run_dir(drill));
		kill(k.pid, SIGKILL);
		ck_assert_msg(fixture_wait(drill, replaced, &k, STACK_UP_S), "%s does not come back; see %s",
		    k.name, fixture_run_dir(drill));
		ck_assert_msg(fixture_wait(drill, wheels_turn, NULL, STACK_UP_S),
		    "does not drive after %s was killed; see %s", k.name, fixture_run_dir(drill));
		ck_assert_uint_eq(fixture_run(drill)->truth.contacts, 0);
	}
	check_clean_end(drill);
	fixture_destroy(&drill, false);
}
END_TEST

/* Runs the program with its standard error in out; its exit status. */
static int run_cairn(char *out, size_t out_bytes, const char *command)
{
	char line[2048];
	snprintf(line, sizeof(line), "%s %s 2>&1 >/dev/null", CAIRN_PROGRAM, command);
	FILE *f = popen(line, "r");
	ck_assert_ptr_nonnull(f);
	size_t n = fread(out, 1, out_bytes - 1, f);
	out[n] = '\0';
	int status = pclose(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

START_TEST(a_second_stack_in_the_same_run_directory_is_refused)
{
	static const char *const args[] = {"--world", "config/worlds/studio.yaml", NULL};
	struct drill *drill = stack_start(args);
	uint64_t one = 1;
	stack_must(drill, deciding, &one, "no decision");
	stack_must(drill, stack_has_come_up, NULL, "a stage does not come up");
	char command[400], out[2048];
	snprintf(command, sizeof(command), "up --headless --run %s", fixture_run_dir(drill));
	ck_assert_int_eq(run_cairn(out, sizeof(out), command), 1);
	ck_assert_msg(strstr(out, "a stack already runs in") != NULL, "%s", out);
	snprintf(command, sizeof(command), "down --run %s", fixture_run_dir(drill));
	ck_assert_int_eq(run_cairn(out, sizeof(out), command), 0);
	int status = fixture_end(drill, 0, STACK_PATIENCE_S, NULL, 0);
	ck_assert_int_eq(status, 0);
	struct cairn_error left = {""};
	ck_assert_msg(fixture_leftovers(drill, &left) == 0, "%s", left.text);
	fixture_destroy(&drill, false);
}
END_TEST

START_TEST(a_wrong_configuration_is_one_clear_line_and_starts_nothing)
{
	static const struct {
		const char *args, *says[2];
	} cases[] = {
	    {"--set safety.stop_distanse_m=0.1", {"stop_distanse_m", "--set"}},
	    {"--set robot.speed_max_mps=30cm", {"robot.speed_max_mps", "30cm"}},
	    {"--set robot.speed_max_mps=99", {"robot.speed_max_mps", "range"}},
	    {"--world /nowhere/house.yaml", {"sim.world", "/nowhere/house.yaml"}},
	    {"--config /nowhere/cairn.yaml", {"/nowhere/cairn.yaml", "No such file"}},
	    {"--set map.cell_m=0.01 --set map.extent_max_m=500", {"map.extent_max_m", "memory"}},
	    {"--for soon", {"--for", "soon"}},
	    {"--set vlm.provider=openai --set vlm.base_url=http://127.0.0.1:9/v1 --set "
	     "vlm.api_key_env=CAIRN_TEST_NO_SUCH_KEY",
		{"vlm.api_key_env", "CAIRN_TEST_NO_SUCH_KEY"}},
	    {"--run /dev/null/run", {"--run", "/dev/null"}},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char command[600], out[4096];
		snprintf(command, sizeof(command), "up --headless --run /tmp/cairn-e2e-config-%d %s",
		    (int)getpid(), cases[i].args);
		int status = run_cairn(out, sizeof(out), command);
		ck_assert_msg(status == 2, "%s: status %d, %s", cases[i].args, status, out);
		ck_assert_msg(strstr(out, cases[i].says[0]) != NULL && strstr(out, cases[i].says[1]) != NULL,
		    "%s: %s", cases[i].args, out);
		ck_assert_msg(strchr(out, '\n') == out + strlen(out) - 1, "more than one line: %s", out);
	}
}
END_TEST

START_TEST(a_port_in_use_is_named_before_anything_starts)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	ck_assert_int_eq(listen(fd, 1), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	char command[300], out[2048], port[32];
	snprintf(port, sizeof(port), "pilot.port: %d", ntohs(at.sin_port));
	snprintf(command, sizeof(command), "up --headless --run /tmp/cairn-e2e-port-%d --set pilot.port=%d",
	    (int)getpid(), ntohs(at.sin_port));
	int status = run_cairn(out, sizeof(out), command);
	close(fd);
	snprintf(command, sizeof(command), "rm -r /tmp/cairn-e2e-port-%d", (int)getpid());
	ck_assert_int_eq(system(command), 0);
	ck_assert_msg(status == 2, "status %d: %s", status, out);
	ck_assert_msg(strstr(out, port) != NULL && strstr(out, "in use") != NULL, "%s", out);
}
END_TEST

/* What the sequencer of a stack says of its zones. */
static void must_keep_out_of(struct drill *drill, const char *name)
{
	struct cairn_error err = {""};
	struct cairn_bus *bus = cairn_bus_new(fixture_run_dir(drill), &err);
	struct cairn_sub *sub = bus != NULL ? cairn_sub_new(bus, CAIRN_TOPIC_ZONES, NULL, &err) : NULL;
	ck_assert_msg(sub != NULL, "%s", err.text);
	struct cairn_msg_zones zones;
	bool told = false;
	for (time_t end = time(NULL) + (time_t)STACK_PATIENCE_S; !told && time(NULL) < end;) {
		zmq_poll(&(zmq_pollitem_t){.socket = cairn_sub_socket(sub), .events = ZMQ_POLLIN}, 1, 100);
		while (!told && cairn_sub_recv(sub, &zones, NULL) == 1)
			for (uint32_t i = 0; i < zones.items_count; i++)
				told |= strcmp(zones.items[i].name, name) == 0;
	}
	ck_assert_msg(told, "zone '%s' is not there; see %s", name, fixture_run_dir(drill));
	cairn_bus_destroy(&bus);
}

/* The file of that name was set aside by the run that is coming up. */
static bool is_aside(const struct up_run *run, void *ctx)
{
	char pattern[400], path[400];
	glob_t found;
	snprintf(path, sizeof(path), "%s/state/%s", run->run_dir, (const char *)ctx);
	snprintf(pattern, sizeof(pattern), "%s/state/aside/*/%s", run->run_dir, (const char *)ctx);
	int r = glob(pattern, 0, NULL, &found);
	size_t count = r == 0 ? found.gl_pathc : 0;
	globfree(&found);
	return count == 1 && access(path, F_OK) != 0;
}

/* Kept without being asked for, and set aside when it is. */
START_TEST(a_zone_that_a_person_drew_stays_with_the_map_of_the_home)
{
	static const char *const args[] = {NULL}, *const fresh[] = {"--fresh", NULL};
	struct stack_stage sequencer = {"sequencer", 0};
	struct drill *drill = stack_start(args);
	stack_must(drill, stack_is_up, &sequencer, "no sequencer");
	stack_ask(drill, CAIRN_SERVICE_OPERATOR, "zone", "keepout stairs -9,-9 -8,-9 -8,-8");
	must_keep_out_of(drill, "stairs");
	stack_must(drill, stack_drives, NULL, "does not drive"); /* a run that did nothing has not passed */
	check_clean_end(drill);
	stack_start_again(drill, args);
	must_keep_out_of(drill, "stairs");
	stack_must(drill, stack_drives, NULL, "does not drive again");
	char zones[] = "zones.bin";
	check_clean_end(drill);
	stack_start_again(drill, fresh);
	stack_must(drill, is_aside, zones, "the zones of the run before are not set aside");
	stack_must(drill, stack_drives, NULL, "does not drive anew");
	stack_end(&drill);
}
END_TEST

static void write_world(const char *path, const char *name)
{
	char line[400];
	snprintf(line, sizeof(line), "cp '%s/config/worlds/%s' '%s'", CAIRN_SOURCE_ROOT, name, path);
	ck_assert_int_eq(system(line), 0);
}

static bool is_told_changed(const struct up_run *run, void *ctx)
{
	char out[8192];
	(void)run;
	return stack_cairn(ctx, "status", out, sizeof(out)) >= 0 && strstr(out, "trust the kept map") != NULL;
}

/* Another house stands there when the robot wakes up: it does not find itself on the map that it has, says so, and stands; on a wrong
 * map nothing is driven. */
START_TEST(another_house_in_the_place_of_the_kept_one_is_noticed_said_and_not_driven_in)
{
	char world[] = "/tmp/cairn-changed-XXXXXX";
	int fd = mkstemp(world);
	ck_assert_int_ge(fd, 0);
	close(fd);
	const char *const args[] = {"--world", world, NULL};
	uint64_t some = 2; /* the studio is explored with three */
	write_world(world, "studio.yaml");
	struct drill *drill = stack_start(args);
	stack_must(drill, deciding, &some, "no decisions");
	check_clean_end(drill);
	unsigned long long was = cairn_file_hash(world);
	write_world(world, "home.yaml");
	stack_claim_state(drill, was, cairn_file_hash(world));
	stack_start_again(drill, args);
	stack_must(drill, is_told_changed, drill, "cairn status does not say that the home has changed");
	const struct up_run *run = fixture_run(drill);
	ck_assert_uint_eq(run->mission.decisions, 0);
	ck_assert(run->have_truth && run->truth.home_m < 0.02);
	stack_end_as(&drill, 1); /* which is no run that has passed */
	unlink(world);
}
END_TEST

/* What was seen stands in the scene graph after a while, which no stage that drives reads: the tool sends the robot to a point. */
static bool is_sent_by_name(const struct up_run *run, void *ctx)
{
	char line[700], said[400] = "";
	if (!run->have_mission || run->mission.state != CAIRN_MISSION_STATE_EXPLORING)
		return false;
	snprintf(line, sizeof(line), "%s goto bedroom door --run %s 2>&1", CAIRN_PROGRAM, (const char *)ctx);
	FILE *tool = popen(line, "r");
	ck_assert_ptr_nonnull(tool);
	(void)fgets(said, sizeof(said), tool);
	return pclose(tool) == 0 && strstr(said, "bedroom_door_1, by the scene graph: ") != NULL;
}

START_TEST(the_robot_is_sent_by_name_to_what_the_scene_graph_knows)
{
	static const char *const args[] = {"--headless", "--fresh", NULL};
	struct drill *drill = stack_start(args);
	char dir[256];
	snprintf(dir, sizeof(dir), "%s", fixture_run_dir(drill));
	stack_must(drill, is_sent_by_name, dir, "cairn goto does not know the thing");
	stack_end(&drill);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("house", 400.0, the_robot_is_sent_by_name_to_what_the_scene_graph_knows,
    a_wrong_configuration_is_one_clear_line_and_starts_nothing, a_port_in_use_is_named_before_anything_starts,
    a_second_stack_in_the_same_run_directory_is_refused,
    a_zone_that_a_person_drew_stays_with_the_map_of_the_home,
    another_house_in_the_place_of_the_kept_one_is_noticed_said_and_not_driven_in,
    the_stack_drives_a_house_decision_by_decision_without_a_contact,
    whoever_is_killed_comes_back_and_the_robot_drives_on_untouched)
