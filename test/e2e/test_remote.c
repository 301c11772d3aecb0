/* A robot that explores, and operators on other machines at its door: one who drives, one who watches and floods, and the loss of
 * the whole door. The robot does not notice. */
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <zmq.h>

#include "ipc/keyfile.h"
#include "ipc/remote.h"
#include "test/e2e/stack.h"

#define ANSWER_MS 10000

static struct cairn_error err;
static struct cairn_key robot, anna, bob, eve;
static char url[64], folder[64];

static int free_port(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	getsockname(fd, (struct sockaddr *)&at, &len);
	close(fd);
	return ntohs(at.sin_port);
}

static void make_keys(void)
{
	char path[128];
	strcpy(folder, "/tmp/cairn-keys-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_msg(cairn_key_make("robot", &robot, &err) && cairn_key_make("anna", &anna, &err) &&
			  cairn_key_make("bob", &bob, &err) && cairn_key_make("eve", &eve, &err) &&
			  cairn_key_save(&robot, folder, &err),
	    "%s", err.text);
	memcpy(anna.robot_key, robot.public_key, sizeof(anna.robot_key));
	memcpy(bob.robot_key, robot.public_key, sizeof(bob.robot_key));
	memcpy(eve.robot_key, robot.public_key, sizeof(eve.robot_key));
	ck_assert_msg(
	    cairn_key_save(&bob, folder, &err) && cairn_key_save(&eve, folder, &err), "%s", err.text);
	snprintf(path, sizeof(path), "%s/allow.list", folder);
	FILE *out = fopen(path, "we");
	ck_assert_ptr_nonnull(out);
	fprintf(out, "anna %s watch,drive\nbob %s watch\neve %s drive\n", anna.public_key, bob.public_key,
	    eve.public_key);
	fclose(out);
	snprintf(url, sizeof(url), "tcp://127.0.0.1:%d", free_port());
}

static struct drill *start(void)
{
	char endpoint[96], key[128], list[128];
	make_keys();
	snprintf(endpoint, sizeof(endpoint), "remote.endpoint=%s", url);
	snprintf(key, sizeof(key), "remote.key_file=%s/robot.key", folder);
	snprintf(list, sizeof(list), "remote.allow_file=%s/allow.list", folder);
	const char *const args[] = {
	    "--world", "config/worlds/home.yaml", "--set", endpoint, "--set", key, "--set", list, NULL};
	struct drill *drill = stack_start(args);
	return drill;
}

static void end(struct drill *drill)
{
	char command[96];
	stack_interrupt(drill, 0);
	fixture_destroy(&drill, false);
	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	ck_assert_int_eq(system(command), 0);
}

static bool wheels_turn(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->have_mission && run->have_motion && run->have_truth && run->mission.decision_id != 0 &&
	       run->motion.v_mps != 0.0;
}

static bool decided_more(const struct up_run *run, void *ctx)
{
	return run->mission.decisions > *(const uint64_t *)ctx;
}

static bool is_paused(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->mission.state == CAIRN_MISSION_STATE_PAUSED;
}

/* The answer's text; empty when there was none. */
static bool ask(
    const struct cairn_key *key, enum cairn_service service, const char *verb, struct cairn_msg_reply *reply)
{
	struct cairn_msg_command cmd = {.who = "a test"};
	snprintf(cmd.verb, sizeof(cmd.verb), "%s", verb);
	*reply = (struct cairn_msg_reply){.ok = false};
	struct cairn_remote *remote = cairn_remote_open(url, key, &err);
	ck_assert_msg(remote != NULL, "%s", err.text);
	bool answered = cairn_remote_ask(remote, service, &cmd, reply, ANSWER_MS, &err) == 0;
	cairn_remote_close(&remote);
	return answered;
}

/* The tool as on another machine: without the run directory. Its exit status. */
static int elsewhere(const char *key, const char *words, char *out, size_t out_bytes)
{
	char line[512];
	snprintf(line, sizeof(line), "cd '%s' && CAIRN_RUN=%s/none '%s' --connect %s --key %s.key %s 2>&1",
	    folder, folder, CAIRN_PROGRAM, url, key, words);
	FILE *f = popen(line, "r");
	ck_assert_ptr_nonnull(f);
	size_t n = fread(out, 1, out_bytes - 1, f);
	out[n] = '\0';
	int status = pclose(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

struct asked {
	const char *words, *tells;
	char out[16384];
};

/* Files are written a little behind what they tell of. */
static bool tells(const struct up_run *run, void *ctx)
{
	struct asked *a = ctx;
	(void)run;
	return elsewhere("bob", a->words, a->out, sizeof(a->out)) == 0 && strstr(a->out, a->tells) != NULL;
}

static off_t file_size(const char *name)
{
	char path[128];
	struct stat st;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return stat(path, &st) == 0 ? st.st_size : 0;
}

static void look_from_elsewhere(struct drill *drill)
{
	static struct asked asked[] = {{.words = "look", .tells = "SENSORS"},
	    {.words = "map", .tells = "m2 free"}, {.words = "map --png map.png", .tells = "map.png"},
	    {.words = "decisions", .tells = "became"}, {.words = "logs mapper", .tells = "mapper"},
	    {.words = "topics", .tells = "cmd_vel"}, {.words = "hz --for 1s scan", .tells = "Hz"},
	    {.words = "status", .tells = "health"}};
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		struct asked *a = &asked[i], refused = {.words = a->words};
		ck_assert_msg(fixture_wait(drill, tells, a, STACK_PATIENCE_S), "%s: %s", a->words, a->out);
		int status = elsewhere("eve", a->words, refused.out, sizeof(refused.out));
		ck_assert_msg(status != 0 && strstr(refused.out, "watch") != NULL, "eve, %s: %d, %s",
		    a->words, status, refused.out);
	}
	ck_assert_int_gt(file_size("snapshot.jpg"), 1000);
	ck_assert_int_gt(file_size("map.png"), 1000);
}

START_TEST(a_key_with_the_right_drives_or_watches_the_robot_and_one_without_does_not)
{
	struct drill *drill = start();
	struct cairn_msg_reply reply;
	ck_assert_msg(fixture_wait(drill, wheels_turn, NULL, STACK_UP_S), "does not drive; see %s",
	    fixture_run_dir(drill));
	look_from_elsewhere(drill);
	ck_assert(ask(&bob, CAIRN_SERVICE_OPERATOR, "pause", &reply));
	ck_assert_msg(!reply.ok && strstr(reply.text, "needs the right to drive") != NULL, "%s", reply.text);
	ck_assert(ask(&anna, CAIRN_SERVICE_OPERATOR, "pause", &reply));
	ck_assert_msg(reply.ok, "%s", reply.text);
	ck_assert(fixture_wait(drill, is_paused, NULL, STACK_PATIENCE_S));
	ck_assert(ask(&anna, CAIRN_SERVICE_OPERATOR, "resume", &reply) && reply.ok);

	/* the door is kicked in: the robot drives on, and the door comes back */
	uint64_t decisions = fixture_run(drill)->mission.decisions;
	int pid = fixture_pid(drill, "remote");
	ck_assert_int_gt(pid, 0);
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert(fixture_wait(drill, decided_more, &decisions, STACK_PATIENCE_S));
	ck_assert(ask(&bob, CAIRN_SERVICE_OPERATOR, "stop", &reply));
	ck_assert_msg(reply.ok, "%s", reply.text);
	ck_assert_uint_eq(fixture_run(drill)->truth.contacts, 0);
	end(drill);
}
END_TEST

/* A watcher with a good key that reads nothing of all it subscribes to, on twenty connections, and gives commands without end. */
_Noreturn static void flood(void)
{
	char topics_url[80], filter[64];
	void *zmq = zmq_ctx_new(), *last = NULL;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!cairn_remote_endpoint(url, topics_url, sizeof(topics_url), NULL))
		_exit(1);
	for (int i = 0; i < 40; i++) {
		void *s = zmq_socket(zmq, i % 2 == 0 ? ZMQ_SUB : ZMQ_DEALER);
		int hwm = 1;
		zmq_setsockopt(s, ZMQ_RCVHWM, &hwm, sizeof(hwm));
		zmq_setsockopt(s, ZMQ_CURVE_SERVERKEY, bob.robot_key, CAIRN_KEY_TEXT);
		zmq_setsockopt(s, ZMQ_CURVE_PUBLICKEY, bob.public_key, CAIRN_KEY_TEXT);
		zmq_setsockopt(s, ZMQ_CURVE_SECRETKEY, bob.secret_key, CAIRN_KEY_TEXT);
		for (int t = 0; i % 2 == 0 && t < CAIRN_TOPIC_COUNT; t++) {
			int n = snprintf(filter, sizeof(filter), "%s:", cairn_topics[t].name);
			zmq_setsockopt(s, ZMQ_SUBSCRIBE, filter, (size_t)n);
		}
		zmq_connect(s, i % 2 == 0 ? topics_url : url);
		last = i % 2 == 0 ? last : s;
	}
	struct cairn_msg_command cmd = {.verb = "stop", .who = "flood"};
	struct cairn_header hdr = {CAIRN_SCHEMA_VERSION, 1, 1, 1, true};
	char buf[1024];
	/* not "operator": the robot is to drive on, so that it can be seen that it does */
	int n = cairn_msg_encode(&cairn_desc_command, "nobody", &hdr, &cmd, buf, sizeof(buf));
	for (;;) {
		zmq_send(last, "nobody", 6, ZMQ_SNDMORE);
		zmq_send(last, buf, (size_t)n, 0);
	}
}

START_TEST(a_flood_at_the_door_does_not_reach_the_robot)
{
	struct drill *drill = start();
	ck_assert_msg(fixture_wait(drill, wheels_turn, NULL, STACK_UP_S), "does not drive; see %s",
	    fixture_run_dir(drill));
	pid_t flooder = fork();
	if (flooder == 0)
		flood();
	uint64_t decisions = fixture_run(drill)->mission.decisions + 2;
	bool on = fixture_wait(drill, decided_more, &decisions, STACK_PATIENCE_S);
	kill(flooder, SIGKILL);
	waitpid(flooder, NULL, 0);
	ck_assert_msg(on, "decides nothing any more; see %s", fixture_run_dir(drill));
	ck_assert_uint_eq(fixture_run(drill)->truth.contacts, 0);
	for (uint32_t i = 0; i < fixture_run(drill)->stages.items_count; i++) {
		const struct cairn_msg_stage *s = &fixture_run(drill)->stages.items[i];
		ck_assert_msg(s->restarts == 0, "%s was restarted: %s", s->name, s->note);
	}
	struct cairn_msg_reply reply; /* and the door is open to others */
	ck_assert(ask(&anna, CAIRN_SERVICE_OPERATOR, "stop", &reply));
	ck_assert_msg(reply.ok, "%s", reply.text);
	end(drill);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("remote", 280.0,
    a_key_with_the_right_drives_or_watches_the_robot_and_one_without_does_not,
    a_flood_at_the_door_does_not_reach_the_robot)
