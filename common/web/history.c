#include "common/web/history.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>

void cairn_web_history_pose(
    struct cairn_web_history *h, const struct cairn_header *hdr, const struct cairn_msg_pose *pose)
{
	if (!hdr->valid || !isfinite(pose->x_m) || !isfinite(pose->y_m))
		return;
	if (pose->map_id != h->map_id)
		h->first = h->count = 0;
	h->map_id = pose->map_id;
	if (h->count > 0) {
		uint32_t last = (h->first + h->count - 1) % CAIRN_WEB_TRAIL_MAX;
		double dx_m = pose->x_m - (double)h->trail[last].x_m,
		       dy_m = pose->y_m - (double)h->trail[last].y_m;
		if (hypot(dx_m, dy_m) < CAIRN_WEB_TRAIL_STEP_M)
			return;
	}
	uint32_t at = (h->first + h->count) % CAIRN_WEB_TRAIL_MAX;
	h->trail[at].x_m = (float)pose->x_m;
	h->trail[at].y_m = (float)pose->y_m;
	if (h->count < CAIRN_WEB_TRAIL_MAX)
		h->count++;
	else
		h->first = (h->first + 1) % CAIRN_WEB_TRAIL_MAX;
}

/* FNV-1a of a text without its figures, and of a number in front; never 0. */
static uint64_t likeness(unsigned number, const char *text)
{
	uint64_t hash = (UINT64_C(14695981039346656037) ^ number) * UINT64_C(1099511628211);
	for (; *text != '\0'; text++) {
		if (!isdigit((unsigned char)*text) && *text != '-' && *text != '.')
			hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
	}
	return hash | 1;
}

/* quiet: nothing to tell unless something else was told before. */
static bool changed(uint64_t *last, uint64_t now, bool quiet)
{
	bool is = *last != now && !(quiet && *last == 0);
	*last = now;
	return is;
}

/* A command is repeated once a second; a number that is not the last one is another command. */
static bool is_new_command(struct cairn_web_history *h, const struct cairn_msg_commanded *c)
{
	uint64_t service = likeness(0, c->service);
	for (int i = 0; i < CAIRN_WEB_COMMANDERS_MAX; i++) {
		if (h->commanded[i].service != 0 && h->commanded[i].service != service)
			continue;
		bool is = h->commanded[i].service == 0 || h->commanded[i].id != c->id;
		h->commanded[i].service = service;
		h->commanded[i].id = c->id;
		return is;
	}
	return false;
}

bool cairn_web_history_wants(enum cairn_topic topic)
{
	switch (topic) {
	case CAIRN_TOPIC_POSE:
	case CAIRN_TOPIC_MOTION:
	case CAIRN_TOPIC_ESTOP:
	case CAIRN_TOPIC_HEALTH:
	case CAIRN_TOPIC_TIER:
	case CAIRN_TOPIC_RESULT:
	case CAIRN_TOPIC_COMMANDED:
		return true;
	default:
		return false;
	}
}

/* One that rolls freely or stands for no reason of safety. */
static bool is_calm(const struct cairn_msg_motion *m)
{
	return m->state == CAIRN_MOTOR_STATE_IDLE || m->state == CAIRN_MOTOR_STATE_DRIVING;
}

bool cairn_web_history_event(struct cairn_web_history *h, enum cairn_topic topic, const void *msg)
{
	switch (topic) {
	case CAIRN_TOPIC_MOTION: {
		const struct cairn_msg_motion *m = msg;
		bool calm = is_calm(m);
		return changed(&h->motion, calm ? 1 : likeness((unsigned)m->state, m->reason), calm);
	}
	case CAIRN_TOPIC_ESTOP: {
		const struct cairn_msg_estop *e = msg;
		return changed(&h->estop, likeness(e->stop, e->stop ? e->reason : ""), !e->stop);
	}
	case CAIRN_TOPIC_HEALTH: {
		const struct cairn_msg_health *m = msg;
		return changed(&h->health, likeness(m->ok, m->problem), m->ok);
	}
	case CAIRN_TOPIC_TIER: {
		const struct cairn_msg_tier *m = msg;
		return changed(&h->tier, likeness((unsigned)m->tier, ""), true);
	}
	case CAIRN_TOPIC_RESULT: {
		const struct cairn_msg_result *r = msg;
		return r->outcome == CAIRN_OUTCOME_REFUSED || r->overridden;
	}
	case CAIRN_TOPIC_COMMANDED:
		return is_new_command(h, msg);
	default:
		return false;
	}
}

void cairn_web_history_add_trail(struct cairn_text *t, const struct cairn_web_history *h)
{
	cairn_text_addf(t, "\"map_id\":\"%" PRIu64 "\",\"trail\":[", h->map_id);
	for (uint32_t i = 0; i < h->count; i++) {
		uint32_t at = (h->first + i) % CAIRN_WEB_TRAIL_MAX;
		cairn_text_addf(
		    t, "%s[%.2f,%.2f]", i > 0 ? "," : "", (double)h->trail[at].x_m, (double)h->trail[at].y_m);
	}
	cairn_text_add(t, "]");
}
