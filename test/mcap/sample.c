/* sample.c - a recording as the recorder makes it, of so many seconds, for a reader that is not ours.
 *
 *   mcap_sample FILE SECONDS */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/whole_io.h"
#include "common/record/message_recorder.h"
#include "test/support/any_message.h"

#define PERIOD_NS 40000000 /* of the fastest topics */
#define WIDTH 160
#define HEIGHT 120
#define LIST_MAX 4

static struct cairn_rng rng;
static uint8_t rgb[3 * WIDTH * HEIGHT], cells[64 * 64];
static uint16_t depth[WIDTH * HEIGHT];

static bool to_file(void *ctx, const void *data, size_t bytes)
{
	return cairn_write_whole(*(const int *)ctx, data, bytes);
}

static bool frames(struct cairn_message_recorder *r, int64_t t_ns, uint32_t i)
{
	struct cairn_frame_header h = {.format = CAIRN_FORMAT_RGB8,
	    .seq = i,
	    .epoch = 1,
	    .t_ns = t_ns,
	    .width = WIDTH,
	    .height = HEIGHT,
	    .stride_bytes = 3 * WIDTH,
	    .payload_bytes = sizeof(rgb)};
	for (size_t k = 0; k < WIDTH * HEIGHT; k++) {
		depth[k] = (uint16_t)(k + i);
		rgb[3 * k] = (uint8_t)(k / 7 + i);
	}
	bool good = cairn_message_recorder_frame(r, CAIRN_FRAME_CAMERA_RGB, &h, rgb, t_ns);
	h.format = CAIRN_FORMAT_DEPTH16;
	h.stride_bytes = 2 * WIDTH;
	h.payload_bytes = sizeof(depth);
	good = good && cairn_message_recorder_frame(r, CAIRN_FRAME_CAMERA_DEPTH, &h, depth, t_ns);
	cells[i % sizeof(cells)] = 100;
	h.format = CAIRN_FORMAT_GRID8;
	h.width = h.height = h.stride_bytes = 64;
	h.payload_bytes = sizeof(cells);
	h.cell_m = 0.05;
	return good && cairn_message_recorder_frame(r, CAIRN_FRAME_MAP_GRID, &h, cells, t_ns);
}

/* Is something of this rate due in step i? What has none (on change) comes once a second. */
static bool is_due(double rate_hz, uint32_t i)
{
	double a_step = (rate_hz > 0.0 ? rate_hz : 1.0) * PERIOD_NS * 1e-9;
	return floor((i + 1) * a_step) > floor(i * a_step);
}

/* Everything of one moment, each topic at the rate that the stages keep. */
static bool moment(struct cairn_message_recorder *r, int64_t t_ns, uint32_t i, void *msg)
{
	const struct cairn_header hdr = {
	    .version = CAIRN_SCHEMA_VERSION, .seq = i, .epoch = 7, .t_ns = t_ns, .valid = true};
	bool good = true;
	for (int topic = 0; good && topic < CAIRN_TOPIC_COUNT; topic++) {
		const struct cairn_topic_row *row = &cairn_topics[topic];
		if (!is_due(row->rate_hz, i))
			continue;
		memset(msg, 0, row->desc->size);
		any_message(&rng, row->desc, 0, LIST_MAX, msg);
		good = cairn_message_recorder_add(r, (enum cairn_topic)topic,
		    cairn_topic_has_instances(row) ? "mapper" : NULL, &hdr, msg, t_ns);
	}
	if (good && is_due(cairn_frame_topics[CAIRN_FRAME_CAMERA_RGB].rate_hz, i))
		good = frames(r, t_ns, i);
	if (good && is_due(1.0, i)) /* as the stage does */
		good = cairn_message_recorder_flush(r);
	return good;
}

int main(int argc, char **argv)
{
	int fd = argc == 3 ? open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	size_t largest = 0;
	for (int i = 0; i < CAIRN_TOPIC_COUNT; i++)
		largest = cairn_topics[i].desc->size > largest ? cairn_topics[i].desc->size : largest;
	void *msg = malloc(largest);
	const struct cairn_record_options options = {
	    .clock_offset_ns = INT64_C(1700000000000000000), .jpeg_quality = 80};
	struct cairn_message_recorder *r =
	    fd >= 0 && msg != NULL ? cairn_message_recorder_new(&options, to_file, &fd) : NULL;
	bool good = r != NULL;
	int64_t end_ns = good ? (int64_t)(atof(argv[2]) * 1e9) : 0;
	uint32_t i = 0;
	cairn_rng_seed(&rng, 1, 0);
	for (int64_t t_ns = PERIOD_NS; good && t_ns <= end_ns; t_ns += PERIOD_NS)
		good = moment(r, t_ns, i++, msg);
	good = good && cairn_message_recorder_finish(r);
	if (good)
		printf("%llu messages, %llu bytes\n", (unsigned long long)cairn_message_recorder_messages(r),
		    (unsigned long long)cairn_message_recorder_bytes(r));
	cairn_message_recorder_destroy(&r);
	free(msg);
	return good && close(fd) == 0 ? 0 : 1;
}
