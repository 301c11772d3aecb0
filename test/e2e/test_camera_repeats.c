/* A camera that goes on sending its last picture, colour and depth, with new stamps and numbers: noticed, said as health, and
 * nothing of it is believed. The whole stack; between the simulated camera and the stage that reads it, a relay of the test's own
 * that freezes the pictures; in one run it sends them on as JPEG and depth in another size, too. */
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <turbojpeg.h>

#include "common/device/camera_link.h"
#include "test/e2e/stack.h"

#define FORMATS 5 /* of enum cairn_camera_format */

struct relay {
	bool other; /* colours go on as JPEG, depth in twice the size */
	pid_t pid;
	volatile int *frozen; /* shared with the relay */
	char path[200], aside[220];
};

static int unix_socket(const char *path, struct sockaddr_un *at)
{
	*at = (struct sockaddr_un){.sun_family = AF_UNIX};
	ck_assert_uint_lt(strlen(path), sizeof(at->sun_path));
	strcpy(at->sun_path, path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ck_assert_int_ge(fd, 0);
	return fd;
}

static bool read_whole(int fd, uint8_t *to, size_t bytes)
{
	for (ssize_t n; bytes > 0; to += n, bytes -= (size_t)n)
		if ((n = read(fd, to, bytes)) <= 0)
			return false;
	return true;
}

static bool write_whole(int fd, const uint8_t *from, size_t bytes)
{
	for (ssize_t n; bytes > 0; from += n, bytes -= (size_t)n)
		if ((n = send(fd, from, bytes, MSG_NOSIGNAL)) <= 0)
			return false;
	return true;
}

static uint32_t u32_at(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void put_u32(uint8_t *p, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(value >> (8 * i));
}

/* The picture in another form: changes the header, and gives the new payload, valid until the next call. */
static const uint8_t *change(uint8_t *head, const uint8_t *payload)
{
	static uint8_t *jpeg;
	static uint16_t *twice;
	uint32_t width = u32_at(head + 8), height = u32_at(head + 12);
	if (head[6] == CAIRN_CAMERA_DEPTH16) {
		const uint16_t *mm = (const uint16_t *)(const void *)payload;
		twice = realloc(twice, 8 * (size_t)width * height);
		for (uint32_t i = 0; i < 4 * width * height; i++)
			twice[i] = mm[i / (2 * width) / 2 * width + i % (2 * width) / 2];
		put_u32(head + 8, 2 * width);
		put_u32(head + 12, 2 * height);
		put_u32(head + 16, 4 * width);
		put_u32(head + 32, 8 * width * height);
		return (const uint8_t *)twice;
	}
	unsigned long bytes = 0;
	tjhandle tj = tjInitCompress();
	tjFree(jpeg);
	jpeg = NULL;
	(void)tjCompress2(
	    tj, payload, (int)width, 0, (int)height, TJPF_RGB, &jpeg, &bytes, TJSAMP_420, 85, 0);
	tjDestroy(tj);
	head[6] = CAIRN_CAMERA_JPEG;
	put_u32(head + 16, 0);
	put_u32(head + 32, (uint32_t)bytes);
	return jpeg;
}

/* Headers as they come; while frozen, the payload is the last one of that format from before. */
static void pass_on(const struct relay *r, int camera, int reader)
{
	static uint8_t *kept[FORMATS], *waste;
	static size_t kept_bytes[FORMATS];
	uint8_t head[CAIRN_CAMERA_HEADER_BYTES];
	while (read_whole(camera, head, sizeof(head))) {
		size_t bytes = u32_at(head + 32);
		int format = head[6] % FORMATS;
		bool again = *r->frozen != 0 && kept_bytes[format] == bytes;
		uint8_t **to = again ? &waste : &kept[format];
		*to = realloc(*to, bytes);
		if (!read_whole(camera, *to, bytes))
			return;
		kept_bytes[format] = bytes;
		const uint8_t *payload = r->other ? change(head, kept[format]) : kept[format];
		if (!write_whole(reader, head, sizeof(head)) ||
		    !write_whole(reader, payload, u32_at(head + 32)))
			return;
	}
}

static void serve(const struct relay *r, int listener)
{
	for (int reader; (reader = accept(listener, NULL, NULL)) >= 0; close(reader)) {
		struct sockaddr_un at;
		int camera = unix_socket(r->aside, &at);
		if (connect(camera, (struct sockaddr *)&at, sizeof(at)) == 0)
			pass_on(r, camera, reader);
		close(camera);
	}
}

/* Takes the place of the camera's socket; the stage that reads it is killed and finds the relay. */
static void come_between(struct drill *drill, struct relay *r)
{
	struct sockaddr_un at;
	struct stack_stage bridge = {"camera-bridge", fixture_pid(drill, "camera-bridge")};
	snprintf(r->path, sizeof(r->path), "%s/dev/camera", fixture_run_dir(drill));
	snprintf(r->aside, sizeof(r->aside), "%s.true", r->path);
	r->frozen = mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne((void *)r->frozen, MAP_FAILED);
	ck_assert_int_eq(rename(r->path, r->aside), 0);
	int listener = unix_socket(r->path, &at);
	ck_assert_int_eq(bind(listener, (struct sockaddr *)&at, sizeof(at)), 0);
	ck_assert_int_eq(listen(listener, 4), 0);
	r->pid = fork();
	ck_assert_int_ge(r->pid, 0);
	if (r->pid == 0) {
		serve(r, listener);
		_exit(0);
	}
	close(listener);
	kill(bridge.not_pid, SIGKILL);
	stack_must(drill, stack_is_up, &bridge, "the camera's stage does not come back");
}

static void go_away(struct relay *r)
{
	kill(r->pid, SIGKILL);
	waitpid(r->pid, NULL, 0);
	ck_assert_int_eq(rename(r->aside, r->path), 0);
	munmap((void *)r->frozen, sizeof(int));
}

static bool is_said(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->have_health && strstr(run->health.problem, "it repeats an earlier picture") != NULL;
}

static bool is_not_said(const struct up_run *run, void *ctx)
{
	return run->have_health && !is_said(run, ctx);
}

static bool stands_without_depth(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->have_motion && run->motion.state == CAIRN_MOTOR_STATE_NO_SCAN &&
	       run->motion.v_mps == 0.0 && strstr(run->motion.reason, "depth") != NULL;
}

START_TEST(a_camera_that_repeats_its_picture_stops_a_robot_that_must_have_depth)
{
	static const char *const args[] = {"--set", "safety.depth=required", NULL};
	struct relay relay = {.other = true};
	char out[8192];
	struct drill *drill = stack_start(args);
	stack_must(drill, stack_drives, NULL, "does not drive");
	come_between(drill, &relay);
	stack_must(drill, is_not_said, NULL, "a camera that looks is said to repeat itself");
	stack_must(drill, stack_drives, NULL, "does not drive by the relayed camera");
	*relay.frozen = 1;
	stack_must(drill, stands_without_depth, NULL, "drives on by a picture of the past");
	stack_must(drill, is_said, NULL, "health does not tell of it");
	(void)stack_cairn(drill, "status", out, sizeof(out)); /* which ends with 1 where something is wrong */
	ck_assert_msg(strstr(out, "it repeats an earlier picture") != NULL, "%s", out);
	*relay.frozen = 0;
	stack_must(drill, is_not_said, NULL, "health does not tell that the camera looks again");
	stack_must(drill, stack_drives, NULL, "does not drive again");
	go_away(&relay);
	stack_end(&drill);
}
END_TEST

START_TEST(where_depth_may_be_missing_the_robot_drives_on_without_believing_the_repeated_one)
{
	static const char *const args[] = {NULL};
	struct relay relay = {.other = false};
	struct cairn_error err = {""};
	static struct cairn_msg_depth_scan scan;
	struct drill *drill = stack_start(args);
	stack_must(drill, stack_drives, NULL, "does not drive");
	come_between(drill, &relay);
	stack_must(drill, is_not_said, NULL, "a camera that looks is said to repeat itself");
	struct cairn_bus *bus = cairn_bus_new(fixture_run_dir(drill), &err);
	struct cairn_sub *sub = bus != NULL ? cairn_sub_new(bus, CAIRN_TOPIC_SCAN_DEPTH, NULL, &err) : NULL;
	ck_assert_msg(sub != NULL, "%s", err.text);
	struct stack_stretch look = {.s = 2.0}, on = {.s = 10.0};
	stack_must(drill, stack_stretch_over, &look, "no motion is told");
	ck_assert_msg(cairn_sub_recv(sub, &scan, NULL) == 1, "no depth from a camera that looks");
	*relay.frozen = 1;
	stack_must(drill, is_said, NULL, "health does not tell of it");
	while (cairn_sub_recv(sub, &scan, NULL) == 1) /* from before */
		;
	stack_must(drill, stack_stretch_over, &on, "no motion is told");
	ck_assert_msg(on.moved, "a robot that may do without depth stands");
	ck_assert_msg(cairn_sub_recv(sub, &scan, NULL) != 1, "depth is told from a repeated picture");
	*relay.frozen = 0;
	stack_must(drill, is_not_said, NULL, "health does not tell that the camera looks again");
	cairn_bus_destroy(&bus);
	go_away(&relay);
	stack_end(&drill);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("camera-repeats", 280.0,
    a_camera_that_repeats_its_picture_stops_a_robot_that_must_have_depth,
    where_depth_may_be_missing_the_robot_drives_on_without_believing_the_repeated_one)
