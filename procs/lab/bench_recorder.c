/* bench_recorder.c - how fast a recording is written to memory (tmpfs): what the recorder costs beside the disk. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "common/base/whole_io.h"
#include "common/record/message_recorder.h"
#include "procs/lab/bench.h"

#define WIDTH 640
#define HEIGHT 480
#define SECONDS 60 /* of recording: 10 frames and 10 scans each */
#define RATE 10

struct load {
	int fd;
	struct cairn_msg_scan scan;
	uint16_t depth[WIDTH * HEIGHT];
	uint8_t rgb[3 * WIDTH * HEIGHT];
};

static bool to_file(void *ctx, const void *data, size_t bytes)
{
	return cairn_write_whole(((const struct load *)ctx)->fd, data, bytes);
}

/* A room: a floor that comes nearer downwards, walls, and the noise of a sensor, so that neither zstd nor JPEG has it too easy. */
static void fill(struct load *l)
{
	uint32_t noise = 1;
	for (int y = 0; y < HEIGHT; y++) {
		for (int x = 0; x < WIDTH; x++) {
			int i = y * WIDTH + x;
			noise = noise * 1664525u + 1013904223u;
			double m = y > HEIGHT / 2 ? 200.0 / (y - HEIGHT / 2 + 20) : 2.0 + fabs(sin(x * 0.01));
			l->depth[i] = (uint16_t)(m * 1000.0 + (double)(noise >> 30));
			for (int c = 0; c < 3; c++)
				l->rgb[3 * i + c] = (uint8_t)((int)(m * 60.0) + 20 * c + (int)(noise >> 29));
		}
	}
	l->scan.angle_rad_count = l->scan.range_m_count = 720;
	l->scan.range_max_m = 12.0f;
	for (int i = 0; i < 720; i++) {
		l->scan.angle_rad[i] = (float)(i * 2.0 * M_PI / 720);
		l->scan.range_m[i] = (float)(2.0 + sin(i * 0.05));
	}
}

static double processor_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Bytes handed in a second, and in a second of this thread's processor time, which others do not slow down; or negative. */
static double measure(struct load *l, enum cairn_frame_topic topic, uint16_t format, const void *pixels,
    uint32_t pixel_bytes, double *ret_per_core)
{
	const struct cairn_record_options options = {
	    .clock_offset_ns = 1700000000000000000, .jpeg_quality = 80};
	if (ftruncate(l->fd, 0) != 0 || lseek(l->fd, 0, SEEK_SET) != 0)
		return -1.0;
	struct cairn_message_recorder *r = cairn_message_recorder_new(&options, to_file, l);
	bool good = r != NULL;
	double handed = 0.0;
	double spent_s = processor_s();
	int64_t begun_ns = cli_now_ns(), i = 0;
	for (; good && i < SECONDS * RATE; i++) {
		const struct cairn_header hdr = {
		    .seq = (uint64_t)i, .epoch = 1, .t_ns = i * 100000000, .valid = true};
		const struct cairn_frame_header head = {.format = format,
		    .seq = (uint64_t)i,
		    .epoch = 1,
		    .t_ns = i * 100000000,
		    .width = WIDTH,
		    .height = HEIGHT,
		    .stride_bytes = WIDTH * pixel_bytes,
		    .payload_bytes = WIDTH * HEIGHT * pixel_bytes};
		good = pixels != NULL
			   ? cairn_message_recorder_frame(r, topic, &head, pixels, hdr.t_ns)
			   : cairn_message_recorder_add(r, CAIRN_TOPIC_SCAN, NULL, &hdr, &l->scan, hdr.t_ns);
		handed += pixels != NULL ? head.payload_bytes : (double)sizeof(float) * 2 * 720;
	}
	good = good && cairn_message_recorder_finish(r);
	double s = (double)(cli_now_ns() - begun_ns) * 1e-9;
	*ret_per_core = handed / (processor_s() - spent_s);
	cairn_message_recorder_destroy(&r);
	return good ? handed / s : -1.0;
}

bool cairn_bench_recorder(struct cairn_bench_out *out)
{
	struct load *l = calloc(1, sizeof(*l));
	if (l == NULL)
		return false;
	l->fd = open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (l->fd < 0) {
		fprintf(stderr, "cairn bench: no file can be made in /dev/shm\n");
		free(l);
		return false;
	}
	fill(l);
	double depth_core, camera_core, scans_core;
	double depth = measure(l, CAIRN_FRAME_CAMERA_DEPTH, CAIRN_FORMAT_DEPTH16, l->depth, 2, &depth_core),
	       camera = measure(l, CAIRN_FRAME_CAMERA_RGB, CAIRN_FORMAT_RGB8, l->rgb, 3, &camera_core),
	       scans = measure(l, CAIRN_FRAME_CANARY, CAIRN_FORMAT_NONE, NULL, 0, &scans_core);
	close(l->fd);
	free(l);
	if (!(depth > 0.0 && camera > 0.0 && scans > 0.0)) {
		fprintf(stderr, "cairn bench: the recording could not be written\n");
		return false;
	}
	cairn_bench_value(out, "recorder.depth_640x480", depth * 1e-6, "MB/s");
	cairn_bench_value(out, "recorder.depth_640x480.core", depth_core * 1e-6, "MB/processor s");
	cairn_bench_value(out, "recorder.camera_640x480", camera * 1e-6, "MB/s");
	cairn_bench_value(out, "recorder.camera_640x480.core", camera_core * 1e-6, "MB/processor s");
	cairn_bench_value(out, "recorder.scan_720", scans / (sizeof(float) * 2 * 720), "scans/s");
	cairn_bench_value(
	    out, "recorder.scan_720.core", scans_core / (sizeof(float) * 2 * 720), "scans/processor s");
	return true;
}
