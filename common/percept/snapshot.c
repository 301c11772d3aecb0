#include "common/percept/snapshot.h"

#include <math.h>
#include <string.h>

#include "ipc/messages.h"

/* Of the parts; wide enough for three lengths of 32 bits. */
static bool lengths_fit(const struct cairn_snapshot_head *h, size_t bytes)
{
	uint64_t sum = (uint64_t)h->text_bytes + h->jpeg_bytes + h->view_bytes;
	return h->text_bytes > 0 && h->text_bytes <= CAIRN_SNAPSHOT_TEXT_MAX && sum == bytes - sizeof(*h);
}

/* How every JPEG begins and ends. */
static bool is_jpeg(const uint8_t *data, size_t bytes)
{
	return bytes >= 4 && data[0] == 0xFF && data[1] == 0xD8 && data[bytes - 2] == 0xFF &&
	       data[bytes - 1] == 0xD9;
}

static bool numbers_are_sound(const struct cairn_snapshot_head *h)
{
	bool ok = isfinite(h->x_m) && isfinite(h->y_m) && isfinite(h->yaw_rad) && isfinite(h->nearest_m) &&
		  h->similarity >= 0.0 && h->similarity <= 1.0;
	for (size_t i = 0; i < sizeof(h->sector_m) / sizeof(h->sector_m[0]); i++)
		ok = ok && isfinite(h->sector_m[i]) && h->sector_m[i] >= 0.0f;
	for (size_t i = 0; i < sizeof(h->feasibility) / sizeof(h->feasibility[0]); i++)
		ok = ok && isfinite(h->feasibility[i]);
	return ok;
}

bool cairn_snapshot_read(
    const void *payload, size_t bytes, struct cairn_snapshot *ret, struct cairn_error *err)
{
	struct cairn_snapshot s = {0};
	if (bytes < sizeof(s.head)) {
		cairn_error_set(err, "broken snapshot: %zu bytes are less than its head", bytes);
		return false;
	}
	memcpy(&s.head, payload, sizeof(s.head));
	if (s.head.version != CAIRN_SNAPSHOT_VERSION) {
		cairn_error_set(
		    err, "snapshot of version %u instead of %d", s.head.version, CAIRN_SNAPSHOT_VERSION);
		return false;
	}
	if (!lengths_fit(&s.head, bytes)) {
		cairn_error_set(err, "broken snapshot: %u bytes of text and %u + %u of pictures in %zu",
		    s.head.text_bytes, s.head.jpeg_bytes, s.head.view_bytes, bytes);
		return false;
	}
	const uint8_t *at = (const uint8_t *)payload + sizeof(s.head);
	s.text = (const char *)at;
	at += s.head.text_bytes;
	s.jpeg = s.head.jpeg_bytes > 0 ? at : NULL;
	at += s.head.jpeg_bytes;
	s.view = s.head.view_bytes > 0 ? at : NULL;
	if ((s.jpeg != NULL && !is_jpeg(s.jpeg, s.head.jpeg_bytes)) ||
	    (s.view != NULL && !is_jpeg(s.view, s.head.view_bytes))) {
		cairn_error_set(err, "broken snapshot: a picture is no JPEG");
		return false;
	}
	if (!numbers_are_sound(&s.head) || s.head.trigger >= CAIRN_TRIGGER_COUNT) {
		cairn_error_set(err, "broken snapshot: a number out of its range");
		return false;
	}
	*ret = s;
	return true;
}
