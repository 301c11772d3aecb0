#include "common/percept/camera_check.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/base/geom.h"

#define RATE_SHARE 0.5 /* of camera.rate_hz, that must come */
#define REFUSED_SHARE 0.01
#define SHAPE_SHARE 0.01 /* so much may the shapes of colour and depth differ */

static struct cairn_camera_check_stream *stream_of(struct cairn_camera_check *c, uint16_t format)
{
	return &c->streams[cairn_camera_is_colour(format) ? CAIRN_CAMERA_COLOUR : CAIRN_CAMERA_DEPTH];
}

static void refuse(struct cairn_camera_check_stream *s, const struct cairn_error *why)
{
	s->refused++;
	snprintf(s->why, sizeof(s->why), "%s", why->text);
}

bool cairn_camera_check_header(struct cairn_camera_check *c, const uint8_t bytes[CAIRN_CAMERA_HEADER_BYTES],
    int64_t now_ns, struct cairn_camera_header *ret, enum cairn_camera_verdict *ret_verdict)
{
	struct cairn_error why = {""};
	*ret_verdict = cairn_camera_header_read(bytes, &c->want, &c->order, now_ns, ret, &why);
	if (*ret_verdict == CAIRN_CAMERA_BROKEN) {
		snprintf(c->broken, sizeof(c->broken), "%s", why.text);
		return false;
	}
	if (*ret_verdict == CAIRN_CAMERA_SKIP)
		refuse(stream_of(c, ret->format), &why);
	return true;
}

static void take(struct cairn_camera_check_stream *s, const struct cairn_camera_header *hdr, int64_t now_ns)
{
	int64_t age_ns = now_ns - hdr->t_ns;
	if (s->pictures++ == 0)
		s->first_ns = now_ns;
	else if (now_ns - s->last_ns > s->gap_max_ns)
		s->gap_max_ns = now_ns - s->last_ns;
	s->last_ns = now_ns;
	s->age_sum_ns += age_ns;
	s->age_max_ns = age_ns > s->age_max_ns ? age_ns : s->age_max_ns;
	s->format = hdr->format;
}

void cairn_camera_check_payload(struct cairn_camera_check *c, const struct cairn_camera_header *hdr,
    enum cairn_camera_verdict verdict, const uint8_t *payload, int64_t now_ns)
{
	struct cairn_camera_check_stream *s = stream_of(c, hdr->format);
	struct cairn_error why = {""};
	if (verdict == CAIRN_CAMERA_SKIP)
		return;
	if (cairn_repeats_take(&s->repeats, payload, hdr->payload_bytes)) {
		s->repeated++;
		return;
	}
	s->width = hdr->width;
	s->height = hdr->height;
	if (verdict == CAIRN_CAMERA_MAKE &&
	    !cairn_picture_make(c->maker, hdr, payload, c->made, &s->width, &s->height, &why)) {
		refuse(s, &why);
		return;
	}
	take(s, hdr, now_ns);
}

const char *cairn_camera_check_picture(struct cairn_camera_check *c, const struct cairn_camera_header *hdr,
    const uint8_t *payload, int64_t now_ns)
{
	struct cairn_camera_check_stream *s = stream_of(c, hdr->format);
	uint64_t repeated = s->repeated, pictures = s->pictures;
	struct cairn_error why = {""};
	enum cairn_camera_verdict verdict = cairn_camera_judge(hdr, &c->want, &c->order, now_ns, &why);
	if (verdict == CAIRN_CAMERA_SKIP)
		refuse(s, &why);
	else
		cairn_camera_check_payload(c, hdr, verdict, payload, now_ns);
	if (s->pictures > pictures)
		return NULL;
	return s->repeated > repeated ? "it repeats an earlier picture" : s->why;
}

/* ---- words ---- */

static double rate_of(const struct cairn_camera_check_stream *s)
{
	int64_t ns = s->last_ns - s->first_ns;
	return s->pictures > 1 && ns > 0 ? (double)(s->pictures - 1) * 1e9 / (double)ns : 0.0;
}

static void describe(const struct cairn_camera_check *c, const char *name,
    const struct cairn_camera_check_stream *s, struct cairn_text *t)
{
	static const char *const formats[] = {"?", "JPEG", "NV12", "16 bit depth", "RGB", "YUYV"};
	if (s->pictures == 0)
		return;
	struct cairn_picture_part part =
	    cairn_picture_part(s->width, s->height, c->want.width, c->want.height);
	cairn_text_addf(t,
	    "%s: %s of %u x %u, %" PRIu64
	    " pictures, %.1f Hz, longest gap %.2f s, %.0f ms old on arrival (at most %.0f)\n",
	    name, formats[s->format], s->width, s->height, s->pictures, rate_of(s),
	    (double)s->gap_max_ns * 1e-9, (double)s->age_sum_ns * 1e-6 / (double)s->pictures,
	    (double)s->age_max_ns * 1e-6);
	if (part.width != s->width || part.height != s->height)
		cairn_text_addf(t,
		    "  %u x %u in the middle are used: robot.camera_hfov_rad is that of this part\n",
		    part.width, part.height);
}

/* One line a fault. */
static bool find_faults(const struct cairn_camera_check *c, const char *name,
    const struct cairn_camera_check_stream *s, struct cairn_text *t)
{
	bool good = true;
	uint64_t all = s->pictures + s->refused + s->repeated;
	if ((double)s->refused > REFUSED_SHARE * (double)all) {
		cairn_text_addf(t, "WRONG: %" PRIu64 " of %" PRIu64 " %s pictures are refused: %s\n",
		    s->refused, all, name, s->why);
		good = false;
	}
	if (s->repeated > 0) {
		cairn_text_addf(t,
		    "WRONG: %" PRIu64 " %s pictures were sent before: the camera has stopped looking\n",
		    s->repeated, name);
		good = false;
	}
	if (s->pictures > 0 && rate_of(s) < RATE_SHARE * c->rate_hz) {
		cairn_text_addf(t, "WRONG: %.1f %s pictures a second, camera.rate_hz is %g\n", rate_of(s),
		    name, c->rate_hz);
		good = false;
	}
	return good;
}

static bool same_shape(const struct cairn_camera_check_stream *a, const struct cairn_camera_check_stream *b)
{
	double x = (double)a->width * b->height, y = (double)b->width * a->height;
	return x <= (1.0 + SHAPE_SHARE) * y && y <= (1.0 + SHAPE_SHARE) * x;
}

bool cairn_camera_check_report(const struct cairn_camera_check *c, struct cairn_text *t)
{
	const struct cairn_camera_check_stream *colour = &c->streams[CAIRN_CAMERA_COLOUR],
					       *depth = &c->streams[CAIRN_CAMERA_DEPTH];
	describe(c, "colour", colour, t);
	describe(c, "depth", depth, t);
	bool good = find_faults(c, "colour", colour, t);
	good = find_faults(c, "depth", depth, t) && good;
	if (c->broken[0] != '\0') {
		cairn_text_addf(t, "WRONG: the connection is of no use: %s\n", c->broken);
		good = false;
	}
	if (colour->pictures == 0) {
		cairn_text_add(t, "WRONG: no picture in colour: the model sees nothing\n");
		good = false;
	}
	if (colour->pictures > 0 && depth->pictures > 0 && !same_shape(colour, depth)) {
		cairn_text_add(
		    t, "WRONG: colour and depth have different shapes: they cannot lie on each other\n");
		good = false;
	}
	if (depth->pictures == 0)
		cairn_text_add(t, "no depth: what the LiDAR does not see is not seen (safety.depth)\n");
	return good;
}
