#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <time.h>
#include <zmq.h>

#include "common/base/geom.h"
#include "ipc/bus.h"
#include "test/cli/harness.h"

/* ---- a stack played by a child ---- */

struct play {
	bool stages, motor, operator_service, launcher;
	bool broken_stage;
};

static bool launcher_told_down;

static void on_command(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	const char *service = ctx;
	reply->ok = strcmp(cmd->verb, "home") != 0 && strcmp(cmd->arg, "nobody") != 0;
	snprintf(reply->text, sizeof(reply->text), "%s %s [%.60s] %g %g %g", service, cmd->verb, cmd->arg,
	    cmd->x_m, cmd->y_m, cmd->limit_s);
	if (strcmp(cmd->verb, "down") == 0)
		launcher_told_down = true;
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
	stages.items_count = 1;
	snprintf(stages.items[0].name, sizeof(stages.items[0].name), "mapper");
	stages.items[0].state = play->broken_stage ? CAIRN_STAGE_STATE_BACKOFF : CAIRN_STAGE_STATE_UP;
	stages.items[0].pid = 4711;
	cairn_pub_send(pubs[0], &stages, now_ns, true);
	cairn_pub_send(pubs[1], &mission, now_ns, true);
	cairn_pub_send(pubs[2], &health, now_ns, true);
	cairn_pub_send(pubs[3], &pose, now_ns, true);
}

_Noreturn static void play_stack(const struct play *play, int ready_fd)
{
	struct cairn_error err = {""};
	struct cairn_bus *bus = cairn_bus_new(run_dir, &err);
	struct cairn_pub *pubs[4] = {NULL};
	struct cairn_server *servers[3];
	zmq_pollitem_t items[3];
	int n = 0;
	static char names[3][16] = {"motor", "sequencer", "launcher"};
	const enum cairn_topic topics[4] = {
	    CAIRN_TOPIC_STAGES, CAIRN_TOPIC_MISSION, CAIRN_TOPIC_HEALTH, CAIRN_TOPIC_POSE};
	for (int i = 0; play->stages && i < 4; i++)
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

/* ---- nothing there ---- */

START_TEST(commands_without_a_stack_say_so_and_end_with_3)
{
	static const char *const lines[][2] = {{"status", ""}, {"restart", "mapper"}, {"explore", ""},
	    {"goto", "1 2"}, {"stop", ""}, {"estop", ""}, {"echo", "scan"}, {"hz", "scan"}, {"down", ""},
	    {"exec", "-- true"}, {"config", "--effective"}};
	make_run_dir();
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char want[256];
		snprintf(want, sizeof(want), "cairn %s: nothing is running in %s\n", lines[i][0], run_dir);
		expect(lines[i][0], lines[i][1], 3, "", want);
	}
	remove_run_dir();
}
END_TEST

START_TEST(wrong_usage_ends_with_2_and_one_line)
{
	static const char *const lines[][2] = {{"goto", "1"}, {"goto", "1 north"}, {"goto", "nan 1"},
	    {"status", "--fast"}, {"status", "now"}, {"explore", "--for"}, {"explore", "--for soon"},
	    {"echo", "nothing"}, {"echo", "heartbeat"}, {"echo", "-n 0 scan"}, {"hz", "camera.rgb"},
	    {"logs", "-n many"}, {"bench", "nothing"}, {"eval", "nothing"},
	    {"eval", "arenas --hours 2"}, {"eval", "bus x"}, {"eval", "arenas --seed 1 --seed 2"}, {"eval", "replay"},
	    {"eval", "frequency --seeds 201"}, {"eval", "explore --seeds 1001"}, {"eval", "arenas --mode dream"},
	    {"eval", "explore studio.yaml"}, {"eval", "chaos --for soon"}, {"eval", "safety --hours many"},
	    {"config", "--set robot.speed_max_mps=9"}, {"config", "--config /nonexistent.yaml"},
	    {"restart", "--json x"}, {"nothing", ""}};
	make_run_dir();
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const struct output *o = cairn(lines[i][0], lines[i][1]);
		ck_assert_msg(
		    o->status == 2, "%s %s: status %d: %s", lines[i][0], lines[i][1], o->status, o->err);
		ck_assert_str_eq(o->out, "");
		ck_assert_ptr_eq(strchr(o->err, '\n'), o->err + strlen(o->err) - 1);
	}
	remove_run_dir();
}
END_TEST

START_TEST(every_command_has_help)
{
	make_run_dir();
	static char list[sizeof(((struct output *)NULL)->out)];
	char name[32];
	strcpy(list, cairn("help", "")->out);
	int commands = 0;
	for (char *rest = NULL, *line = strtok_r(list, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		char want[64];
		if (strncmp(line, "  ", 2) != 0 || sscanf(line, " %31s", name) != 1 ||
		    strcmp(name, "up") == 0)
			continue;
		const struct output *o = cairn(name, "--help");
		snprintf(want, sizeof(want), "usage: cairn %s ", name);
		ck_assert_msg(
		    o->status == 0 && strncmp(o->out, want, strlen(want)) == 0, "%s: %s", name, o->out);
		commands++;
	}
	ck_assert_int_gt(commands, 15);
	remove_run_dir();
}
END_TEST

/* ---- watching ---- */

START_TEST(status_shows_the_stack_and_ends_with_0_when_all_is_well)
{
	make_run_dir();
	start_stack((struct play){.stages = true});
	const struct output *o = cairn("status", "");
	ck_assert_msg(o->status == 0, "%s", o->err);
	ck_assert_ptr_nonnull(strstr(o->out, "mission   exploring for 0:01:01"));
	ck_assert_ptr_nonnull(strstr(o->out, "heading E 90°"));
	ck_assert_ptr_nonnull(strstr(o->out, "mapper         up           4711"));
	ck_assert_ptr_nonnull(strstr(o->out, "silent    "));
	ck_assert_ptr_nonnull(strstr(o->out, "drives  on?")); /* a hostile text does not clear the terminal */
	json_t *json = parsed(cairn("status", "--json")->out);
	ck_assert(json_is_true(json_object_get(json, "well")));
	ck_assert(json_is_null(json_object_get(json, "battery")));
	ck_assert_int_eq(
	    json_integer_value(json_object_get(json_object_get(json, "mission"), "decisions")), 14);
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

START_TEST(echo_prints_messages_as_json_lines)
{
	make_run_dir();
	start_stack((struct play){.stages = true});
	const struct output *o = cairn("echo", "-n 2 pose");
	ck_assert_msg(o->status == 0, "%s", o->err);
	char *second = strchr(o->out, '\n');
	ck_assert_ptr_nonnull(second);
	json_t *a = json_loads(o->out, JSON_DISABLE_EOF_CHECK, NULL), *b = parsed(second + 1);
	ck_assert_int_gt(
	    json_integer_value(json_object_get(b, "seq")), json_integer_value(json_object_get(a, "seq")));
	ck_assert_double_eq(json_number_value(json_object_get(json_object_get(a, "data"), "x_m")), 1.25);
	json_decref(a);
	json_decref(b);
	o = cairn("echo", "--timeout 100ms scan");
	ck_assert_int_eq(o->status, 3);
	ck_assert_ptr_nonnull(strstr(o->err, "no message within 0.1 s"));
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
			ck_assert_ptr_nonnull(strstr("stages mission health pose motor.ctl", name));
		json_decref(json);
	}
	ck_assert_int_eq(there, 5);
	ck_assert_int_eq(rows, CAIRN_TOPIC_COUNT + CAIRN_FRAME_COUNT + CAIRN_SERVICE_COUNT);
	remove_run_dir();
}
END_TEST

START_TEST(logs_are_merged_by_time_and_filtered)
{
	make_run_dir();
	write_file("logs/mapper.log", "1.000 I mapper a.c:1 one\n3.000 W mapper a.c:1 three\n", "w");
	write_file("logs/motor.log",
	    "2.000 E motor b.c:1 two\n  more of two \033[31m\n4.000 D motor b.c:1 four\n5.0 I half", "w");
	expect("logs", "", 0,
	    "1.000 I mapper a.c:1 one\n2.000 E motor b.c:1 two\n  more of two \n3.000 W mapper a.c:1 "
	    "three\n"
	    "4.000 D motor b.c:1 four\n",
	    "");
	expect("logs", "-n 1", 0, "3.000 W mapper a.c:1 three\n4.000 D motor b.c:1 four\n", "");
	expect("logs", "mapper -n1", 0, "3.000 W mapper a.c:1 three\n", "");
	expect("logs", "--level=warn -n 1 mapper", 0, "3.000 W mapper a.c:1 three\n", "");
	expect("logs", "--level error --json", 0,
	    "{\"t_s\":2.000,\"stage\":\"motor\",\"level\":\"error\",\"line\":\"2.000 E motor b.c:1 two\"}\n"
	    "{\"t_s\":2.000,\"stage\":\"motor\",\"level\":\"error\",\"line\":\"  more of two "
	    "\\u001b[31m\"}\n",
	    "");
	expect("logs", "nobody", 2, "", NULL);
	remove_run_dir();
}
END_TEST

START_TEST(logs_follow_new_lines_and_rotation)
{
	make_run_dir();
	write_file("logs/mapper.log", "1.000 I mapper a.c:1 one\n", "w");
	int fds[2];
	ck_assert_int_eq(pipe(fds), 0);
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(fds[1], STDOUT_FILENO);
		execl(CAIRN_PROGRAM, "cairn", "logs", "-f", "--run", run_dir, "mapper", (char *)NULL);
		_exit(127);
	}
	close(fds[1]);
	FILE *out = fdopen(fds[0], "r");
	char line[128], from[160], to[160];
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), out));
	ck_assert_str_eq(line, "1.000 I mapper a.c:1 one\n");
	write_file("logs/mapper.log", "2.000 I mapper a.c:1 two\n", "a");
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), out));
	ck_assert_str_eq(line, "2.000 I mapper a.c:1 two\n");
	snprintf(from, sizeof(from), "%s/logs/mapper.log", run_dir);
	snprintf(to, sizeof(to), "%s/logs/mapper.log.1", run_dir);
	ck_assert_int_eq(rename(from, to), 0);
	write_file("logs/mapper.log", "3.000 I mapper a.c:1 three\n", "w");
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), out));
	ck_assert_str_eq(line, "3.000 I mapper a.c:1 three\n");
	int status;
	kill(pid, SIGINT);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	fclose(out);
	remove_run_dir();
}
END_TEST

/* ---- asking ---- */

START_TEST(requests_carry_their_arguments_and_the_answer_is_shown)
{
	make_run_dir();
	start_stack((struct play){.motor = true, .operator_service = true, .launcher = true});
	expect("goto", "-1.5 2", 0, "sequencer goto [] -1.5 2 0\n", "");
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
	expect("pause", "", 3, "", "cairn pause: stage 'sequencer' does not answer\n");
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

/* ---- the rest ---- */

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

START_TEST(config_merges_its_layers_and_names_what_is_wrong)
{
	make_run_dir();
	char path[128], args[256];
	snprintf(path, sizeof(path), "%s/mine.yaml", run_dir);
	write_file("mine.yaml", "robot:\n  speed_max_mps: 0.45\nsim:\n  seed: 3\n", "w");
	snprintf(args, sizeof(args), "--json --config %s --set sim.seed=4", path);
	json_t *json = parsed(cairn("config", args)->out);
	ck_assert_double_eq(
	    json_number_value(json_object_get(json_object_get(json, "robot"), "speed_max_mps")), 0.45);
	ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(json, "sim"), "seed")), 4);
	json_decref(json);
	char want[256];
	write_file("mine.yaml", "robot:\n  sped_max_mps: 0.45\n", "w");
	snprintf(want, sizeof(want),
	    "cairn config: %s: line 2: robot.sped_max_mps: unknown key; did you mean 'speed_max_mps'?\n",
	    path);
	expect("config", args, 2, "", want);
	remove_run_dir();
}
END_TEST

START_TEST(bench_and_eval_print_the_agreed_json)
{
	make_run_dir();
	const struct output *o = cairn("bench", "codec --json");
	ck_assert_int_eq(o->status, 0);
	int lines = 0;
	for (const char *line = o->out; *line != '\0'; line = strchr(line, '\n') + 1, lines++) {
		json_t *json = json_loads(line, JSON_DISABLE_EOF_CHECK, NULL);
		ck_assert(json_is_string(json_object_get(json, "name")));
		ck_assert(json_number_value(json_object_get(json, "value")) > 0.0);
		ck_assert(json_is_string(json_object_get(json, "unit")));
		json_decref(json);
	}
	ck_assert_int_ge(lines, 3);
	o = cairn("eval", "bus --json");
	ck_assert_msg(o->status == 0, "%s", o->out);
	json_t *json = parsed(o->out);
	ck_assert(json_is_true(json_object_get(json, "passed")));
	json_decref(json);
	remove_run_dir();
}
END_TEST

static void compare_with_file(const char *command, const char *below)
{
	static char text[sizeof(((struct output *)NULL)->out)];
	char path[512];
	snprintf(path, sizeof(path), "%s/%s", CAIRN_SOURCE_ROOT, below);
	FILE *file = fopen(path, "r");
	ck_assert_msg(file != NULL, "%s is missing: scripts/docs.sh makes it", below);
	size_t n = fread(text, 1, sizeof(text) - 1, file);
	text[n] = '\0';
	fclose(file);
	ck_assert_msg(strcmp(cairn(command, "--markdown")->out, text) == 0,
	    "%s is out of date: run scripts/docs.sh", below);
}

START_TEST(reference_pages_are_up_to_date)
{
	make_run_dir();
	compare_with_file("topics", "docs/bus.md");
	compare_with_file("config", "docs/config.md");
	remove_run_dir();
}
END_TEST

START_TEST(install_service_writes_a_unit_that_starts_this_very_program)
{
	char args[200], path[160], line[400];
	make_run_dir();
	write_file("robot.yaml", "{}\n", "w");
	snprintf(args, sizeof(args), "--dir '%s' --config '%s/robot.yaml'", run_dir, run_dir);
	ck_assert_int_eq(cairn("install-service", args)->status, 0);
	snprintf(path, sizeof(path), "%s/cairn.service", run_dir);
	FILE *file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	bool starts = false, notifies = false;
	while (fgets(line, sizeof(line), file) != NULL) {
		char program[300];
		if (sscanf(line, "ExecStart=%299s", program) == 1)
			starts = access(program, X_OK) == 0 && strstr(line, "/robot.yaml\n") != NULL;
		notifies = notifies || strcmp(line, "Type=notify\n") == 0;
	}
	fclose(file);
	ck_assert(starts);
	ck_assert(notifies);
	ck_assert(strstr(cairn("install-service", "--print")->out, "SupplementaryGroups") == NULL);
	snprintf(args, sizeof(args), "--print --config '%s/robot.yaml'", run_dir);
	write_file("robot.yaml", "launcher: {service_user: daemon, service_groups: 'dialout, video'}\n", "w");
	ck_assert_ptr_nonnull(strstr(cairn("install-service", args)->out,
	    "\nUser=daemon\nAmbientCapabilities=CAP_SYS_NICE CAP_IPC_LOCK\nSupplementaryGroups=dialout video\n"));
	write_file("robot.yaml", "launcher: {service_groups: nobody-has-this}\n", "w");
	expect("install-service", args, 2, "",
	    "cairn install-service: launcher.service_groups: there is no group 'nobody-has-this'\n");
	expect("install-service", "--config /nowhere.yaml", 2, "",
	    "cairn install-service: --config: /nowhere.yaml: No such file or directory\n");
	ck_assert_int_eq(cairn("install-service", "--dir /nowhere")->status, 1);
	remove_run_dir();
}
END_TEST

CAIRN_TEST_MAIN("cli", commands_without_a_stack_say_so_and_end_with_3, wrong_usage_ends_with_2_and_one_line,
    every_command_has_help, status_shows_the_stack_and_ends_with_0_when_all_is_well,
    status_ends_with_1_when_a_stage_is_down, echo_prints_messages_as_json_lines,
    hz_counts_what_was_sent_and_its_age, topics_tell_who_is_there, logs_are_merged_by_time_and_filtered,
    logs_follow_new_lines_and_rotation, requests_carry_their_arguments_and_the_answer_is_shown,
    stop_goes_to_the_motor_stage_when_the_sequencer_is_silent, stage_that_does_not_answer_is_named,
    down_waits_for_the_end_of_the_launcher, exec_runs_a_command_with_the_run_directory_set,
    exec_enters_the_mount_namespace_of_the_stack, config_merges_its_layers_and_names_what_is_wrong,
    bench_and_eval_print_the_agreed_json, install_service_writes_a_unit_that_starts_this_very_program,
    reference_pages_are_up_to_date)
