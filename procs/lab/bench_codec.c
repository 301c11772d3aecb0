/* bench_codec.c - what one scan costs on its way over the bus, the socket aside. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ipc/topics.h"
#include "procs/lab/bench.h"

#define POINTS 720
#define BYTES (64 * 1024)

struct codec_work {
	struct cairn_msg_scan scan, back;
	struct cairn_header hdr;
	unsigned char buf[BYTES];
	int bytes;
	bool ok;
};

static void encode(void *ctx)
{
	struct codec_work *w = ctx;
	w->hdr.seq++;
	w->bytes = cairn_msg_encode(&cairn_desc_scan, "scan", &w->hdr, &w->scan, w->buf, sizeof(w->buf));
	w->ok = w->ok && w->bytes > 0;
}

static void decode(void *ctx)
{
	struct codec_work *w = ctx;
	struct cairn_header hdr;
	w->ok =
	    w->ok && cairn_msg_decode(&cairn_desc_scan, w->buf, (size_t)w->bytes, &hdr, &w->back, NULL) == 0;
}

bool cairn_bench_codec(struct cairn_bench_out *out)
{
	struct codec_work *w = calloc(1, sizeof(*w));
	if (w == NULL)
		return false;
	*w = (struct codec_work){
	    .hdr = {CAIRN_SCHEMA_VERSION, 0, 0x123456789abcdefu, INT64_C(123456789012), true}, .ok = true};
	w->scan.range_min_m = 0.05f;
	w->scan.range_max_m = 12.0f;
	w->scan.angle_rad_count = w->scan.range_m_count = POINTS;
	for (int i = 0; i < POINTS; i++) {
		w->scan.angle_rad[i] = (float)(i * 2.0 * M_PI / POINTS);
		w->scan.range_m[i] = (float)(2.0 + sin(i * 0.05));
	}
	double encode_ns = cairn_bench_time_ns(encode, w), decode_ns = cairn_bench_time_ns(decode, w);
	bool ok = w->ok && w->back.range_m_count == POINTS &&
		  w->back.range_m[POINTS - 1] == w->scan.range_m[POINTS - 1];
	if (ok) {
		cairn_bench_value(out, "codec.scan_720.encode", encode_ns, "ns/op");
		cairn_bench_value(out, "codec.scan_720.decode", decode_ns, "ns/op");
		cairn_bench_value(out, "codec.scan_720.both", encode_ns + decode_ns, "ns/op");
		cairn_bench_value(out, "codec.scan_720.size", w->bytes, "bytes");
	} else {
		fprintf(stderr, "cairn bench: the scan did not come back as it was sent\n");
	}
	free(w);
	return ok;
}
