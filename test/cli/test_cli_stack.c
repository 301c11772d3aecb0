/* What the tool shows of a stack and asks of it. The test plays the stack, in a child. */
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <zmq.h>

#include "common/base/geom.h"
#include "ipc/bus.h"
#include "test/cli/harness.h"

#define TOPICS 6

struct play {
	bool stages, motor, operator_service, launcher;
	bool broken_stage, slow_model, needs_help;
};

static bool launcher_told_down;
static int goto_turns; /* messages of the mission since it was sent somewhere; 0 = it was not */
static double goto_x_m;

static void on_command(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	const char *service = ctx;
	reply->ok = strcmp(cmd->verb, "home") != 0 && strcmp(cmd->arg, "nobody") != 0;
	snprintf(reply->text, sizeof(reply->text), "%s %s [%.60s] %g %g %g", service, cmd->verb, cmd->arg,
	    cmd->x_m, cmd->y_m, cmd->limit_s);
	if (strcmp(cmd->verb, "down") == 0)
		launcher_told_down = true;
	if (strcmp(cmd->verb, "goto") == 0) {
		goto_turns = 1;
		goto_x_m = cmd->x_m;
	}
}

static void publish(struct cairn_pub *const *pubs, const struct play *play, int64_t now_ns)
{
	static struct cairn_msg_stages stages;
	struct cairn_msg_mission mission = {.state = CAIRN_MISSION_STATE_EXPLORING,
	    .elapsed_s = 61.0,
	    .decisions = 14,
	    .activity = "drives \033[2J on\a"};
	struct cairn_msg_health health = {.ok = true, .data_plane_ok = true};
	struct cairn_msg_pose pose = {
	    .x_m = 1.25, .yaw_rad = -0.5 * M_PI, .tracking = CAIRN_TRACKING_GOOD, .quality = 0.93};
	struct cairn_msg_vlm_stats vlm = {
	    .in_flight = play->slow_model, .waiting_s = 7.2, .latency_mean_s = 12.4};
	if (play->needs_help)
		snprintf(mission.help, sizeof(mission.help), "a door is shut");
	stages.items_count = 1;
	snprintf(stages.items[0].name, sizeof(stages.items[0].name), "mapper");
	stages.items[0].state = play->broken_stage ? CAIRN_STAGE_STATE_BACKOFF : CAIRN_STAGE_STATE_UP;
	stages.items[0].pid = 4711;
	cairn_pub_send(pubs[0], &stages, now_ns, true);
	/* x of 1 is reached, of 2 not; for 3 the planner has no way */
	struct cairn_msg_nav_status nav = {.state = CAIRN_NAV_STATE_FOLLOWING};
	if (goto_turns > 0 && goto_turns++ < 40) {
		mission.state = CAIRN_MISSION_STATE_GOTO;
		if (goto_x_m == 3.0) {
			nav.state = CAIRN_NAV_STATE_NO_PATH;
			snprintf(nav.reason, sizeof(nav.reason), "walls all round");
		}
	} else if (goto_turns > 0) {
		snprintf(mission.reason, sizeof(mission.reason), "goto (%.2f, 0.00) %s", goto_x_m,
		    goto_x_m == 1.0 ? "reached" : "could not be reached");
	}
	cairn_pub_send(pubs[1], &mission, now_ns, true);
	cairn_pub_send(pubs[4], &nav, now_ns, true);
	cairn_pub_send(pubs[2], &health, now_ns, true);
	cairn_pub_send(pubs[3], &pose, now_ns, true);
	cairn_pub_send(pubs[5], &vlm, now_ns, true);
}

_Noreturn static void play_stack(const struct play *play, int ready_fd)
{
	struct cairn_error err = {""};
	struct cairn_bus *bus = cairn_bus_new(run_dir, &err);
	struct cairn_pub *pubs[TOPICS] = {NULL};
	struct cairn_server *servers[3];
	zmq_pollitem_t items[3];
	int n = 0;
	static char names[3][16] = {"motor", "sequencer", "launcher"};
	const enum cairn_topic topics[TOPICS] = {CAIRN_TOPIC_STAGES, CAIRN_TOPIC_MISSION, CAIRN_TOPIC_HEALTH,
	    CAIRN_TOPIC_POSE, CAIRN_TOPIC_NAV_STATUS, CAIRN_TOPIC_VLM_STATS};
	for (int i = 0; play->stages && i < TOPICS; i++)
		pubs[i] = cairn_pub_new(bus, topics[i], NULL, &err);
	if (play->motor)
		servers[n++] = cairn_server_new(bus, CAIRN_SERVICE_MOTOR_CTL, on_command, names[0], &err);
	if (play->operator_service)
		servers[n++] = cairn_server_new(bus, CAIRN_SERVICE_OPERATOR, on_command, names[1], &err);
	if (play->launcher)
		servers[n++] = cairn_server_new(bus, CAIRN_SERVICE_LAUNCHER_CTL, on_command, names[2], &err);
	for (int i = 0; i < n; i++)
		items[i] = (zmq_pollitem_t){.socket = cairn_server_socket(servers[i]), .events = ZMQ_POLLIN};
	if (write(ready_fd, "\n", 1) != 1)
		_exit(1);
	while (!launcher_told_down) {
		struct timespec t;
		clock_gettime(CLOCK_MONOTONIC, &t);
		if (play->stages)
			publish(pubs, play, t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec);
		zmq_poll(items, n, 50);
		for (int i = 0; i < n; i++)
			cairn_server_serve(servers[i]);
	}
	zmq_poll(NULL, 0, 100); /* the answer is on its way */
	_exit(0);
}

static void start_stack(struct play play)
{
	int ready[2];
	char byte;
	ck_assert_int_eq(pipe(ready), 0);
	stack = fork();
	if (stack == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		play_stack(&play, ready[1]);
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
}

/* ---- watching ---- */

START_TEST(status_shows_the_stack_and_ends_with_0_when_all_is_well)
{
	make_run_dir();
	start_stack((struct play){.stages = true});
	const struct output *o = cairn("status", "");
	ck_assert_msg(o->status == 0, "%s", o->err);
	ck_assert_ptr_nonnull(strstr(o->out, "mission   exploring, 0:01:01"));
	ck_assert_ptr_nonnull(strstr(o->out, "heading E 90°"));
	ck_assert_ptr_nonnull(strstr(o->out, "mapper         up           4711"));
	ck_assert_ptr_nonnull(strstr(o->out, "silent    "));
	ck_assert_ptr_nonnull(
	    strstr(o->out, "drives ?[2J on?")); /* a hostile text does not clear the terminal */
	json_t *json = parsed(cairn("status", "--json")->out);
	ck_assert(json_is_true(json_object_get(json, "well")));
	ck_assert(json_is_null(json_object_get(json, "battery")));
	ck_assert_str_eq(
	    json_string_value(json_object_get(json_object_get(json, "mission"), "decisions")), "14");
	json_decref(json);
	remove_run_dir();
}
END_TEST

START_TEST(status_ends_with_1_when_a_stage_is_down)
{
	make_run_dir();
	start_stack((struct play){.stages = true, .broken_stage = true});
	const struct output *o = cairn("status", "");
	ck_assert_int_eq(o->status, 1);
	ck_assert_ptr_nonnull(strstr(o->out, "backoff"));
	remove_run_dir();
}
END_TEST

START_TEST(status_says_that_it_waits_for_a_slow_model_and_how_slow)
{
	static const char line[] = "waits for a slow model: 7 s so far, 12.4 s an answer of late\n";
	for (int slow = 0; slow < 2; slow++) {
		make_run_dir();
		start_stack((struct play){.stages = true, .slow_model = slow != 0});
		const struct output *o = cairn("status", "");
		ck_assert_msg((strstr(o->out, line) != NULL) == (slow != 0), "%s", o->out);
		remove_run_dir();
	}
}
END_TEST

START_TEST(status_shows_what_the_robot_needs_help_with)
{
	make_run_dir();
	start_stack((struct play){.stages = true, .needs_help = true});
	const struct output *o = cairn("status", "");
	ck_assert_msg(strstr(o->out, "HELP      a door is shut (cairn resume") != NULL, "%s", o->out);
	remove_run_dir();
}
END_TEST

START_TEST(echo_prints_messages_as_json_lines)
{
	make_run_dir();
	start_stack((struct play){.stages = true});
	const struct output *o = cairn("echo", "-n 2 pose");
	ck_assert_msg(o->status == 0, "%s", o->err);
	char *second = strchr(o->out, '\n');
	ck_assert_ptr_nonnull(second);
	json_t *a = json_loads(o->out, JSON_DISABLE_EOF_CHECK, NULL), *b = parsed(second + 1);
	ck_assert_int_gt(atoll(json_string_value(json_object_get(b, "seq"))),
	    atoll(json_string_value(json_object_get(a, "seq"))));
	ck_assert_double_eq(json_number_value(json_object_get(json_object_get(a, "data"), "x_m")), 1.25);
	json_decref(a);
	json_decref(b);
	o = cairn("echo", "--timeout 100ms scan");
	ck_assert_int_eq(o->status, 3);
	ck_assert_ptr_nonnull(strstr(o->err, "no message within 0.1 s"));
	remove_run_dir();
}
END_TEST

START_TEST(record_writes_a_file_that_recording_calls_whole_and_repairs_when_it_was_cut)
{
	char options[512], path[256];
	make_run_dir();
	start_stack((struct play){.stages = true});
	snprintf(path, sizeof(path), "%s/a.mcap", run_dir);
	snprintf(options, sizeof(options), "%s --for 1s pose mission", path);
	const struct output *o = cairn("record", options);
	ck_assert_msg(o->status == 0, "%s", o->err);
	ck_assert_int_eq(cairn("record", options)->status, 2); /* never over another file */
	snprintf(options, sizeof(options), "--json %s", path);
	o = cairn("recording", options);
	ck_assert_msg(o->status == 0, "%s", o->err);
	json_t *json = parsed(o->out), *topics = json_object_get(json, "topics");
	json_int_t messages = json_integer_value(json_object_get(json, "messages"));
	ck_assert_str_eq(json_string_value(json_object_get(json, "state")), "whole");
	json_int_t poses = json_integer_value(json_object_get(topics, "/cairn/pose"));
	ck_assert_int_ge(poses, 1);
	ck_assert_int_ge(messages, 3);
	ck_assert_uint_eq(json_object_size(topics), 3);
	ck_assert_int_eq(
	    json_integer_value(json_object_get(topics, "/pose")), poses); /* the same as ROS has it */
	ck_assert_int_eq(2 * poses + json_integer_value(json_object_get(topics, "/cairn/mission")), messages);
	json_decref(json);
	struct stat st;
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(truncate(path, st.st_size - 9), 0); /* of the footer */
	o = cairn("recording", options);
	ck_assert_int_eq(o->status, 1);
	ck_assert_ptr_nonnull(strstr(o->err, "no summary"));
	ck_assert_int_eq(truncate(path, st.st_size / 2), 0);
	o = cairn("recording", options);
	ck_assert_int_eq(o->status, 1);
	ck_assert_ptr_nonnull(strstr(o->err, "--repair"));
	snprintf(options, sizeof(options), "--json %s --repair %s/b.mcap", path, run_dir);
	ck_assert_int_eq(cairn("recording", options)->status, 0);
	snprintf(options, sizeof(options), "--json %s/b.mcap", run_dir);
	o = cairn("recording", options);
	ck_assert_msg(o->status == 0, "%s", o->err);
	ck_assert_ptr_nonnull(strstr(o->out, "\"whole\""));
	snprintf(options, sizeof(options), "--json %s --repair", path); /* in its place */
	o = cairn("record", options);
	ck_assert_msg(o->status == 0, "%s", o->err);
	snprintf(options, sizeof(options), "--json %s", path);
	ck_assert_int_eq(cairn("recording", options)->status, 0);
	snprintf(options, sizeof(options), "%s --repair", path);
	o = cairn("record", options);
	ck_assert_int_eq(o->status, 0);
	ck_assert_ptr_nonnull(strstr(o->err, "nothing to repair"));
	remove_run_dir();
}
END_TEST

START_TEST(hz_counts_what_was_sent_and_its_age)
{
	make_run_dir();
	start_stack((struct play){.stages = true});
	const struct output *o = cairn("hz", "--for 1s --json pose");
	ck_assert_msg(o->status == 0, "%s", o->err);
	json_t *json = parsed(o->out);
	double rate_hz = json_number_value(json_object_get(json, "rate_hz"));
	double age_s = json_number_value(json_object_get(json, "age_mean_s"));
	ck_assert_msg(
	    rate_hz > 5.0 && rate_hz < 21.0, "%g Hz", rate_hz); /* sent every 50 ms, less on a busy machine */
	ck_assert_msg(age_s > 0.0 && age_s < 0.5, "%g s", age_s);
	json_decref(json);
	remove_run_dir();
}
END_TEST

START_TEST(plot_draws_a_number_as_characters_and_as_a_picture)
{
	char options[256], path[128];
	unsigned char head[8] = {0};
	make_run_dir();
	start_stack((struct play){.stages = true});
	const struct output *o = cairn("plot", "--for 1s pose.x_m");
	ck_assert_msg(o->status == 0, "%s", o->err);
	ck_assert_ptr_nonnull(strstr(o->out, "pose.x_m: "));
	ck_assert_ptr_nonnull(strstr(o->out, "\xe2\xa0")); /* braille */
	snprintf(path, sizeof(path), "%s/x.png", run_dir);
	snprintf(options, sizeof(options), "--for 1s --png %s pose.x_m", path);
	o = cairn("plot", options);
	ck_assert_int_eq(o->status, 0);
	ck_assert_ptr_nonnull(strstr(o->out, "picture: /"));
	FILE *in = fopen(path, "re");
	ck_assert_ptr_nonnull(in);
	ck_assert_uint_eq(fread(head, 1, sizeof(head), in), sizeof(head));
	fclose(in);
	ck_assert_mem_eq(head, "\x89PNG\r\n\x1a\n", sizeof(head));
	o = cairn("plot", "--for 1s pose.colour");
	ck_assert_int_eq(o->status, 2);
	ck_assert_ptr_nonnull(strstr(o->err, "pose has no field 'colour'"));
	remove_run_dir();
}
END_TEST

START_TEST(topics_tell_who_is_there)
{
	make_run_dir();
	start_stack((struct play){.stages = true, .motor = true});
	const struct output *o = cairn("topics", "--json");
	ck_assert_int_eq(o->status, 0);
	int there = 0, rows = 0;
	for (const char *line = o->out; *line != '\0'; line = strchr(line, '\n') + 1, rows++) {
		json_t *json = json_loads(line, JSON_DISABLE_EOF_CHECK, NULL);
		const char *name = json_string_value(json_object_get(json, "name"));
		bool is = json_is_true(json_object_get(json, "there"));
		there += is;
		if (is)
			ck_assert_ptr_nonnull(
			    strstr("stages mission health pose nav.status vlm.stats motor.ctl", name));
		json_decref(json);
	}
	ck_assert_int_eq(there, 7);
	int topics = 0; /* those of programs outside are there when they are declared */
	for (int i = 0; i < CAIRN_TOPIC_COUNT; i++)
		topics += !cairn_topic_is_declared(&cairn_topics[i]);
	ck_assert_int_eq(rows, topics + CAIRN_FRAME_COUNT + CAIRN_SERVICE_COUNT);
	remove_run_dir();
}
END_TEST

/* ---- asking ---- */

START_TEST(goto_waits_for_the_end_and_tells_where_no_way_leads)
{
	make_run_dir();
	start_stack((struct play){.stages = true, .operator_service = true});
	expect("goto", "1 0 --wait", 0, "sequencer goto [] 1 0 0\ngoto (1.00, 0.00) reached\n", "");
	expect("goto", "2 0 --wait", 1, NULL, "cairn goto: goto (2.00, 0.00) could not be reached\n");
	expect("goto", "3 0", 1, NULL, "cairn goto: no way leads there: walls all round\n");
	expect("goto", "1 0", 0, "sequencer goto [] 1 0 0\n", "");
	remove_run_dir();
}
END_TEST

START_TEST(requests_carry_their_arguments_and_the_answer_is_shown)
{
	make_run_dir();
	start_stack((struct play){.motor = true, .operator_service = true, .launcher = true});
	expect("goto", "-1.5 2", 0, "sequencer goto [] -1.5 2 0\n", "");
	expect("goto", "the living room", 0, "sequencer goto [the living room] 0 0 0\n", "");
	expect("explore", "--for 5s --goal 'find the bathroom'", 0,
	    "sequencer explore [find the bathroom] 0 0 5\n", "");
	expect("explore", "--for 1.5m", 0, "sequencer explore [] 0 0 90\n", "");
	expect("explore", "", 0, "sequencer explore [] 0 0 0\n", "");
	expect("stop", "", 0, "sequencer stop [] 0 0 0\n", "");
	expect("estop", "a cat", 0, "motor stop [a cat] 0 0 0\n", "");
	expect("release", "", 0, "motor release [] 0 0 0\n", "");
	expect("restart", "mapper", 0, "launcher restart [mapper] 0 0 0\n", "");
	expect("restart", "nobody", 1, "", "cairn restart: refused: launcher restart [nobody] 0 0 0\n");
	remove_run_dir();
}
END_TEST

START_TEST(stop_goes_to_the_motor_stage_when_the_sequencer_is_silent)
{
	make_run_dir();
	start_stack((struct play){.motor = true});
	const struct output *o = cairn("stop", "");
	ck_assert_int_eq(o->status, 0);
	ck_assert_str_eq(o->out, "motor stop [] 0 0 0\n");
	ck_assert_ptr_nonnull(strstr(o->err, "emergency stop instead"));
	remove_run_dir();
}
END_TEST

START_TEST(stage_that_does_not_answer_is_named)
{
	make_run_dir();
	start_stack((struct play){.motor = true});
	expect("pause", "", 3, "",
	    "cairn pause: stage 'sequencer' does not answer: 'cairn status' tells whether it runs, 'cairn "
	    "help pause' what "
	    "it needs\n");
	remove_run_dir();
}
END_TEST

START_TEST(down_waits_for_the_end_of_the_launcher)
{
	make_run_dir();
	start_stack((struct play){.launcher = true});
	char text[32];
	snprintf(text, sizeof(text), "%d\n", (int)stack);
	write_file("launcher.pid", text, "w");
	expect("down", "", 0, "launcher down [] 0 0 0\n", "");
	ck_assert_int_eq(waitpid(stack, NULL, WNOHANG), stack); /* it has ended already */
	stack = 0;
	remove_run_dir();
}
END_TEST

/* ---- running something in it ---- */

START_TEST(exec_runs_a_command_with_the_run_directory_set)
{
	make_run_dir();
	start_stack((struct play){.stages = true});
	char want[128];
	snprintf(want, sizeof(want), "%s -l\n", run_dir);
	expect("exec", "-- sh -c 'echo $CAIRN_RUN $1; exit 7' x -l", 7, want, "");
	expect("exec", "-- /nonexistent", 1, "", "cairn exec: /nonexistent: No such file or directory\n");
	remove_run_dir();
}
END_TEST

/* Maps this user to itself in a new user namespace, as an ordinary user's stack does. */
static bool map_user(uid_t uid, gid_t gid)
{
	const char *names[] = {"/proc/self/setgroups", "/proc/self/uid_map", "/proc/self/gid_map"};
	char texts[3][64] = {"deny", "", ""};
	snprintf(texts[1], sizeof(texts[1]), "%u %u 1", (unsigned)uid, (unsigned)uid);
	snprintf(texts[2], sizeof(texts[2]), "%u %u 1", (unsigned)gid, (unsigned)gid);
	for (int i = 0; i < 3; i++) {
		int fd = open(names[i], O_WRONLY | O_CLOEXEC);
		ssize_t n = fd >= 0 ? write(fd, texts[i], strlen(texts[i])) : -1;
		if (fd >= 0)
			close(fd);
		if (n < 0)
			return false;
	}
	return true;
}

START_TEST(exec_enters_the_mount_namespace_of_the_stack)
{
	make_run_dir();
	int ready[2];
	char byte = 0, path[128], text[32];
	snprintf(path, sizeof(path), "%s/private", run_dir);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert_int_eq(pipe(ready), 0);
	uid_t uid = getuid();
	gid_t gid = getgid();
	stack = fork();
	if (stack == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		bool ok = unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && map_user(uid, gid);
		ok = (ok || unshare(CLONE_NEWNS) == 0) &&
		     mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
		     mount("tmpfs", path, "tmpfs", 0, NULL) == 0;
		if (ok)
			write_file("private/inside", "only here\n", "w");
		byte = ok ? 'y' : 'n';
		if (write(ready[1], &byte, 1) == 1)
			pause();
		_exit(0);
	}
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	if (byte == 'y') {
		snprintf(text, sizeof(text), "%d\n", (int)stack);
		write_file("ns.pid", text, "w");
		write_file("launcher.pid", text, "w");
		char args[256];
		snprintf(args, sizeof(args), "-- cat %s/inside", path);
		expect("exec", args, 0, "only here\n", "");
		strcat(path, "/inside");
		ck_assert_int_ne(access(path, F_OK), 0); /* not out here */
	}
	remove_run_dir();
	if (byte != 'y')
		CAIRN_SKIP("no mount namespaces here");
}
END_TEST

CAIRN_TEST_MAIN("cli_stack", status_shows_the_stack_and_ends_with_0_when_all_is_well,
    status_ends_with_1_when_a_stage_is_down, status_says_that_it_waits_for_a_slow_model_and_how_slow,
    status_shows_what_the_robot_needs_help_with, echo_prints_messages_as_json_lines,
    record_writes_a_file_that_recording_calls_whole_and_repairs_when_it_was_cut,
    hz_counts_what_was_sent_and_its_age, plot_draws_a_number_as_characters_and_as_a_picture,
    topics_tell_who_is_there, goto_waits_for_the_end_and_tells_where_no_way_leads,
    requests_carry_their_arguments_and_the_answer_is_shown,
    stop_goes_to_the_motor_stage_when_the_sequencer_is_silent, stage_that_does_not_answer_is_named,
    down_waits_for_the_end_of_the_launcher, exec_runs_a_command_with_the_run_directory_set,
    exec_enters_the_mount_namespace_of_the_stack)
