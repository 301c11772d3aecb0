/* The door to other machines: what those see and read who may watch, and nobody else. */
#include "test/support/remote_rig.h"

/* Publishes poses, and rings of a doorbell, until told to end. */
_Noreturn static void publish_poses(void)
{
	struct cairn_bus *mine = cairn_bus_new(run_dir, NULL);
	struct cairn_pub *pub = mine != NULL ? cairn_pub_new(mine, CAIRN_TOPIC_POSE, NULL, NULL) : NULL;
	struct cairn_pub *bell =
	    mine != NULL ? cairn_pub_new(mine, CAIRN_TOPIC_NOTE, "doorbell", NULL) : NULL;
	struct cairn_msg_pose pose = {.x_m = 1.25};
	struct cairn_msg_note note = {.text = "somebody rings"};
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (pub != NULL && bell != NULL && getppid() != 1) {
		cairn_pub_send(pub, &pose, 1, true);
		cairn_pub_send(bell, &note, 1, true);
		poll(NULL, 0, 5);
	}
	_exit(1);
}

/* What a watcher gets: bytes of the first message, 0 none within the time, -EACCES. */
static int watch(
    const struct cairn_key *key, const char *topic, char *name, const void **bytes, int timeout_ms)
{
	static struct cairn_remote *remote;
	cairn_remote_close(&remote);
	remote = cairn_remote_open(url, key, &err);
	ck_assert_msg(remote != NULL && cairn_remote_watch(remote, topic, &err), "%s", err.text);
	return cairn_remote_recv(remote, name, bytes, timeout_ms);
}

START_TEST(a_watcher_sees_what_it_subscribes_to_and_a_stranger_nothing)
{
	setup();
	char name[CAIRN_KEY_TEXT];
	const void *bytes = NULL;
	struct cairn_msg_pose pose = {.x_m = 0.0};
	struct cairn_header hdr;
	pid_t publisher = fork();
	if (publisher == 0)
		publish_poses();
	int n = watch(&bob, "pose", name, &bytes, ANSWER_MS);
	ck_assert_int_gt(n, 0);
	ck_assert_str_eq(name, "pose");
	ck_assert_int_eq(cairn_msg_decode(&cairn_desc_pose, bytes, (size_t)n, &hdr, &pose, &err), 0);
	ck_assert_double_eq(pose.x_m, 1.25);
	ck_assert_int_eq(watch(&eve, "pose", name, &bytes, ANSWER_MS), -EACCES);
	ck_assert_int_gt(watch(&bob, "note.doorbell", name, &bytes, ANSWER_MS), 0);
	ck_assert_str_eq(name, "note.doorbell");
	ck_assert_int_eq(watch(&bob, "note.nobody", name, &bytes, 300), 0);
	ck_assert_int_eq(watch(&bob, "../secret", name, &bytes, 300), 0);
	ck_assert_int_gt(watch(&anna, "pose", name, &bytes, ANSWER_MS), 0);
	kill(publisher, SIGKILL);
	waitpid(publisher, NULL, 0);
	teardown();
}
END_TEST

/* Subscribes to everything on the topics' port, with the robot's public key and these credentials or,
 * without, in the clear. Bytes of the first message, 0 none. */
static int knock(const struct cairn_key *key, int timeout_ms)
{
	char topics_url[80], buf[1024];
	void *zmq = zmq_ctx_new(), *s = zmq_socket(zmq, ZMQ_SUB);
	ck_assert(cairn_remote_endpoint(url, topics_url, sizeof(topics_url), &err));
	if (key != NULL) {
		zmq_setsockopt(s, ZMQ_CURVE_SERVERKEY, key->robot_key, CAIRN_KEY_TEXT);
		zmq_setsockopt(s, ZMQ_CURVE_PUBLICKEY, key->public_key, CAIRN_KEY_TEXT);
		zmq_setsockopt(s, ZMQ_CURVE_SECRETKEY, key->secret_key, CAIRN_KEY_TEXT);
	}
	zmq_setsockopt(s, ZMQ_SUBSCRIBE, "pose:", 5);
	zmq_connect(s, topics_url);
	zmq_setsockopt(s, ZMQ_RCVTIMEO, &timeout_ms, sizeof(timeout_ms));
	int n = zmq_recv(s, buf, sizeof(buf), 0);
	zmq_setsockopt(s, ZMQ_LINGER, &(int){0}, sizeof(int));
	zmq_close(s);
	zmq_ctx_term(zmq);
	return n > 0 ? n : 0;
}

START_TEST(who_does_not_encrypt_or_knows_another_robot_is_not_heard)
{
	setup();
	pid_t publisher = fork();
	if (publisher == 0)
		publish_poses();
	ck_assert_int_gt(knock(&bob, ANSWER_MS), 0); /* so the silence below means something */
	ck_assert_int_eq(knock(NULL, 500), 0);
	struct cairn_key mistaken = bob;
	memcpy(mistaken.robot_key, eve.public_key, sizeof(mistaken.robot_key));
	ck_assert_int_eq(knock(&mistaken, 500), 0);
	struct cairn_key thief = eve; /* knows bob's public key, not his secret */
	memcpy(thief.public_key, bob.public_key, sizeof(thief.public_key));
	ck_assert_int_eq(knock(&thief, 500), 0);
	kill(publisher, SIGKILL);
	waitpid(publisher, NULL, 0);
	teardown();
}
END_TEST

/* Everything from at on, piece by piece; the bytes, or a negative errno. */
static long fetch_all(struct cairn_remote *remote, const char *name, char *ret, size_t room)
{
	struct cairn_remote_piece got = {.size = 1};
	long have = 0;
	while ((uint64_t)have < got.size) {
		static char piece[CAIRN_REMOTE_PIECE_BYTES];
		int r = cairn_remote_fetch(remote, name, (uint64_t)have, piece, &got, ANSWER_MS, &err);
		if (r != 0)
			return r;
		ck_assert_uint_le((size_t)have + got.bytes, room);
		memcpy(ret + have, piece, got.bytes);
		have += (long)got.bytes;
	}
	return have;
}

START_TEST(who_may_watch_reads_logs_and_decisions_in_pieces_and_nothing_else)
{
	enum { BYTES = 100001 }; /* four pieces */
	static char sent[BYTES], got[2 * BYTES];
	setup();
	(void)mkdir(in_run("logs"), 0700);
	(void)mkdir(in_run("state"), 0700);
	for (int i = 0; i < BYTES; i++)
		sent[i] = (char)(i * 7 + i / 251);
	ck_assert(cairn_file_replace(in_run("logs/mapper.log"), 0, 0600, sent, BYTES, &err));
	ck_assert_int_eq(symlink("/etc/passwd", in_run("logs/motor.log")), 0);
	ck_assert_int_eq(mkfifo(in_run("logs/planner.log"), 0600), 0);
	struct cairn_remote *remote = cairn_remote_open(url, &bob, &err);
	ck_assert_int_eq(fetch_all(remote, "logs/mapper.log", got, sizeof(got)), BYTES);
	ck_assert_int_eq(memcmp(got, sent, BYTES), 0);
	long n = fetch_all(remote, "logs", got, sizeof(got) - 1);
	ck_assert_int_gt(n, 0);
	got[n] = '\0';
	ck_assert_ptr_nonnull(strstr(got, "mapper.log\n"));
	ck_assert_int_eq(fetch_all(remote, "logs/motor.log", got, sizeof(got)), -ELOOP);
	ck_assert_int_eq(fetch_all(remote, "logs/planner.log", got, sizeof(got)), -EINVAL);
	ck_assert_int_eq(fetch_all(remote, "state/decisions.jsonl", got, sizeof(got)), -ENOENT);
	ck_assert_int_eq(fetch_all(remote, "robot.key", got, sizeof(got)), -EACCES);
	ck_assert_int_eq(fetch_all(remote, "logs/../robot.key", got, sizeof(got)), -EACCES);
	cairn_remote_close(&remote);
	char list[256]; /* and without the right: nothing */
	snprintf(list, sizeof(list), "anna %s drive\n", anna.public_key);
	write_list(list);
	int r = 0;
	for (int tries = 0; r != -EACCES && tries < 100; tries++) {
		poll(NULL, 0, 100); /* the list is read once a second */
		remote = cairn_remote_open(url, &anna, &err);
		r = (int)fetch_all(remote, "logs/mapper.log", got, sizeof(got));
		cairn_remote_close(&remote);
	}
	ck_assert_int_eq(r, -EACCES);
	ck_assert_ptr_nonnull(strstr(err.text, "needs the right to watch"));
	teardown();
}
END_TEST

CAIRN_TEST_MAIN("remote-watch", a_watcher_sees_what_it_subscribes_to_and_a_stranger_nothing,
    who_does_not_encrypt_or_knows_another_robot_is_not_heard,
    who_may_watch_reads_logs_and_decisions_in_pieces_and_nothing_else)
