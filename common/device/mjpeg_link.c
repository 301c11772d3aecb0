#include "common/device/mjpeg_link.h"

#include "common/base/geom.h"
#include "common/device/picture_rate.h"

void cairn_mjpeg_link_init(struct cairn_mjpeg_link *l, const struct cairn_mjpeg_want *want)
{
	*l = (struct cairn_mjpeg_link){.want = *want};
}

void cairn_mjpeg_link_free(struct cairn_mjpeg_link *l)
{
	cairn_mjpeg_free(&l->stream);
}

bool cairn_mjpeg_link_wants_open(const struct cairn_mjpeg_link *l, int64_t now_ns)
{
	return !l->open && cairn_retry_due(&l->retry, now_ns);
}

void cairn_mjpeg_link_opened(struct cairn_mjpeg_link *l, int64_t now_ns)
{
	l->open = true;
	l->answered = false;
	l->good_ns = now_ns;
	l->due_ns = 0;
	l->refusal.text[0] = '\0';
}

void cairn_mjpeg_link_lost(struct cairn_mjpeg_link *l, const char *why, int64_t now_ns)
{
	cairn_error_set(&l->problem, "%s: %.200s", l->want.url, why);
	l->open = false;
	l->losses++;
	cairn_retry_tried(&l->retry, false, now_ns);
}

bool cairn_mjpeg_link_answered(
    struct cairn_mjpeg_link *l, long status, const char *content_type, int64_t now_ns)
{
	char why[80];
	if (status != 200) {
		snprintf(why, sizeof(why), "it answers with status %ld%s", status,
		    status == 401 || status == 403 ? ": take its password off" : ": check the path");
		cairn_mjpeg_link_lost(l, why, now_ns);
		return false;
	}
	l->answered = cairn_mjpeg_begin(&l->stream, content_type);
	if (!l->answered)
		cairn_mjpeg_link_lost(l, l->stream.problem.text, now_ns);
	return l->answered;
}

size_t cairn_mjpeg_link_feed(struct cairn_mjpeg_link *l, const uint8_t *data, size_t len, int64_t now_ns,
    struct cairn_camera_header *ret_hdr, const uint8_t **ret_payload)
{
	enum cairn_mjpeg_event event;
	*ret_payload = NULL;
	if (!l->open || !l->answered)
		return len;
	size_t used = cairn_mjpeg_feed(&l->stream, data, len, &event);
	if (event == CAIRN_MJPEG_BROKEN)
		cairn_mjpeg_link_lost(l, l->stream.problem.text, now_ns);
	if (event != CAIRN_MJPEG_PICTURE || !cairn_picture_due(&l->due_ns, l->want.rate_hz, now_ns))
		return used;
	*ret_hdr = (struct cairn_camera_header){.version = CAIRN_CAMERA_VERSION,
	    .format = CAIRN_CAMERA_JPEG,
	    .width = l->want.width, /* the JPEG's own count */
	    .height = l->want.height,
	    .t_ns = now_ns,
	    .seq = ++l->seq,
	    .payload_bytes = (uint32_t)l->stream.picture_bytes};
	*ret_payload = l->stream.picture;
	return used;
}

void cairn_mjpeg_link_used(struct cairn_mjpeg_link *l, const char *why_not, int64_t now_ns)
{
	if (why_not != NULL) {
		cairn_error_set(&l->refusal, "%.200s", why_not);
		return;
	}
	l->pictures++;
	l->good_ns = now_ns;
	l->problem.text[0] = l->refusal.text[0] = '\0';
	cairn_retry_tried(&l->retry, true, now_ns);
}

bool cairn_mjpeg_link_tick(struct cairn_mjpeg_link *l, int64_t now_ns)
{
	char why[280];
	if (!l->open || now_ns - l->good_ns <= CAIRN_MJPEG_STUCK_NS)
		return true;
	snprintf(why, sizeof(why), "no picture of use for %d s: %.200s",
	    (int)(CAIRN_MJPEG_STUCK_NS / CAIRN_NS_PER_S),
	    l->refusal.text[0] != '\0' ? l->refusal.text : "it is asked again");
	cairn_mjpeg_link_lost(l, why, now_ns);
	return false;
}
