#include "common/sequencer/mission_store.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include <zlib.h>

struct file_header {
	char magic[4];
	uint32_t version, payload_bytes, crc;
};
_Static_assert(sizeof(struct file_header) == 16, "the header has no padding");

static const char magic[4] = {'C', 'R', 'N', 'M'};

static uint32_t checksum(const void *data, size_t bytes)
{
	return (uint32_t)crc32(crc32(0, NULL, 0), data, (uInt)bytes);
}

int cairn_mission_record_encode(const struct cairn_mission_record *record, void *buf, size_t buf_bytes)
{
	if (buf_bytes < CAIRN_MISSION_RECORD_BYTES)
		return -ENOBUFS;
	struct file_header h = {.version = CAIRN_MISSION_RECORD_VERSION,
	    .payload_bytes = sizeof(*record),
	    .crc = checksum(record, sizeof(*record))};
	memcpy(h.magic, magic, sizeof(magic));
	memcpy(buf, &h, sizeof(h));
	memcpy((char *)buf + sizeof(h), record, sizeof(*record));
	return (int)CAIRN_MISSION_RECORD_BYTES;
}

static bool text_ends(const char *text, size_t cap)
{
	return memchr(text, '\0', cap) != NULL;
}

/* Read as bytes: a bool that is neither may not even be looked at. */
static bool is_flag(const bool *flag)
{
	unsigned char byte;
	memcpy(&byte, flag, sizeof(byte));
	return byte <= 1;
}

static bool was(int64_t t_ns, int64_t now_ns)
{
	return t_ns >= 0 && t_ns <= now_ns;
}

static bool places_sane(const struct cairn_frontier_blacklist *e, int64_t now_ns)
{
	if (!cairn_frontier_blacklist_sane(e))
		return false;
	for (uint32_t i = 0; i < e->count; i++)
		if (!is_flag(&e->places[i].given_up) || !is_flag(&e->places[i].afar) ||
		    !was(e->places[i].t_arrival_ns, now_ns))
			return false;
	return true;
}

static bool open_sane(const struct cairn_mission_open *o, int64_t now_ns)
{
	const struct cairn_msg_decision *d = &o->decision;
	bool known =
	    (unsigned)d->source < CAIRN_SOURCE_COUNT && (unsigned)d->tool < CAIRN_TOOL_COUNT &&
	    (unsigned)d->direction < CAIRN_DIRECTION_COUNT && (unsigned)d->speed < CAIRN_SPEED_COUNT &&
	    (unsigned)d->fallback_tool < CAIRN_TOOL_COUNT &&
	    (unsigned)d->fallback_direction < CAIRN_DIRECTION_COUNT &&
	    (unsigned)d->fallback_speed < CAIRN_SPEED_COUNT &&
	    (unsigned)d->fallback_goal_kind < CAIRN_GOAL_KIND_COUNT &&
	    (unsigned)d->goal_kind < CAIRN_GOAL_KIND_COUNT && (unsigned)d->zone_kind < CAIRN_ZONE_KIND_COUNT;
	bool texts = text_ends(d->reason, sizeof(d->reason)) &&
		     text_ends(d->reasoning, sizeof(d->reasoning)) &&
		     text_ends(d->zone_name, sizeof(d->zone_name));
	bool flags = is_flag(&o->way) && is_flag(&o->again) && is_flag(&o->frontier) && is_flag(&o->onward) &&
		     is_flag(&o->trail) && is_flag(&d->absolute) && is_flag(&d->has_fallback) &&
		     is_flag(&d->fallback_absolute);
	bool finite = isfinite(o->goal_x_m) && isfinite(o->goal_y_m) && isfinite(o->frontier_x_m) &&
		      isfinite(o->frontier_y_m) && isfinite(o->tolerance_m) && isfinite(o->limit_s);
	return known && texts && flags && finite && was(o->t_start_ns, now_ns);
}

static const char *nonsense(const struct cairn_mission_record *r, int64_t now_ns)
{
	if (r->state >= CAIRN_MISSION_STATE_COUNT || r->back_paused >= CAIRN_MISSION_STATE_COUNT ||
	    r->back_goto >= CAIRN_MISSION_STATE_COUNT || r->back_task >= CAIRN_MISSION_STATE_COUNT)
		return "a state that does not exist";
	if (!is_flag(&r->started) || !is_flag(&r->silent_way) || !is_flag(&r->survey) ||
	    !is_flag(&r->surveys_after))
		return "a flag that is neither true nor false";
	if (!was(r->t_first_ns, now_ns) || !was(r->t_explore_ns, now_ns) || !was(r->t_paused_ns, now_ns) ||
	    !was(r->elapsed_ns, now_ns) || !was(r->t_task_ns, now_ns))
		return "stamps of another boot";
	if (r->t_paused_ns != 0 && r->t_paused_ns < r->t_explore_ns)
		return "a pause before the exploration";
	if (!isfinite(r->limit_s) || r->limit_s < 0.0 || !isfinite(r->goto_x_m) || !isfinite(r->goto_y_m) ||
	    !isfinite(r->first_decision_s))
		return "a number that is not finite";
	if (!text_ends(r->goal, sizeof(r->goal)) || !text_ends(r->task, sizeof(r->task)) ||
	    !text_ends(r->reason, sizeof(r->reason)) || !text_ends(r->end_reason, sizeof(r->end_reason)))
		return "a text without end";
	if (!open_sane(&r->open, now_ns))
		return "a broken decision";
	if (!places_sane(&r->explore, now_ns))
		return "a broken list of places";
	if (!cairn_breadcrumbs_sane(&r->trail))
		return "a broken trail";
	if (!cairn_zones_sane(&r->zones) || r->zones_doubt >= CAIRN_ZONE_DOUBT_COUNT)
		return "a broken zone";
	return NULL;
}

bool cairn_mission_record_decode(struct cairn_mission_record *record, const void *buf, size_t bytes,
    int64_t now_ns, struct cairn_error *err)
{
	struct file_header h;
	struct cairn_mission_record r;
	if (bytes != CAIRN_MISSION_RECORD_BYTES) {
		cairn_error_set(err, "%zu bytes instead of %zu", bytes, (size_t)CAIRN_MISSION_RECORD_BYTES);
		return false;
	}
	memcpy(&h, buf, sizeof(h));
	if (memcmp(h.magic, magic, sizeof(magic)) != 0 || h.version != CAIRN_MISSION_RECORD_VERSION ||
	    h.payload_bytes != sizeof(r)) {
		cairn_error_set(err, "not a mission record of version %u", CAIRN_MISSION_RECORD_VERSION);
		return false;
	}
	const char *payload = (const char *)buf + sizeof(h);
	if (checksum(payload, sizeof(r)) != h.crc) {
		cairn_error_set(err, "the checksum does not fit");
		return false;
	}
	memcpy(&r, payload, sizeof(r));
	const char *wrong = nonsense(&r, now_ns);
	if (wrong != NULL) {
		cairn_error_set(err, "%s", wrong);
		return false;
	}
	*record = r;
	return true;
}
