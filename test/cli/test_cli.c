/* What the tool does by itself. */
#include <fcntl.h>
#include <sys/prctl.h>

#include "ipc/bus.h"
#include "test/cli/harness.h"

/* ---- nothing there ---- */

START_TEST(commands_without_a_stack_say_so_and_end_with_3)
{
	static const char *const lines[][2] = {{"status", ""}, {"restart", "mapper"}, {"explore", ""},
	    {"goto", "1 2"}, {"stop", ""}, {"estop", ""}, {"echo", "scan"}, {"hz", "scan"},
	    {"plot", "pose.x_m"}, {"down", ""}, {"exec", "-- true"}, {"config", "--effective"}};
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
	    {"plot", "pose"}, {"plot", "pose.reason"}, {"plot", "imu.gyro_radps"}, {"logs", "-n many"},
	    {"bench", "nothing"}, {"eval", "nothing"}, {"eval", "arenas --hours 2"}, {"eval", "bus x"},
	    {"eval", "arenas --seed 1 --seed 2"}, {"eval", "replay"}, {"eval", "frequency --seeds 201"},
	    {"eval", "explore --seeds 1001"}, {"eval", "arenas --mode dream"},
	    {"eval", "explore studio.yaml"}, {"eval", "chaos --for soon"}, {"eval", "safety --hours many"},
	    {"config", "--set robot.speed_max_mps=9"}, {"config", "--config /nonexistent.yaml"},
	    {"eval", "chaos --for 0"}, {"eval", "soak --for 0s"}, {"eval", "cost --for 0"},
	    {"bench", "reaction --samples 0"}, {"bench", "consumers --for 0"}, {"look", "-5"},
	    {"look", "99999999999999999999"}, {"map", "--rle --tokens -4"}, {"restart", "--json x"},
	    {"nothing", ""}, {"$(printf '\\033[31mred')", ""}};
	make_run_dir();
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const struct output *o = cairn(lines[i][0], lines[i][1]);
		ck_assert_msg(
		    o->status == 2, "%s %s: status %d: %s", lines[i][0], lines[i][1], o->status, o->err);
		ck_assert_str_eq(o->out, "");
		ck_assert_ptr_eq(strchr(o->err, '\n'), o->err + strlen(o->err) - 1);
		ck_assert_ptr_null(strchr(o->err, '\033'));
	}
	remove_run_dir();
}
END_TEST

START_TEST(discoveries_are_told_of_a_run_that_has_ended)
{
	static const char memory[] =
	    "version: 1\nledger:\n  calls: 0\n  failures: 0\n  decisions: 0\n  tokens_in: 0\n  "
	    "tokens_cached: 0\n"
	    "  tokens_out: 0\n  cost_usd: 0\ncurrent_room: 0\nforgotten: 1\nreports: 3\ndropped: 1\n"
	    "dropped_label: vase\nrooms:\n- name: kitchen\n  entered_from: hall\n  x_m: 4\n  y_m: 1\n  "
	    "visits: 1\n"
	    "  id: 3\n  objects: []\ndiscoveries:\n- label: red chair\n  notes: by the door\n  room: hall\n"
	    "  significance: 1\n  x_m: 1.5\n  y_m: -0.5\n  id: 2\n  unix_s: 1700000000\n  snapshot_id: 7\n"
	    "  picture: 2.jpg\ndead_ends: []\nresults: []\n";
	char path[128], want[256];
	static const char *const asked[] = {"discoveries", "scene", "scene recall cup"};
	snprintf(run_dir, sizeof(run_dir), "/tmp/cairn-cli-nowhere"); /* it is not there */
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		const struct output *a = cairn(asked[i], "");
		ck_assert_int_eq(a->status, 3);
		ck_assert_msg(
		    strstr(a->err, "no robot has run in /tmp/cairn-cli-nowhere") != NULL, "%s", a->err);
	}
	make_run_dir();
	expect("discoveries", "", 0, "nothing was reported yet\n", "");
	snprintf(path, sizeof(path), "%s/state", run_dir);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	write_file("state/memory.yaml", memory, "w");
	const char *out = cairn("discoveries", "")->out;
	ck_assert_ptr_nonnull(strstr(out, "object   \"red chair\" at 1.5 -0.5, 2023-11-"));
	snprintf(want, sizeof(want), ", in \"hall\": by the door [%s/state/pictures/2.jpg]\n", run_dir);
	ck_assert_msg(strstr(out, want) != NULL, "%s", out);
	ck_assert_ptr_nonnull(strstr(out, "room     \"kitchen\" at 4.0 1.0, -, entered from \"hall\"\n"));
	ck_assert_ptr_nonnull(
	    strstr(out, "1 made room for newer ones, \"vase\" last (vlm.rooms_max rooms and "
			"vlm.discoveries_max things are kept)\n"));
	json_t *all = json_loads(cairn("discoveries", "--json")->out, 0, NULL);
	const json_t *first = json_array_get(json_object_get(all, "items"), 0);
	ck_assert_str_eq(json_string_value(json_object_get(first, "label")), "red chair");
	ck_assert_str_eq(json_string_value(json_object_get(first, "kind")), "object");
	ck_assert_str_eq(json_string_value(json_object_get(first, "snapshot_id")), "7");
	json_decref(all);
	write_file("state/memory.yaml", "rooms: x\n", "w");
	ck_assert_int_eq(cairn("discoveries", "")->status, 1); /* not taken for an empty one */
	remove_run_dir();
}
END_TEST

/* ---- logs ---- */

/* The last change of a file. */
static void written(const char *name, long unix_s)
{
	char path[160];
	const struct timespec times[2] = {{.tv_sec = unix_s}, {.tv_sec = unix_s}};
	snprintf(path, sizeof(path), "%s/%s", run_dir, name);
	ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

START_TEST(logs_are_merged_by_time_and_filtered)
{
	make_run_dir();
	write_file("logs/mapper.log", "1.000 I mapper a.c:1 one\n3.000 W mapper a.c:1 three\n", "w");
	write_file("logs/motor.log",
	    "2.000 E motor b.c:1 two\n  more of two \033[31m\n4.000 D motor b.c:1 four\n5.0 I half", "w");
	written(
	    "logs/mapper.log", 1700000003); /* with its last line, whose time is 3 s on the robot's clock */
	written("logs/motor.log", 1700000004);
	setenv("TZ", "UTC", 1);
	expect("logs", "", 0,
	    "2023-11-14 22:13:21.000 I mapper a.c:1 one\n2023-11-14 22:13:22.000 E motor b.c:1 two\n  more "
	    "of two \n2023-11-14 22:13:23.000 W mapper a.c:1 "
	    "three\n"
	    "2023-11-14 22:13:24.000 D motor b.c:1 four\n",
	    "");
	expect("logs", "-n 1", 0,
	    "2023-11-14 22:13:23.000 W mapper a.c:1 three\n2023-11-14 22:13:24.000 D motor b.c:1 four\n", "");
	expect("logs", "mapper -n1", 0, "2023-11-14 22:13:23.000 W mapper a.c:1 three\n", "");
	expect("logs", "--level=warn -n 1 mapper", 0, "2023-11-14 22:13:23.000 W mapper a.c:1 three\n", "");
	expect("logs", "--level error --json", 0,
	    "{\"t_s\":2.000,\"unix_s\":1700000002.000,\"stage\":\"motor\",\"level\":\"error\",\"line\":\"2."
	    "000 E motor b.c:1 two\"}\n"
	    "{\"t_s\":2.000,\"unix_s\":1700000002.000,\"stage\":\"motor\",\"level\":\"error\",\"line\":\"  "
	    "more of two "
	    "\\u001b[31m\"}\n",
	    "");
	expect("logs", "nobody", 2, "", NULL);
	remove_run_dir();
}
END_TEST

START_TEST(the_log_of_decisions_neither_moves_the_cursor_nor_has_forged_lines)
{
	char path[160];
	make_run_dir();
	expect("decisions", "", 3, "", "cairn decisions: nothing was decided yet\n");
	expect("map", "", 3, "", NULL);
	ck_assert_ptr_nonnull(strstr(cairn("map", "")->err, "there is no map yet in "));
	snprintf(path, sizeof(path), "%s/state", run_dir);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	write_file("state/commands.jsonl",
	    "{\"t\":1.0,\"command\":{\"verb\":\"goto\",\"arg\":\"\\u001b[2J\\n1970-01-01 command release\","
	    "\"who\":\"key bob\\u009b31m\\u202e\",\"ok\":false,\"text\":\"\\u001b]0;x\\u0007\"}}\n",
	    "w");
	const struct output *o = cairn("decisions", "");
	ck_assert_int_eq(o->status, 0);
	ck_assert_msg(strstr(o->out, "command goto ?1970-01-01 command release\n") != NULL, "%s", o->out);
	ck_assert_msg(strstr(o->out, "by       key bob?31m?\n") != NULL, "%s", o->out);
	ck_assert_msg(strstr(o->out, "refused: ?]0;x?\n") != NULL, "%s", o->out);
	o = cairn("decisions", "--json");
	ck_assert(o->status == 0 && strchr(o->out, '\033') == NULL && strstr(o->out, "\xC2\x9B") == NULL);
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
	ck_assert_str_eq(line + strlen("2026-11-26 03:50:33.123 "), "I mapper a.c:1 one\n");
	write_file("logs/mapper.log", "2.000 I mapper a.c:1 two\n", "a");
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), out));
	ck_assert_str_eq(line + strlen("2026-11-26 03:50:33.123 "), "I mapper a.c:1 two\n");
	snprintf(from, sizeof(from), "%s/logs/mapper.log", run_dir);
	snprintf(to, sizeof(to), "%s/logs/mapper.log.1", run_dir);
	ck_assert_int_eq(rename(from, to), 0);
	write_file("logs/mapper.log", "3.000 I mapper a.c:1 three\n", "w");
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), out));
	ck_assert_str_eq(line + strlen("2026-11-26 03:50:33.123 "), "I mapper a.c:1 three\n");
	int status;
	kill(pid, SIGINT);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	fclose(out);
	remove_run_dir();
}
END_TEST

/* ---- decisions ---- */

START_TEST(decisions_and_commands_read_as_people_speak)
{
	char dir[128];
	make_run_dir();
	snprintf(dir, sizeof(dir), "%s/state", run_dir);
	ck_assert_int_eq(mkdir(dir, 0700), 0);
	write_file("state/decisions.jsonl",
	    "{\"t\":10.25,\"id\":7,\"what\":\"turn left\",\"provider\":\"pilot\",\"model\":\"m\","
	    "\"snapshot\":{\"id\":3,\"hash\":\"ab\",\"x_m\":1.0,\"y_m\":0.5,\"yaw_rad\":1.5707963,"
	    "\"age_s\":0.1}}\n",
	    "w");
	write_file("state/commands.jsonl",
	    "{\"t\":11.0,\"command\":{\"service\":\"motor.ctl\",\"verb\":\"stop\",\"arg\":\"a cat\","
	    "\"who\":\"uid 0\",\"ok\":true,\"text\":\"stopped\"}}\n"
	    "{\"t\":12.0,\"command\":{\"service\":\"operator\",\"verb\":\"stop\",\"arg\":\"\","
	    "\"who\":\"uid 0\",\"ok\":true,\"text\":\"ended\"}}\n",
	    "w");
	const struct output *o = cairn("decisions", "");
	ck_assert_int_eq(o->status, 0);
	ck_assert_msg(
	    strstr(o->out, "at x 1.00 m, y 0.50 m, heading W 270°, 0.10 s old\n") != NULL, "%s", o->out);
	ck_assert_msg(strstr(o->out, "  command estop a cat\n") != NULL, "%s", o->out);
	ck_assert_msg(strstr(o->out, "  command stop\n") != NULL, "%s", o->out);
	remove_run_dir();
}
END_TEST

START_TEST(bringup_names_silent_devices_as_they_were_given)
{
	make_run_dir();
	const struct output *o = cairn(
	    "bringup", "--set robot.base_device=/dev/none-base --set robot.lidar_device=/dev/none-lidar");
	ck_assert_int_eq(o->status, 1);
	ck_assert_msg(strstr(o->out, "base /dev/none-base: silent; LiDAR /dev/none-lidar: silent") != NULL,
	    "%s%s", o->out, o->err);
	remove_run_dir();
}
END_TEST

START_TEST(look_shows_what_the_model_was_given_as_it_was_sent)
{
	char path[128], want[256];
	make_run_dir();
	expect("look", "", 3, NULL, NULL);
	snprintf(path, sizeof(path), "%s/state", run_dir);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	strcat(path, "/sent");
	ck_assert_int_eq(mkdir(path, 0700), 0);
	write_file("state/sent/7.jpg", "a picture", "w");
	write_file("state/decisions.jsonl",
	    "{\"t\":10.25,\"id\":7,\"what\":\"navigate_to_goal "
	    "F3\",\"prompt\":{\"context\":\"SENSORS\\nfront "
	    "240\\nFRONTIERS\\nF3 45L 160\\u001b[2J\\n\"}}\n"
	    "{\"t\":11.25,\"id\":8,\"what\":\"rotate 90\",\"prompt\":{\"context\":\"SENSORS\\nfront "
	    "80\\n\"}}\n",
	    "w");
	const struct output *o = cairn("look", "7");
	ck_assert_int_eq(o->status, 0);
	ck_assert_msg(strncmp(o->out, "SENSORS\nfront 240\nFRONTIERS\nF3 45L 160\ndecision: 7, ", 52) == 0,
	    "%s", o->out);
	snprintf(want, sizeof(want), ": navigate_to_goal F3\npicture: %s/state/sent/7.jpg\n", run_dir);
	ck_assert_msg(strstr(o->out, want) != NULL, "%s", o->out);
	o = cairn("look", ""); /* the newest; it went without a picture */
	ck_assert_msg(
	    o->status == 0 && strncmp(o->out, "SENSORS\nfront 80\ndecision: 8, ", 30) == 0, "%s", o->out);
	ck_assert_ptr_nonnull(strstr(o->err, "no picture is kept of this decision"));
	remove_run_dir();
}
END_TEST

START_TEST(look_at_now_leaves_files_as_they_are_where_nothing_runs)
{
	static const char *const names[] = {"pic.jpg", "pic-above.jpg", "whole", "snapshot.jpg"};
	char args[320];
	make_run_dir();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		write_file(names[i], "mine", "w");
	snprintf(args, sizeof(args), "--now --out %s/pic.jpg --save %s/whole", run_dir, run_dir);
	expect("look", args, 3, "", NULL);
	expect("look", "--now", 3, "", NULL); /* to RUN/snapshot.jpg */
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[128];
		struct stat st;
		snprintf(path, sizeof(path), "%s/%s", run_dir, names[i]);
		ck_assert_msg(stat(path, &st) == 0 && st.st_size == 4, "%s is gone or empty", names[i]);
	}
	remove_run_dir();
}
END_TEST

START_TEST(what_is_no_recording_is_refused_before_anything_starts)
{
	static const struct {
		const char *name, *says;
	} rows[] = {{"nothing", "No such file"}, {"folder", "not a file (a folder)"},
	    {"fifo", "not a file (a device"}, {"empty", "no MCAP file"}, {"junk", "no MCAP file"},
	    {"cut", "no recording of cairn"}};
	char args[160], path[128];
	make_run_dir();
	snprintf(path, sizeof(path), "%s/folder", run_dir);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/fifo", run_dir);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	write_file("empty", "", "w");
	write_file("junk", "ODOM 0 0 0\n", "w");
	write_file("cut", "\x89MCAP0\r\n", "w");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(args, sizeof(args), "%s/%s", run_dir, rows[i].name);
		const struct output *o = cairn("replay", args);
		ck_assert_msg(o->status == 2, "%s: status %d: %s", rows[i].name, o->status, o->err);
		ck_assert_msg(strstr(o->err, rows[i].name) != NULL && strstr(o->err, rows[i].says) != NULL,
		    "%s", o->err);
		snprintf(path, sizeof(path), "%s/up.lock", run_dir);
		ck_assert_int_ne(access(path, F_OK), 0);
	}
	remove_run_dir();
}
END_TEST

/* ---- the rest ---- */

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
	/* A robot's signs and its camera, found apart: none of two files is lost, and the second lies over the first. */
	write_file("camera.yaml", "robot:\n  camera_pitch_rad: 0.1\nsim:\n  seed: 5\n", "w");
	snprintf(args, sizeof(args), "--json --config %s --config %s/camera.yaml", path, run_dir);
	json = parsed(cairn("config", args)->out);
	json_t *robot = json_object_get(json, "robot");
	ck_assert_double_eq(json_number_value(json_object_get(robot, "speed_max_mps")), 0.45);
	ck_assert_double_eq(json_number_value(json_object_get(robot, "camera_pitch_rad")), 0.1);
	ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(json, "sim"), "seed")), 5);
	json_decref(json);
	snprintf(args, sizeof(args), "--json --config %s --set sim.seed=4", path);
	char want[256];
	write_file("mine.yaml", "robot:\n  sped_max_mps: 0.45\n", "w");
	snprintf(want, sizeof(want),
	    "cairn config: %s: line 2: robot.sped_max_mps: unknown key; did you mean 'speed_max_mps'?\n",
	    path);
	expect("config", args, 2, "", want);
	remove_run_dir();
}
END_TEST

START_TEST(a_wrong_world_is_answered_with_the_bundled_ones_and_a_short_time_with_what_it_is_short_for)
{
	make_run_dir();
	expect("up", "--headless --world castle", 2, "",
	    "cairn up: sim.world: castle: No such file or directory; bundled are: home-tasks, home, loop, "
	    "studio\n");
	/* the name of a bundled one will do: what is checked after it is missing */
	unsetenv("OPENAI_API_KEY");
	const struct output *o = cairn("up", "--headless --world studio --set vlm.provider=openai");
	ck_assert_int_eq(o->status, 2);
	ck_assert_msg(strstr(o->err, "OPENAI_API_KEY is not set") != NULL, "%s", o->err);
	o = cairn("up", "--headless --world castle --for 5s");
	ck_assert_int_eq(o->status, 2);
	ck_assert_msg(strstr(o->err, "5 s end before much can happen") != NULL, "%s", o->err);
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
	bool starts = false, notifies = false, remembers = false;
	while (fgets(line, sizeof(line), file) != NULL) {
		remembers |= strcmp(line, "StateDirectory=cairn\n") == 0;
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
	    "\nUser=daemon\nAmbientCapabilities=CAP_SYS_NICE CAP_IPC_LOCK\n"
	    "CapabilityBoundingSet=CAP_SYS_NICE CAP_IPC_LOCK\n"
	    "SupplementaryGroups=dialout video\n"));
	const char *unit = cairn("install-service", "--print --package /opt/cairn")->out;
	ck_assert_ptr_nonnull(strstr(unit, "\nExecStart=/opt/cairn/bin/cairn up --headless --stay "));
	ck_assert_ptr_nonnull(strstr(unit, " --config /etc/cairn/cairn.yaml\nUser=cairn\n"));
	ck_assert_int_eq(cairn("install-service", "--print --package opt")->status, 2);
	write_file("robot.yaml", "launcher: {service_groups: nobody-has-this}\n", "w");
	expect("install-service", args, 2, "",
	    "cairn install-service: launcher.service_groups: there is no group 'nobody-has-this'\n");
	expect("install-service", "--config /a.yaml --config /b.yaml", 2, "",
	    "cairn install-service: --config: a unit reads one file; copy the others into it\n");
	expect("install-service", "--config /nowhere.yaml", 2, "",
	    "cairn install-service: --config: /nowhere.yaml: No such file or directory\n");
	ck_assert_int_eq(cairn("install-service", "--dir /nowhere")->status, 1);
	remove_run_dir();
}
END_TEST

CAIRN_TEST_MAIN("cli", commands_without_a_stack_say_so_and_end_with_3, wrong_usage_ends_with_2_and_one_line,
    discoveries_are_told_of_a_run_that_has_ended, logs_are_merged_by_time_and_filtered,
    the_log_of_decisions_neither_moves_the_cursor_nor_has_forged_lines, logs_follow_new_lines_and_rotation,
    decisions_and_commands_read_as_people_speak, bringup_names_silent_devices_as_they_were_given,
    look_shows_what_the_model_was_given_as_it_was_sent,
    look_at_now_leaves_files_as_they_are_where_nothing_runs,
    what_is_no_recording_is_refused_before_anything_starts, config_merges_its_layers_and_names_what_is_wrong,
    a_wrong_world_is_answered_with_the_bundled_ones_and_a_short_time_with_what_it_is_short_for,
    bench_and_eval_print_the_agreed_json, install_service_writes_a_unit_that_starts_this_very_program)
