#include "common/sequencer/zone_store.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include <zlib.h>

#define VERSION 1u

struct head {
	char magic[4];
	uint32_t version, payload_bytes, crc;
	/* the sum covers the rest */
	uint64_t map_id;
	uint32_t doubt, reserved;
};
_Static_assert(sizeof(struct head) == 32, "the head has no padding");
#define SUMMED_FROM offsetof(struct head, map_id)

static const char magic[4] = {'C', 'R', 'N', 'Z'};

static uint32_t sum_of(const unsigned char *file, size_t bytes)
{
	return (uint32_t)crc32(crc32(0, NULL, 0), file + SUMMED_FROM, (uInt)(bytes - SUMMED_FROM));
}

int cairn_zone_file_encode(const struct cairn_zone_file *file, int64_t now_ns, void *buf, size_t buf_bytes)
{
	struct cairn_header hdr = {CAIRN_SCHEMA_VERSION, 1, 1, now_ns, true};
	struct head h = {.version = VERSION, .map_id = file->map_id, .doubt = file->doubt};
	if (buf_bytes < sizeof(h))
		return -ENOBUFS;
	int n = cairn_msg_encode(
	    &cairn_desc_zones, "zones", &hdr, &file->zones, (char *)buf + sizeof(h), buf_bytes - sizeof(h));
	if (n < 0)
		return n;
	memcpy(h.magic, magic, sizeof(magic));
	h.payload_bytes = (uint32_t)n;
	memcpy(buf, &h, sizeof(h));
	h.crc = sum_of(buf, sizeof(h) + (size_t)n);
	memcpy(buf, &h, sizeof(h));
	return n + (int)sizeof(h);
}

bool cairn_zones_sane(const struct cairn_msg_zones *zones)
{
	if (zones->items_count > sizeof(zones->items) / sizeof(zones->items[0]))
		return false;
	for (uint32_t i = 0; i < zones->items_count; i++) {
		const struct cairn_msg_zone *z = &zones->items[i];
		bool ok = (unsigned)z->kind < CAIRN_ZONE_KIND_COUNT &&
			  (unsigned)z->author < CAIRN_ZONE_AUTHOR_COUNT &&
			  memchr(z->name, '\0', sizeof(z->name)) != NULL && isfinite(z->speed_max_mps) &&
			  z->corners_count >= 3 &&
			  z->corners_count <= sizeof(z->corners) / sizeof(z->corners[0]);
		for (uint32_t k = 0; ok && k < z->corners_count; k++)
			ok = isfinite(z->corners[k].x_m) && isfinite(z->corners[k].y_m);
		if (!ok)
			return false;
	}
	return true;
}

bool cairn_zone_file_decode(
    struct cairn_zone_file *file, const void *buf, size_t bytes, struct cairn_error *err)
{
	struct cairn_header hdr;
	struct head h;
	struct cairn_zone_file f = {0};
	if (bytes < sizeof(h) || bytes > CAIRN_ZONES_FILE_BYTES_MAX) {
		cairn_error_set(err, "%zu bytes are no file of zones", bytes);
		return false;
	}
	memcpy(&h, buf, sizeof(h));
	if (memcmp(h.magic, magic, sizeof(magic)) != 0 || h.version != VERSION) {
		cairn_error_set(err, "not a file of zones of version %u", VERSION);
		return false;
	}
	if (h.payload_bytes != bytes - sizeof(h) || sum_of(buf, bytes) != h.crc) {
		cairn_error_set(err, "damaged: the checksum does not fit");
		return false;
	}
	if (cairn_msg_decode(
		&cairn_desc_zones, (const char *)buf + sizeof(h), h.payload_bytes, &hdr, &f.zones, err) != 0)
		return false;
	if (h.doubt >= CAIRN_ZONE_DOUBT_COUNT || !cairn_zones_sane(&f.zones)) {
		cairn_error_set(err, "a zone that cannot be");
		return false;
	}
	f.map_id = h.map_id;
	f.doubt = h.doubt;
	*file = f;
	return true;
}

const char *cairn_zone_doubt_text(uint32_t doubt)
{
	switch (doubt) {
	case CAIRN_ZONE_DOUBT_LOST:
		return "zones of the house cannot be read: draw them again, then 'cairn zone confirm'";
	case CAIRN_ZONE_DOUBT_MAP:
		return "zones are of another map: check or draw them again, then 'cairn zone confirm'";
	default:
		return "";
	}
}
