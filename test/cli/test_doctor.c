/* What is wrong is said before anything starts: by `cairn up`, once, and by `cairn doctor`, which looks at everything. */
#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "procs/cairn/home.h"
#include "test/cli/doctor.h"

/* Nothing has failed; but where there are neither namespaces nor enough shared memory, as in some containers, the data plane
 * must. */
static bool well(const struct output *o)
{
	bool json = o->out[0] == '{';
	int failed = count(o->out, json ? "\"level\":\"failed\"" : "FAILED ");
	bool plane = count(o->out, json ? "\"data-plane\",\"level\":\"failed\"" : "FAILED   data-plane") == 1;
	return failed == 0 ? o->status == 0 : failed == 1 && plane && o->status == 2;
}

START_TEST(where_all_is_well_every_check_of_the_table_is_told_and_nothing_is_started)
{
	static const char *const names[] = {"config", "run",
#define CHECK(id, name, when, function, doc) name,
#include "procs/cairn/checks.def"
	    "calls"};
	make_run_dir();
	const struct output *o = run("doctor --json", "");
	ck_assert_msg(well(o), "%s%s", o->out, o->err);
	json_t *json = parsed(o->out), *checks = json_object_get(json, "checks");
	ck_assert_int_eq(json_is_true(json_object_get(json, "passed")), o->status == 0);
	ck_assert_uint_eq(json_array_size(checks), sizeof(names) / sizeof(names[0]));
	for (size_t i = 0; i < json_array_size(checks); i++) {
		const json_t *check = json_array_get(checks, i);
		ck_assert_str_eq(json_string_value(json_object_get(check, "check")), names[i]);
		ck_assert_str_ne(json_string_value(json_object_get(check, "text")), "");
	}
	json_decref(json);
	char path[128];
	snprintf(path, sizeof(path), "%s/run", run_dir);
	ck_assert_int_ne(access(path, F_OK), 0);
	remove_run_dir();
}
END_TEST

START_TEST(worlds_and_maps_that_cannot_be_used_are_named_with_key_file_and_reason)
{
	char args[600];
	make_run_dir();
	write_file("broken.yaml", "rooms: [[[\n", "w");
	snprintf(args, sizeof(args), "--world %s/broken.yaml", run_dir);
	refused(args, "world", (const char *const[]){"sim.world: ", "/broken.yaml", "--world", NULL});
	refused("--set sim.start=given --set sim.start_x_m=900", "world",
	    (const char *const[]){"sim.start: ", "home.yaml", "outside", NULL});
	/* an empty map was driven on instead */
	write_file("house.yaml",
	    "image: nowhere.pgm\nresolution: 0.05\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\n"
	    "free_thresh: 0.196\n",
	    "w");
	snprintf(
	    args, sizeof(args), "--set launcher.isolation=host --set map.start_file=%s/house.yaml", run_dir);
	refused(args, "start-map",
	    (const char *const[]){"map.start_file: ", "nowhere.pgm", "leave the key empty", NULL});
	write_file("nowhere.pgm", "P5\n4 4\n255\n################", "w"); /* all occupied */
	refused(args, "start-map", (const char *const[]){"map.start_file: ", "/house.yaml", NULL});
	remove_run_dir();
}
END_TEST

/* The tool of a build without CycloneDDS: beside it lies every program but those that need that. */
static void make_build_without_dds(char tool[256])
{
	char cmd[1200];
	snprintf(tool, 256, "%s/bin/cairn", run_dir);
	snprintf(cmd, sizeof(cmd),
	    "d=$(dirname '%s') && mkdir %s/bin && cp '%s' %s && "
	    "for f in $d/cairn-*; do case $f in *.p|*-ros2-*) ;; *) ln -s $f %s/bin/ ;; esac; done",
	    CAIRN_PROGRAM, run_dir, CAIRN_PROGRAM, tool, run_dir);
	ck_assert_int_eq(system(cmd), 0);
}

START_TEST(a_build_without_dds_says_so_where_it_is_asked_for_and_is_well_otherwise)
{
	char tool[256], cmd[900];
	static const struct {
		const char *args, *want;
	} rows[] = {{"--set ros2.enabled=true", "ros2.enabled: this build is without CycloneDDS"},
	    {"--set robot.name=ros2-diffdrive --set robot.drive=ros2",
		"robot.drive: ros2: this build is without CycloneDDS"}};
	make_run_dir();
	make_build_without_dds(tool);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (int up = 0; up < 2; up++) {
			snprintf(cmd, sizeof(cmd), "%s %s --run %s/run %s >%s/said 2>&1", tool,
			    up ? "up --headless" : "doctor --dry", run_dir, rows[i].args, run_dir);
			ck_assert_int_eq(WEXITSTATUS(system(cmd)), 2);
			snprintf(cmd, sizeof(cmd), "grep -q '%s; install cyclonedds-dev' %s/said",
			    rows[i].want, run_dir);
			ck_assert_msg(system(cmd) == 0, "not said: %s", rows[i].want);
		}
	}
	snprintf(cmd, sizeof(cmd),
	    "%s doctor --dry --run %s/run >%s/said 2>&1; grep -q 'ok  *built' %s/said && grep -q 'ok  "
	    "*programs' %s/said",
	    tool, run_dir, run_dir, run_dir, run_dir);
	ck_assert_int_eq(system(cmd), 0);
	remove_run_dir();
}
END_TEST

START_TEST(a_network_that_finds_things_without_its_files_is_named)
{
	char args[600];
	make_run_dir();
	refused("--set detect.source=network", "network",
	    (const char *const[]){"detect.source: network", "detect.model", NULL});
	write_file("labels.txt", "cup\n", "w");
	snprintf(args, sizeof(args),
	    "--set launcher.isolation=host --set detect.source=network --set detect.model=%s/nowhere.onnx "
	    "--set detect.model_labels=%s/labels.txt",
	    run_dir, run_dir);
	refused(args, "network", (const char *const[]){"detect.model: ", "/nowhere.onnx", NULL});
	write_file("nowhere.onnx", "x", "w");
	snprintf(args + strlen(args), sizeof(args) - strlen(args), " --set detect.onnxruntime=%s/libnone.so",
	    run_dir);
	refused(args, "network", (const char *const[]){"detect.onnxruntime: ", "/libnone.so", NULL});
	remove_run_dir();
}
END_TEST

/* A run directory in which a run in the default home was. */
static void make_home(void)
{
	static struct cairn_config cfg;
	char path[160], identity[700];
	make_run_dir();
	snprintf(path, sizeof(path), "%s/run", run_dir);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	write_file("run/up.lock", "", "w");
	snprintf(path, sizeof(path), "%s/run/state", run_dir);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	cairn_config_defaults(&cfg);
	snprintf(cfg.sim.world, sizeof(cfg.sim.world), CAIRN_SOURCE_ROOT "/config/worlds/home.yaml");
	home_identity(&cfg, identity, sizeof(identity));
	write_file("run/state/" HOME_FILE_NAME, identity, "w");
}

static bool is_there(const char *name)
{
	char path[260];
	struct stat st;
	snprintf(path, sizeof(path), "%s/%s", run_dir, name);
	return lstat(path, &st) == 0;
}

START_TEST(saved_maps_memories_and_scenes_that_are_damaged_are_named_before_a_robot_drives_without_them)
{
	static const struct {
		const char *file, *text, *check, *says[4];
	} rows[] = {
	    {"run/state/map.bin", "", "saved-map",
		{"/state/map.bin", "not a map", "move it away", "--fresh"}},
	    {"run/state/memory.yaml", "version: 1\nrooms: [", "saved-memory",
		{"/state/memory.yaml", "--fresh"}},
	    {"run/state/scene.json", "{\"checksum\": \"0123456789abcdef\", \"scene\": {}}", "saved-scene",
		{"/state/scene.json", "--fresh"}},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char line[64];
		const char *says[] = {"launcher.keep_home: ", rows[i].says[0], rows[i].says[1],
		    rows[i].says[2], rows[i].says[3], NULL};
		make_home();
		write_file(rows[i].file, rows[i].text, "w");
		refused("", rows[i].check, says);
		refused("--set map.resume=true", rows[i].check, says);
		/* who does not go on with it is not held up */
		const struct output *o = run("doctor --dry", "--set launcher.keep_home=false");
		ck_assert_msg(well(o), "%s", o->out);
		o = run("doctor --dry", "--world studio");
		ck_assert_msg(well(o), "%s", o->out);
		snprintf(line, sizeof(line), "skipped  %-12s set aside", rows[i].check);
		ck_assert_msg(count(o->out, line) == 1, "%s", o->out);
		remove_run_dir();
	}
}
END_TEST

START_TEST(damaged_zones_and_a_damaged_account_of_money_are_warned_of)
{
	make_home();
	write_file("run/state/zones.bin", "half of a fi", "w");
	write_file("run/state/spending.txt", "nothing that one could count", "w");
	const struct output *o = run("doctor --dry", "");
	ck_assert_msg(well(o), "%s", o->out);
	ck_assert_msg(
	    count(o->out, "warning  saved-zones  zones: ") == 1 &&
		count(o->out, "/state/zones.bin cannot be used: 12 bytes are no file of zones") == 1 &&
		count(o->out, "cairn zone confirm") == 1,
	    "%s", o->out);
	ck_assert_msg(count(o->out, "warning  spending     vlm.limit_usd_per_day: ") == 1 &&
			  count(o->out, "/state/spending.txt: ") == 1,
	    "%s", o->out);
	remove_run_dir();
}
END_TEST

START_TEST(a_camera_that_leans_or_does_not_show_the_way_ahead_is_warned_of)
{
	static const struct {
		const char *args, *says;
	} rows[] = {
	    {"--set robot.camera_roll_rad=0.8", "warning  camera-pose  robot.camera_roll_rad: 0.80: "},
	    {"--set robot.camera_roll_rad=3.1416", "leaning by 180 degrees"},
	    {"--set robot.camera_yaw_rad=1.2",
		"warning  camera-pose  robot.camera_yaw_rad, camera_pitch_rad: "},
	    {"--set robot.camera_pitch_rad=-0.5", "depth stops the robot for nothing there"},
	    {"--set robot.camera_yaw_rad=1.2 --set safety.depth=off", "ok       camera-pose"},
	    {"--set robot.camera_yaw_rad=0.4 --set robot.camera_y_m=0.1", "ok       camera-pose"}};
	make_run_dir();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct output *o = run("doctor --dry", rows[i].args);
		ck_assert_msg(well(o), "%s", o->out);
		ck_assert_msg(count(o->out, rows[i].says) == 1, "%s: %s", rows[i].args, o->out);
	}
	remove_run_dir();
}
END_TEST

START_TEST(what_outlives_a_run_is_still_there_when_the_next_one_begins)
{
	static const char *const stay[] = {"spending.txt", "web.tokens", "zones.bin.damaged", "home.txt"};
	char path[160];
	make_home();
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "run/state/%s", stay[i]);
		write_file(path, "", "w");
	}
	write_file("run/state/mission.bin", "", "w");
	snprintf(path, sizeof(path), "%s/run/config.yaml", run_dir); /* cannot be written: `up` ends there */
	ck_assert_int_eq(mkdir(path, 0700), 0);
	const struct output *o = run("up --headless", "");
	ck_assert_msg(o->status == 2, "%s", o->err);
	bool begun = count(o->err, "/config.yaml") == 1;
	if (begun) {
		ck_assert(!is_there("run/state/mission.bin"));
		for (size_t i = 0; i < sizeof(stay) / sizeof(stay[0]); i++) {
			snprintf(path, sizeof(path), "run/state/%s", stay[i]);
			ck_assert_msg(is_there(path), "%s is gone", path);
		}
	}
	remove_run_dir();
	if (!begun)
		CAIRN_SKIP("no stack can begin on this host");
}
END_TEST

START_TEST(devices_that_are_missing_wrong_or_the_same_are_named)
{
	char args[400];
	make_run_dir();
	refused("--set robot.drive=serial --set robot.base_device=/dev/ttyNOWHERE", "devices",
	    (const char *const[]){"robot.base_device: /dev/ttyNOWHERE: No such file", "plug it in", NULL});
	write_file("file", "", "w");
	snprintf(args, sizeof(args),
	    "--set robot.drive=serial --set robot.base_device=/dev/null --set robot.lidar_device=%s/file",
	    run_dir);
	refused(args, "devices",
	    (const char *const[]){"robot.lidar_device: ", "/file: is no serial device", NULL});
	refused(
	    "--set robot.drive=serial --set robot.base_device=/dev/null --set robot.lidar_device=/dev/null",
	    "devices", (const char *const[]){"robot.lidar_device: /dev/null is the same device", NULL});
	remove_run_dir();
}
END_TEST

START_TEST(a_simulated_robot_takes_no_file_of_the_users_for_a_device)
{
	static const char *const keys[] = {
	    "robot.base_device", "robot.lidar_device", "robot.camera_socket", "detect.socket"};
	make_run_dir();
	write_file("mine", "precious", "w");
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		char args[200], text[200];
		snprintf(args, sizeof(args), "--set %s=%s/mine", keys[i], run_dir);
		snprintf(text, sizeof(text), "%s: %s/mine is not below the run directory", keys[i], run_dir);
		refused(args, "config", (const char *const[]){text, NULL});
		ck_assert(is_there("mine"));
	}
	remove_run_dir();
}
END_TEST

/* A port of this machine that is taken; *ret_fd holds it. */
static int taken_port(int *ret_fd)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	*ret_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(*ret_fd, (struct sockaddr *)&at, sizeof(at)), 0);
	ck_assert_int_eq(listen(*ret_fd, 1), 0);
	ck_assert_int_eq(getsockname(*ret_fd, (struct sockaddr *)&at, &len), 0);
	return ntohs(at.sin_port);
}

static bool is_free(int port)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
	    .sin_port = htons((uint16_t)port),
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool ok = port > 1024 && bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0;
	close(fd);
	return ok;
}

START_TEST(ports_that_others_listen_on_are_named)
{
	char args[600], port[64], line[400];
	int fd = -1, number;
	make_run_dir();
	do { /* and the one before it is free */
		if (fd >= 0)
			close(fd);
		number = taken_port(&fd);
	} while (!is_free(number - 1));
	snprintf(args, sizeof(args), "--set pilot.port=%d", number);
	snprintf(port, sizeof(port), "pilot.port: %d on 127.0.0.1", number);
	refused(args, "ports", (const char *const[]){port, "in use", "0 for any free one", NULL});
	/* The page is no reason not to start. */
	snprintf(args, sizeof(args), "--set web.endpoint=127.0.0.1:%d", number);
	const struct output *o = run("doctor --dry", args);
	ck_assert_msg(well(o), "%s", o->out);
	snprintf(port, sizeof(port), "warning  ports        web.endpoint: 127.0.0.1:%d: Address", number);
	ck_assert_msg(count(o->out, port) == 1, "%s", o->out);
	snprintf(line, sizeof(line),
	    "cd %s && '%s' keygen robot && '%s' keygen anna && '%s' key anna.pub --rights watch > allow",
	    run_dir, CAIRN_PROGRAM, CAIRN_PROGRAM, CAIRN_PROGRAM);
	FILE *f = popen(line, "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f) != NULL)
		;
	ck_assert_int_eq(pclose(f), 0);
	for (int i = 0; i < 2; i++) { /* for commands, and the one after it for topics */
		snprintf(args, sizeof(args),
		    "--set remote.endpoint=tcp://127.0.0.1:%d --set remote.key_file=%s/robot.key --set "
		    "remote.allow_file=%s/allow",
		    number - i, run_dir, run_dir);
		snprintf(port, sizeof(port), "remote.endpoint: tcp://127.0.0.1:%d: Address already in use",
		    number);
		refused(args, "ports", (const char *const[]){port, "another port", NULL});
	}
	close(fd);
	remove_run_dir();
}
END_TEST

START_TEST(a_provider_without_a_key_or_with_a_bare_one_is_told)
{
	make_run_dir();
	unsetenv("OPENAI_API_KEY");
	refused("--set vlm.provider=openai", "providers",
	    (const char *const[]){"vlm.api_key_env: ", "OPENAI_API_KEY", NULL});
	refused("--set agent.enabled=true --set agent.provider=openai", "providers",
	    (const char *const[]){"vlm.api_key_env: ", "OPENAI_API_KEY", "provider 'openai'", NULL});
	refused("--set voice.transcriber_url=http://127.0.0.1:9/ --set voice.transcriber_key=NO_SUCH_KEY",
	    "providers", (const char *const[]){"voice.transcriber_key: ", "NO_SUCH_KEY is not set", NULL});
	setenv("OPENAI_API_KEY", "sk-planted-17", 1);
	const struct output *o =
	    run("doctor --dry", "--set vlm.provider=openai --set vlm.base_url=http://127.evil.example/v1");
	ck_assert_msg(well(o), "%s", o->out);
	bool called = o->status == 0;
	ck_assert_msg(strstr(o->out, "warning  providers") != NULL, "%s", o->out);
	ck_assert_msg(strstr(o->out, "unencrypted to http://127.evil.example/v1") != NULL, "%s", o->out);
	o = run("doctor", "--set vlm.provider=openai --set vlm.base_url=http://127.0.0.1:9/v1");
	ck_assert_int_eq(o->status, 2);
	ck_assert_msg(
	    !called ||
		strstr(o->out, "FAILED   calls        openai: http://127.0.0.1:9/v1 does not answer") != NULL,
	    "%s", o->out);
	ck_assert_ptr_null(strstr(o->out, "sk-planted"));
	unsetenv("OPENAI_API_KEY");
	remove_run_dir();
}
END_TEST

/* ---- what a service answers ---- */

struct service {
	int list, model, question; /* HTTP status of GET /models, GET /models/NAME, POST */
};

/* A service on this machine, in a child that answers until it is killed. */
static pid_t serve(const struct service *s, int *ret_port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	ck_assert_int_eq(listen(fd, 8), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	*ret_port = ntohs(at.sin_port);
	pid_t pid = fork();
	for (int c; pid == 0 && (c = accept(fd, NULL, NULL)) >= 0; close(c)) {
		char text[4096] = "", line[120];
		size_t n = 0;
		bool post, whole = false;
		for (ssize_t got; !whole && (got = read(c, text + n, sizeof(text) - 1 - n)) > 0;) {
			n += (size_t)got;
			text[n] = '\0';
			const char *end = strstr(text, "\r\n\r\n");
			whole = end != NULL && (text[0] == 'G' || strlen(end + 4) >= 2);
		}
		post = text[0] == 'P';
		bool model = strstr(text, "/models/") != NULL;
		int n_line = snprintf(line, sizeof(line),
		    "HTTP/1.1 %d X\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}",
		    post    ? s->question
		    : model ? s->model
			    : s->list);
		(void)!write(c, line, (size_t)n_line);
	}
	if (pid == 0)
		_exit(0);
	close(fd);
	return pid;
}

START_TEST(whether_key_address_or_model_is_wrong_is_told_of_each_answer_of_a_service)
{
	static const struct {
		const char *provider;
		struct service service;
		const char *says;
	} rows[] = {
	    {"openai", {200, 200, 500}, "ok       calls        openai answers at http"},
	    {"openai", {401, 0, 0}, "refuses the key (HTTP 401); correct the key in OPENAI_API_KEY"},
	    {"openai", {404, 0, 404}, "v1/chat/completions (HTTP 404); correct the address"},
	    {"openai", {404, 0, 401}, "refuses the key (HTTP 401)"},
	    {"openai", {404, 0, 400}, "answers, but has no list of models (HTTP 404)"},
	    {"openai", {200, 404, 0}, "no page about the model 'gpt-4o-mini' (HTTP 404); correct vlm.model"},
	    {"openai", {429, 0, 0}, "the account has no credit (HTTP 429)"},
	    {"openai", {503, 0, 0}, "has trouble of its own (HTTP 503)"},
	    {"gemini", {400, 0, 0}, "refuses the key (HTTP 400); correct the key in GEMINI_API_KEY"},
	    {"gemini", {404, 0, 404}, "v1/models/ (HTTP 404); correct the address"},
	    {"gemini", {200, 404, 0}, "correct vlm.model, not key or address"},
	    {"anthropic", {404, 0, 404}, "v1/messages (HTTP 404); correct the address"},
	};
	make_run_dir();
	setenv("OPENAI_API_KEY", "sk-planted-17", 1);
	setenv("GEMINI_API_KEY", "sk-planted-17", 1);
	setenv("ANTHROPIC_API_KEY", "sk-planted-17", 1);
	bool can = well(run("doctor --dry", "")) && run("doctor --dry", "")->status == 0;
	for (size_t i = 0; can && i < sizeof(rows) / sizeof(rows[0]); i++) {
		char args[200];
		int port;
		pid_t pid = serve(&rows[i].service, &port);
		snprintf(args, sizeof(args),
		    "--set vlm.provider=%s --set vlm.base_url=http://127.0.0.1:%d/v1", rows[i].provider,
		    port);
		const struct output *o = run("doctor", args);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		ck_assert_msg(
		    strstr(o->out, rows[i].says) != NULL, "row %zu: no '%s' in: %s", i, rows[i].says, o->out);
		ck_assert_ptr_null(strstr(o->out, "sk-planted"));
	}
	unsetenv("OPENAI_API_KEY");
	unsetenv("GEMINI_API_KEY");
	unsetenv("ANTHROPIC_API_KEY");
	remove_run_dir();
	if (!can)
		CAIRN_SKIP("nobody is called before the data plane is mended");
}
END_TEST

/* The doctor alone, by a shell command in front of which %s is the program. */
static void doctor_says(const char *command, const char *what)
{
	char line[900], out[6000];
	snprintf(line, sizeof(line), command, CAIRN_PROGRAM, run_dir, run_dir, run_dir);
	FILE *f = popen(line, "r");
	ck_assert_ptr_nonnull(f);
	size_t n = fread(out, 1, sizeof(out) - 1, f);
	out[n] = '\0';
	pclose(f);
	ck_assert_msg(strstr(out, what) != NULL, "no '%s' in: %s", what, out);
}

START_TEST(a_machine_that_lacks_programs_cores_or_rights_is_told_which)
{
	make_run_dir();
	doctor_says("cp '%s' '%s/cairn' && CAIRN_SHARE='" CAIRN_SOURCE_ROOT
		    "' '%s/cairn' doctor --dry --run '%s/run' 2>&1",
	    "/cairn-launcher: No such file or directory; build or install all of it");
	doctor_says(
	    "taskset -c 0 '%s' doctor --dry --run '%s/run' 2>&1", "warning  machine      1 processor core");
	doctor_says(
	    "P='%s'; mkdir -p '%s/run' && chmod 777 '%s/run' && \"$P\" doctor --dry --run '%s/run' 2>&1",
	    "FAILED   permissions  --run: ");
	remove_run_dir();
}
END_TEST

START_TEST(a_user_without_a_name_is_told_so_before_roudi_dies_of_it)
{
	char line[700], out[4096];
	make_run_dir();
	bool root = geteuid() == 0;
	FILE *f = NULL;
	if (root) {
		snprintf(line, sizeof(line),
		    "setpriv --reuid 54321 --regid 54321 --clear-groups '%s' doctor --dry --run '%s/x' 2>&1",
		    CAIRN_PROGRAM, "/nowhere");
		f = popen(line, "r");
	}
	size_t n = f != NULL ? fread(out, 1, sizeof(out) - 1, f) : 0;
	out[n] = '\0';
	if (f != NULL)
		pclose(f);
	remove_run_dir();
	if (strstr(out, "config       ") ==
	    NULL) /* not root, no setpriv, or the build is not for others to read */
		CAIRN_SKIP("no program can be run here as a user without a name");
	ck_assert_msg(strstr(out, "FAILED   user         user: uid 54321 has no name") != NULL, "%s", out);
	ck_assert_msg(strstr(out, "/etc/passwd") != NULL, "%s", out);
}
END_TEST

CAIRN_TEST_MAIN("doctor", where_all_is_well_every_check_of_the_table_is_told_and_nothing_is_started,
    a_build_without_dds_says_so_where_it_is_asked_for_and_is_well_otherwise,
    a_network_that_finds_things_without_its_files_is_named,
    worlds_and_maps_that_cannot_be_used_are_named_with_key_file_and_reason,
    saved_maps_memories_and_scenes_that_are_damaged_are_named_before_a_robot_drives_without_them,
    damaged_zones_and_a_damaged_account_of_money_are_warned_of,
    a_camera_that_leans_or_does_not_show_the_way_ahead_is_warned_of,
    what_outlives_a_run_is_still_there_when_the_next_one_begins,
    devices_that_are_missing_wrong_or_the_same_are_named,
    a_simulated_robot_takes_no_file_of_the_users_for_a_device, ports_that_others_listen_on_are_named,
    a_provider_without_a_key_or_with_a_bare_one_is_told,
    whether_key_address_or_model_is_wrong_is_told_of_each_answer_of_a_service,
    a_machine_that_lacks_programs_cores_or_rights_is_told_which,
    a_user_without_a_name_is_told_so_before_roudi_dies_of_it)
