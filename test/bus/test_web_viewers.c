/* Viewers of the web stage, on WebSocket: what they get, what they may say, and that none holds up another. */
#include <math.h>

#include <jansson.h>

#include "test/support/web_rig.h"

static bool whole_head(const char *buf, size_t n)
{
	return n >= 4 && strstr(buf, "\r\n\r\n") != NULL;
}

/* A viewer's socket; the status of the upgrade in *ret_status. */
static int join(const char *headers, int *ret_status)
{
	char text[1024], head[1024];
	int fd = dial();
	int n = snprintf(text, sizeof(text),
	    "GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: "
	    "Upgrade\r\nSec-WebSocket-Version: 13\r\n"
	    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: cairn.v1\r\n%s\r\n",
	    headers);
	ck_assert_int_eq(send(fd, text, (size_t)n, MSG_NOSIGNAL), n);
	/* one byte at a time, as the first message may stand behind it */
	size_t got = 0;
	*ret_status = 0;
	while (got + 1 < sizeof(head) && recv(fd, head + got, 1, 0) == 1) {
		head[++got] = '\0';
		if (whole_head(head, got))
			break;
	}
	(void)sscanf(head, "HTTP/1.1 %d", ret_status);
	return fd;
}

static void say(int fd, const char *text)
{
	uint8_t frame[16384] = {0x81};
	size_t n = strlen(text), at = 2;
	if (n < 126) {
		frame[1] = (uint8_t)(0x80 | n);
	} else {
		frame[1] = 0x80 | 126;
		frame[2] = (uint8_t)(n >> 8);
		frame[3] = (uint8_t)n;
		at = 4;
	}
	memcpy(frame + at + 4, text, n); /* masked with zeros */
	(void)send(fd, frame, at + 4 + n, MSG_NOSIGNAL);
}

static bool read_all(int fd, void *buf, size_t bytes)
{
	int64_t end_ns = now_ns() + END_S * CAIRN_NS_PER_S;
	for (size_t n = 0; n < bytes && now_ns() < end_ns;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		serve();
		if (poll(&p, 1, 5) <= 0)
			continue;
		ssize_t got = recv(fd, (char *)buf + n, bytes - n, 0);
		if (got <= 0)
			return false;
		n += (size_t)got;
	}
	return true;
}

/* The next message as JSON; NULL at the end of the connection. */
static json_t *next(int fd)
{
	for (;;) {
		uint8_t h[10];
		if (!read_all(fd, h, 2))
			return NULL;
		size_t n = h[1] & 127;
		if (n == 126 && read_all(fd, h + 2, 2))
			n = (size_t)h[2] << 8 | h[3];
		else if (n == 127 && read_all(fd, h + 2, 8))
			n = (size_t)h[7] << 16 | (size_t)h[8] << 8 | h[9];
		ck_assert_uint_lt(n, sizeof(answer));
		if (!read_all(fd, answer, n) || (h[0] & 15) == 8)
			return NULL;
		answer[n] = '\0';
		if ((h[0] & 15) == 1)
			return json_loads(answer, 0, NULL);
	}
}

static const char *word(const json_t *m, const char *key)
{
	const char *s = json_string_value(json_object_get(m, key));
	return s != NULL ? s : "";
}

/* The next message with this op, about this topic (NULL: any). */
static json_t *next_of(int fd, const char *op, const char *topic)
{
	json_t *m;
	while ((m = next(fd)) != NULL) {
		if (strcmp(word(m, "op"), op) == 0 && (topic == NULL || strcmp(word(m, "topic"), topic) == 0))
			return m;
		json_decref(m);
	}
	ck_abort_msg("the connection ended before '%s' %s came", op, topic != NULL ? topic : "");
	return NULL;
}

static int join_well(const char *headers)
{
	int status;
	int fd = join(headers, &status);
	ck_assert_int_eq(status, 101);
	json_decref(next_of(fd, "hello", NULL));
	json_decref(next_of(fd, "history", NULL));
	return fd;
}

static void tell_pose(double x_m)
{
	struct cairn_msg_pose m = {.x_m = x_m, .tracking = CAIRN_TRACKING_GOOD};
	cairn_pub_send(pose, &m, now_ns(), true);
}

/* Publishes until the viewer has a pose: a subscription needs a moment. */
static double first_pose(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	for (int i = 0; i < 400 && poll(&p, 1, 20) == 0; i++)
		tell_pose(1.0);
	json_t *m = next_of(fd, "message", "pose");
	double x = json_number_value(json_object_get(json_object_get(m, "data"), "x_m"));
	json_decref(m);
	return x;
}

START_TEST(viewers_get_what_they_ask_for_and_nothing_else)
{
	setup(true);
	int status;
	close(join("Origin: http://evil.example\r\n", &status)); /* hung up on */
	ck_assert_int_ne(status, 101);
	close(join("X-Forwarded-For: 10.0.0.9\r\n", &status));
	ck_assert_int_ne(status, 101);
	int fd = join_well("");
	say(fd, "{\"op\":\"subscribe\",\"topics\":[\"pose\",\"no such\"],\"hz\":50}");
	json_t *m = next_of(fd, "error", NULL);
	ck_assert_ptr_nonnull(strstr(word(m, "text"), "no topic 'no such'"));
	json_decref(m);
	ck_assert_double_eq(first_pose(fd), 1.0);
	struct cairn_msg_mission other = {.activity = "not asked for"};
	cairn_pub_send(mission, &other, now_ns(), true);
	say(fd, "{\"op\":\"command\",\"id\":7,\"name\":\"goto\",\"args\":\"1 1\"}");
	say(fd, "{\"op\":\"command\",\"id\":8,\"name\":\"estop\"}");
	say(fd, "{broken");
	bool refused = false, stopped = false, told = false, gone = false;
	while (!refused || !stopped || !told || !gone) { /* pose falls silent meanwhile */
		m = next(fd);
		ck_assert_ptr_nonnull(m);
		ck_assert_str_ne(word(m, "topic"), "mission");
		json_int_t id = json_integer_value(json_object_get(m, "id"));
		refused |= id == 7 && json_is_false(json_object_get(m, "ok")) &&
			   strstr(word(m, "text"), "right to drive") != NULL;
		stopped |= id == 8 && json_is_true(json_object_get(m, "ok"));
		told |= strcmp(word(m, "op"), "error") == 0 && strstr(word(m, "text"), "not JSON") != NULL;
		gone |= strcmp(word(m, "op"), "gone") == 0 && strcmp(word(m, "topic"), "pose") == 0;
		json_decref(m);
	}
	ck_assert_int_eq(stops, 1);
	ck_assert_double_eq(first_pose(fd), 1.0); /* and is back */
	close(fd);
	teardown();
}
END_TEST

START_TEST(who_comes_later_is_told_of_the_way_driven_and_of_what_held_the_robot_back)
{
	setup(true);
	struct cairn_pub *motion = cairn_pub_new(bus, CAIRN_TOPIC_MOTION, NULL, &err);
	struct cairn_msg_motion held = {.state = CAIRN_MOTOR_STATE_BLOCKED, .reason = "a chair at 0.3 m"};
	json_t *m = NULL, *trail = NULL, *events = NULL;
	bool told = false;
	int64_t end_ns = now_ns() + END_S * CAIRN_NS_PER_S;
	for (int i = 0; !told && now_ns() < end_ns; i++) { /* it needs a moment until it hears them */
		tell_pose(0.5 * (i % 100));
		cairn_pub_send(motion, &held, now_ns(), true);
		int status, fd = join("", &status);
		ck_assert_int_eq(status, 101);
		json_decref(m);
		m = next_of(fd, "history", NULL);
		close(fd);
		trail = json_object_get(m, "trail");
		events = json_object_get(m, "events");
		told = json_array_size(trail) >= 3 && json_array_size(events) >= 1;
	}
	ck_assert(told);
	const json_t *a = json_array_get(trail, 0), *b = json_array_get(trail, 1);
	ck_assert_double_ge(
	    fabs(json_number_value(json_array_get(b, 0)) - json_number_value(json_array_get(a, 0))), 0.1);
	int held_events = 0;
	for (size_t i = 0; i < json_array_size(events); i++) {
		const json_t *e = json_array_get(events, i);
		held_events += strcmp(word(e, "topic"), "motion") == 0;
		if (strcmp(word(e, "topic"), "motion") == 0)
			ck_assert_str_eq(word(json_object_get(e, "data"), "reason"), "a chair at 0.3 m");
		ck_assert_int_ge(json_integer_value(json_object_get(e, "age_ms")), 0);
	}
	ck_assert_int_eq(held_events, 1); /* however often it was said */
	json_decref(m);
	teardown();
}
END_TEST

START_TEST(planted_text_arrives_as_data)
{
	static const char planted[] =
	    "</script><script>alert(1)</script>\"\\ \x1b[2J\xe2\x80\xae\xe2\x80\x8b\x01 &amp;";
	setup(true);
	int fd = join_well("");
	say(fd, "{\"op\":\"subscribe\",\"topics\":[\"mission\"]}");
	struct cairn_msg_mission m = {.state = CAIRN_MISSION_STATE_EXPLORING};
	snprintf(m.activity, sizeof(m.activity), "%s", planted);
	struct pollfd p = {.fd = fd, .events = POLLIN};
	for (int i = 0; i < 400 && poll(&p, 1, 20) == 0; i++)
		cairn_pub_send(mission, &m, now_ns(), true);
	json_t *got = next_of(fd, "message", "mission");
	/* mark-up is text like any other; what moves a cursor or turns the reading was taken out on receipt */
	ck_assert_str_eq(word(json_object_get(got, "data"), "activity"),
	    "</script><script>alert(1)</script>\"\\ ?[2J??? &amp;");
	for (const char *c = answer; *c != '\0'; c++) /* on the wire nothing moves a cursor */
		ck_assert_int_ge((unsigned char)*c, ' ');
	json_decref(got);
	close(fd);
	teardown();
}
END_TEST

START_TEST(a_flood_is_dropped_and_a_stop_still_taken)
{
	setup(true);
	char bearer[80], large[9000];
	snprintf(bearer, sizeof(bearer), "Authorization: Bearer %s\r\n", token);
	int fd = join_well(bearer);
	for (int i = 0; i < 400; i++)
		say(fd, "{\"op\":\"command\",\"id\":1,\"name\":\"home\"}");
	json_t *m = NULL;
	bool stopped =
	    false; /* the service is played by this process, which may be late on a busy machine: then once more */
	for (int id = 2; !stopped && id < 12; id++) {
		char text[80];
		snprintf(text, sizeof(text), "{\"op\":\"command\",\"id\":%d,\"name\":\"estop\"}", id);
		say(fd, text);
		do {
			json_decref(m);
			m = next_of(fd, "reply", NULL);
		} while (json_integer_value(json_object_get(m, "id")) != id);
		stopped = json_is_true(json_object_get(m, "ok"));
	}
	json_decref(m);
	ck_assert(stopped);
	int homes = 0;
	for (const char *h = heard; (h = strstr(h, "operator.home")) != NULL; h++)
		homes++;
	ck_assert_int_ge(homes, 1);
	ck_assert_int_le(homes, 20); /* 5 a second, bursts of 10 */
	expect(429, "POST", "/api/command/home", bearer, "{}", "commands a second");
	/* a message that is too large ends this connection and no other */
	int second = join_well("");
	memset(large, 'x', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	say(fd, large);
	while ((m = next(fd)) != NULL)
		json_decref(m);
	say(second, "{\"op\":\"subscribe\",\"topics\":[\"pose\"]}");
	ck_assert_double_eq(first_pose(second), 1.0);
	close(fd);
	close(second);
	teardown();
}
END_TEST

static long rss_kb(void)
{
	char path[64];
	long pages = 0;
	snprintf(path, sizeof(path), "/proc/%d/statm", (int)stage);
	FILE *in = fopen(path, "re");
	ck_assert_ptr_nonnull(in);
	ck_assert_int_eq(fscanf(in, "%*s %ld", &pages), 1);
	fclose(in);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

#define VIEWERS 20

/* Twenty who read and one who does not: each reader gets the newest of a topic that is larger than what sockets hold. */
START_TEST(a_viewer_that_reads_nothing_holds_nobody_up)
{
	static struct cairn_msg_scan big;
	setup(true);
	int fds[VIEWERS], deaf = join_well("");
	big.angle_rad_count = big.range_m_count = 4000;
	for (int i = 0; i < 4000; i++)
		big.angle_rad[i] = big.range_m[i] = 1.0f / (float)(i + 1);
	say(deaf, "{\"op\":\"subscribe\",\"topics\":[\"scan\",\"pose\"],\"hz\":50}");
	for (int i = 0; i < VIEWERS; i++) {
		fds[i] = join_well("");
		say(fds[i], "{\"op\":\"subscribe\",\"topics\":[\"pose\"],\"hz\":50}");
		(void)first_pose(fds[i]);
	}
	for (int k = 0; k < 60;
	     k++) { /* some 80 kB each: 5 MB for the deaf one, whose socket holds a tenth */
		cairn_pub_send(scan, &big, now_ns(), true);
		tell_pose(2.0);
		poll(NULL, 0, 10);
	}
	tell_pose(3.0);
	for (int i = 0; i < VIEWERS; i++) {
		double x = 0.0;
		while (x < 3.0) {
			json_t *m = next_of(fds[i], "message", "pose");
			x = json_number_value(json_object_get(json_object_get(m, "data"), "x_m"));
			json_decref(m);
		}
	}
	ck_assert_int_lt(rss_kb(), 64 * 1024 * (CAIRN_ROUNDS(8) == 8 ? 1 : 8)); /* sanitizers need more */
	expect(200, "POST", "/api/command/estop", "", NULL, "heard stop");
	for (int i = 0; i < VIEWERS; i++)
		close(fds[i]);
	close(deaf);
	teardown();
}
END_TEST

CAIRN_TEST_MAIN("web-viewers", viewers_get_what_they_ask_for_and_nothing_else,
    who_comes_later_is_told_of_the_way_driven_and_of_what_held_the_robot_back, planted_text_arrives_as_data,
    a_flood_is_dropped_and_a_stop_still_taken, a_viewer_that_reads_nothing_holds_nobody_up)
