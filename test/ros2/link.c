/* link.c - the stage ros2-bridge's end of DDS without a stack behind it: every topic of bridge.def, written and read as bytes.
 *
 *   ros2_link DOMAIN jazzy|humble, then lines on standard input: TOPIC HEX, which is written to that topic, or "count TOPIC".
 *
 * On standard output, one JSON object a line: {"ready": true}, {"put": TOPIC}, {"count": how many read it}, {"taken": TOPIC, "hex"}. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "procs/ros2-bridge/dds_link.h"

#define LINE_BYTES (4u << 20)

static struct cairn_config cfg;
static struct dds_writer *writers[CAIRN_ROS2_OUT_COUNT];

static void on_sample(void *ctx, int row, const void *cdr, size_t bytes)
{
	(void)ctx;
	printf("{\"taken\":\"%s\",\"hex\":\"", cairn_ros2_ins[row].name);
	for (size_t i = 0; i < bytes; i++)
		printf("%02x", ((const uint8_t *)cdr)[i]);
	printf("\"}\n");
}

static unsigned digit(char c)
{
	return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a' + 10);
}

/* In place. */
static size_t from_hex(char *text)
{
	size_t bytes = strlen(text) / 2;
	for (size_t i = 0; i < bytes; i++)
		text[i] = (char)(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
	return bytes;
}

static void obey(char *line)
{
	char *second = strchr(line, ' ');
	if (second == NULL)
		exit(2);
	*second++ = '\0';
	bool counts = strcmp(line, "count") == 0;
	for (int i = 0; i < CAIRN_ROS2_OUT_COUNT; i++) {
		if (strcmp(counts ? second : line, cairn_ros2_outs[i].name) != 0)
			continue;
		if (counts)
			printf("{\"count\":%u}\n", dds_writer_readers(writers[i]));
		else if (dds_writer_put(writers[i], second, from_hex(second)))
			printf("{\"put\":\"%s\"}\n", cairn_ros2_outs[i].name);
	}
}

static bool open_all(struct dds_link **ret, struct cairn_error *err)
{
	*ret = dds_link_open(&cfg.ros2, "cairn", err);
	if (*ret == NULL)
		return false;
	for (int i = 0; i < CAIRN_ROS2_OUT_COUNT; i++) {
		const struct cairn_ros2_out_row *row = &cairn_ros2_outs[i];
		writers[i] = dds_link_writer(*ret, row->name, row->type, row->qos, err);
		if (writers[i] == NULL)
			return false;
	}
	for (int i = 0; i < CAIRN_ROS2_IN_COUNT; i++) {
		const struct cairn_ros2_in_row *row = &cairn_ros2_ins[i];
		if (!dds_link_reader(*ret, i, row->name, row->type, row->qos, err))
			return false;
	}
	return dds_link_announce(*ret, err);
}

/* The lines that have come whole. False at the end. */
static bool read_lines(void)
{
	static char buf[LINE_BYTES];
	static size_t have;
	ssize_t n = read(0, buf + have, sizeof(buf) - have);
	if (n <= 0)
		return false;
	char *line = buf, *end;
	size_t left = have + (size_t)n;
	for (; (end = memchr(line, '\n', left)) != NULL; line = end + 1) {
		*end = '\0';
		left -= (size_t)(end + 1 - line);
		obey(line);
	}
	memmove(buf, line, left);
	have = left;
	return true;
}

int main(int argc, char **argv)
{
	struct dds_link *link;
	struct cairn_error err = {""};
	if (argc != 3)
		return 2;
	cairn_config_defaults(&cfg);
	cfg.ros2.domain = atoi(argv[1]);
	cfg.ros2.release = strcmp(argv[2], "humble") == 0 ? CAIRN_CHOICE_ROS2_RELEASE_HUMBLE
							  : CAIRN_CHOICE_ROS2_RELEASE_JAZZY;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!open_all(&link, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	printf("{\"ready\":true}\n");
	struct pollfd fds[2] = {{.fd = 0, .events = POLLIN}, {.fd = dds_link_fd(link), .events = POLLIN}};
	bool more = true;
	while (more && poll(fds, 2, -1) > 0) {
		if (fds[1].revents != 0)
			dds_link_take(link, on_sample, NULL);
		if (fds[0].revents != 0)
			more = read_lines();
	}
	dds_link_close(&link);
	return 0;
}
