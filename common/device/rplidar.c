#include "common/device/rplidar.h"

#include <math.h>
#include <string.h>

#include "common/base/geom.h"

#define Q6_TURN (360 * 64)
#define Q6_STEP_MAX (20 * 64) /* nodes of one turn are nearer together than this */
#define Q6_STEP_BACK (2 * 64) /* the device's own angle correction may step back a little */
#define Q6_SWEEP_MIN (340 * 64)
#define Q6_SWEEP_MAX (380 * 64)
#define RUN_TO_SYNC 8 /* random bytes pass the check bits of a node with chance 1 in 4 */

enum phase { PHASE_HUNT, PHASE_ANSWER, PHASE_NODES, PHASE_CAPSULES };

enum { TYPE_INFO = 0x04, TYPE_HEALTH = 0x06, TYPE_CONF = 0x20, TYPE_NODES = 0x81, TYPE_DENSE = 0x85 };

enum {
	DESCRIPTOR_BYTES = 7,
	INFO_BYTES = 20,
	HEALTH_BYTES = 3,
	CONF_BYTES_MIN = 4,
	CONF_BYTES_MAX = 72,
	NODE_BYTES = 5,
	DENSE_BYTES = 84,
	DENSE_SAMPLES = 40
};

/* ---- requests ---- */

size_t cairn_rplidar_request(uint8_t *out, size_t out_bytes, enum cairn_rplidar_command command,
    const uint8_t *payload, size_t payload_bytes)
{
	bool long_form = ((unsigned)command & 0x80u) != 0;
	size_t total = long_form ? payload_bytes + 4 : 2;
	if (total > out_bytes || payload_bytes > 255)
		return 0;
	out[0] = 0xA5;
	out[1] = (uint8_t)command;
	if (!long_form)
		return total;
	out[2] = (uint8_t)payload_bytes;
	if (payload_bytes > 0)
		memcpy(out + 3, payload, payload_bytes);
	uint8_t sum = 0;
	for (size_t i = 0; i + 1 < total; i++)
		sum ^= out[i];
	out[total - 1] = sum;
	return total;
}

size_t cairn_rplidar_request_express(uint8_t *out, size_t out_bytes, uint8_t mode)
{
	const uint8_t payload[5] = {mode, 0, 0, 0, 0};
	return cairn_rplidar_request(out, out_bytes, CAIRN_RPLIDAR_EXPRESS_SCAN, payload, sizeof(payload));
}

size_t cairn_rplidar_request_conf(uint8_t *out, size_t out_bytes, uint32_t entry, int argument)
{
	uint8_t payload[6] = {(uint8_t)entry, (uint8_t)(entry >> 8), (uint8_t)(entry >> 16),
	    (uint8_t)(entry >> 24), (uint8_t)argument, (uint8_t)((unsigned)argument >> 8)};
	return cairn_rplidar_request(out, out_bytes, CAIRN_RPLIDAR_GET_CONF, payload, argument < 0 ? 4 : 6);
}

/* ---- turns ---- */

static void lose_sync(struct cairn_rplidar *p)
{
	if (p->synced)
		p->counts.resyncs++;
	if (p->turn_open)
		p->counts.turns_refused++;
	p->synced = false;
	p->turn_open = false;
	p->run = 0;
}

/* Ends the turn being collected and begins the next; true when the ended one is a full and plausible turn. */
static bool turn_over(struct cairn_rplidar *p, int64_t now_ns)
{
	struct cairn_lidar_turn *done = &p->turns[p->building];
	bool good = p->turn_open && done->count >= CAIRN_LIDAR_TURN_MIN && p->sweep_q6 >= Q6_SWEEP_MIN;
	if (p->turn_open && !good)
		p->counts.turns_refused++;
	if (good) {
		done->t_end_ns = now_ns;
		p->counts.turns++;
		p->building ^= 1u;
	}
	struct cairn_lidar_turn *next = &p->turns[p->building];
	next->count = 0;
	next->t_start_ns = now_ns;
	p->turn_open = true;
	p->sweep_q6 = 0;
	return good;
}

/* A node of the stream in sync. True when it completed a turn. */
static bool add_node(struct cairn_rplidar *p, bool start, int32_t angle_q6, float range_m, int64_t now_ns)
{
	bool complete = start && turn_over(p, now_ns);
	if (!start && p->turn_open && p->last_q6 >= 0) {
		int32_t step = angle_q6 - p->last_q6;
		if (step < -Q6_TURN / 2)
			step += Q6_TURN;
		else if (step > Q6_TURN / 2)
			step -= Q6_TURN;
		p->sweep_q6 += step;
	}
	p->last_q6 = angle_q6;
	p->last_node_ns = now_ns;
	p->counts.nodes++;
	if (!p->turn_open)
		return complete;
	struct cairn_lidar_turn *t = &p->turns[p->building];
	if (t->count >= CAIRN_LIDAR_TURN_MAX || p->sweep_q6 > Q6_SWEEP_MAX) {
		p->counts.turns_refused++; /* its end was missed */
		p->turn_open = false;
		return complete;
	}
	t->angle_q6[t->count] = (uint16_t)angle_q6;
	t->range_m[t->count] = range_m;
	t->count++;
	return complete;
}

/* ---- type 81: nodes of 5 bytes ---- */

static bool angles_follow(int32_t last_q6, int32_t angle_q6)
{
	if (last_q6 < 0)
		return true;
	int32_t step = angle_q6 - last_q6;
	if (step < -Q6_STEP_BACK)
		step += Q6_TURN;
	if (step > Q6_TURN - Q6_STEP_BACK)
		step -= Q6_TURN;
	return step >= -Q6_STEP_BACK && step < Q6_STEP_MAX;
}

static void drop_bytes(struct cairn_rplidar *p, size_t n)
{
	p->have -= n;
	memmove(p->buf, p->buf + n, p->have);
}

/* buf holds 5 bytes. Out of sync they are only looked at: a run of good ones, each following the one before,
 * must come first. */
static bool take_node(struct cairn_rplidar *p, int64_t now_ns)
{
	const uint8_t *b = p->buf;
	bool start = (b[0] & 1u) != 0;
	int32_t angle_q6 = (b[1] >> 1) | (b[2] << 7);
	bool good = start != ((b[0] & 2u) != 0) && (b[1] & 1u) != 0 && angle_q6 < Q6_TURN;
	if (!good || !angles_follow(p->last_q6, angle_q6)) {
		lose_sync(p);
		p->last_q6 = -1;
		drop_bytes(p, 1);
		return false;
	}
	float range_m = (float)(b[3] | (b[4] << 8)) * (0.25e-3f);
	p->have = 0;
	if (p->synced)
		return add_node(p, start, angle_q6, range_m, now_ns);
	p->last_q6 = angle_q6;
	if (++p->run >= RUN_TO_SYNC)
		p->synced = true;
	return false;
}

/* ---- type 85: dense capsules ---- */

static bool capsule_good(const uint8_t *c)
{
	uint8_t sum = 0;
	for (int i = 2; i < DENSE_BYTES; i++)
		sum ^= c[i];
	return sum == ((c[0] & 0x0Fu) | ((c[1] & 0x0Fu) << 4));
}

static int32_t capsule_angle_q6(const uint8_t *c)
{
	return (c[2] | (c[3] << 8)) & 0x7FFF;
}

/* The samples of the held capsule lie between its start angle and the new one's. */
static bool emit_capsule(struct cairn_rplidar *p, const uint8_t *next, int64_t now_ns)
{
	int32_t from = capsule_angle_q6(p->capsule), span = capsule_angle_q6(next) - from;
	if (span < 0)
		span += Q6_TURN;
	if (span > 288 * 64) { /* the vendor's bound of a plausible pair at 5 kHz */
		lose_sync(p);
		return false;
	}
	p->synced = true;
	bool complete = false;
	for (int i = 0; i < DENSE_SAMPLES; i++) {
		int32_t angle_q6 = (from + span * i / DENSE_SAMPLES) % Q6_TURN;
		const uint8_t *d = p->capsule + 4 + 2 * i;
		/* No flag marks a turn: it begins at the sample that steps over 360 degrees. */
		bool start = p->last_q6 >= 0 && angle_q6 < p->last_q6 - Q6_TURN / 2;
		complete |= add_node(p, start, angle_q6, (float)(d[0] | (d[1] << 8)) * 1e-3f, now_ns);
	}
	return complete;
}

static bool take_capsule(struct cairn_rplidar *p, int64_t now_ns)
{
	const uint8_t *c = p->buf;
	bool framed = (c[0] >> 4) == 0xA && (c[1] >> 4) == 0x5;
	if (!framed || !capsule_good(c) || capsule_angle_q6(c) >= Q6_TURN) {
		if (framed)
			p->counts.answers_refused++;
		lose_sync(p);
		p->last_q6 = -1;
		p->capsule_held = false;
		drop_bytes(p, 1); /* its head may lie within what looked like a capsule */
		return false;
	}
	bool restart = (c[3] & 0x80u) != 0;
	if (restart && p->capsule_held) {
		lose_sync(p);
		p->last_q6 = -1;
	}
	bool complete = p->capsule_held && !restart && emit_capsule(p, c, now_ns);
	memcpy(p->capsule, c, DENSE_BYTES);
	p->capsule_held = true;
	p->have = 0;
	return complete;
}

/* ---- descriptors and single answers ---- */

static void hunt(struct cairn_rplidar *p)
{
	p->phase = PHASE_HUNT;
	p->have = 0;
	p->need = DESCRIPTOR_BYTES;
}

static void begin_stream(struct cairn_rplidar *p, enum phase phase, size_t unit_bytes)
{
	p->phase = (int)phase;
	p->need = unit_bytes;
	p->have = 0;
	p->synced = phase == PHASE_NODES; /* units follow the descriptor at once */
	p->turn_open = false;
	p->capsule_held = false;
	p->last_q6 = -1;
	p->run = 0;
}

static enum cairn_rplidar_event take_descriptor(struct cairn_rplidar *p)
{
	const uint8_t *b = p->buf;
	uint32_t word = (uint32_t)b[2] | (uint32_t)b[3] << 8 | (uint32_t)b[4] << 16 | (uint32_t)b[5] << 24;
	uint32_t bytes = word & 0x3FFFFFFFu;
	bool stream = (word >> 30) == 1;
	uint8_t type = b[6];
	if (stream && type == TYPE_NODES && bytes == NODE_BYTES) {
		begin_stream(p, PHASE_NODES, NODE_BYTES);
		return CAIRN_RPLIDAR_EVENT_STREAM;
	}
	if (stream && type == TYPE_DENSE && bytes == DENSE_BYTES) {
		begin_stream(p, PHASE_CAPSULES, DENSE_BYTES);
		return CAIRN_RPLIDAR_EVENT_STREAM;
	}
	bool known =
	    (word >> 30) == 0 &&
	    ((type == TYPE_INFO && bytes == INFO_BYTES) || (type == TYPE_HEALTH && bytes == HEALTH_BYTES) ||
		(type == TYPE_CONF && bytes >= CONF_BYTES_MIN && bytes <= CONF_BYTES_MAX));
	if (!known) {
		p->counts.answers_refused++;
		drop_bytes(p, 1);
		return CAIRN_RPLIDAR_EVENT_NONE;
	}
	p->phase = PHASE_ANSWER;
	p->answer_type = type;
	p->need = bytes;
	p->have = 0;
	return CAIRN_RPLIDAR_EVENT_NONE;
}

static enum cairn_rplidar_event take_answer(struct cairn_rplidar *p)
{
	const uint8_t *b = p->buf;
	size_t bytes = p->need;
	hunt(p);
	if (p->answer_type == TYPE_INFO) {
		p->info = (struct cairn_rplidar_info){
		    .model = b[0], .firmware_minor = b[1], .firmware_major = b[2], .hardware = b[3]};
		for (int i = 0; i < 16; i++) {
			p->info.serial[2 * i] = "0123456789ABCDEF"[b[4 + i] >> 4];
			p->info.serial[2 * i + 1] = "0123456789ABCDEF"[b[4 + i] & 15];
		}
		return CAIRN_RPLIDAR_EVENT_INFO;
	}
	if (p->answer_type == TYPE_HEALTH) {
		p->health = (struct cairn_rplidar_health){b[0], (uint16_t)(b[1] | (b[2] << 8))};
		return CAIRN_RPLIDAR_EVENT_HEALTH;
	}
	p->conf.entry = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
	p->conf.value_bytes = bytes - CONF_BYTES_MIN;
	memset(p->conf.value, 0, sizeof(p->conf.value));
	memcpy(p->conf.value, b + CONF_BYTES_MIN, p->conf.value_bytes);
	return CAIRN_RPLIDAR_EVENT_CONF;
}

static enum cairn_rplidar_event take_unit(struct cairn_rplidar *p, int64_t now_ns)
{
	switch ((enum phase)p->phase) {
	case PHASE_HUNT:
		return take_descriptor(p);
	case PHASE_ANSWER:
		return take_answer(p);
	case PHASE_NODES:
		return take_node(p, now_ns) ? CAIRN_RPLIDAR_EVENT_TURN : CAIRN_RPLIDAR_EVENT_NONE;
	case PHASE_CAPSULES:
		return take_capsule(p, now_ns) ? CAIRN_RPLIDAR_EVENT_TURN : CAIRN_RPLIDAR_EVENT_NONE;
	}
	return CAIRN_RPLIDAR_EVENT_NONE;
}

/* Bytes that cannot begin what is awaited go at once, so that a unit is only looked at when its head fits. */
static void drop_false_heads(struct cairn_rplidar *p)
{
	if (p->phase != PHASE_HUNT)
		return;
	while (p->have > 0 && (p->buf[0] != 0xA5 || (p->have > 1 && p->buf[1] != 0x5A)))
		drop_bytes(p, 1);
}

/* ---- the parser ---- */

void cairn_rplidar_init(struct cairn_rplidar *p)
{
	memset(p, 0, sizeof(*p));
	p->last_q6 = -1;
	hunt(p);
}

void cairn_rplidar_reset(struct cairn_rplidar *p)
{
	if (p->turn_open)
		p->counts.turns_refused++;
	p->synced = p->turn_open = p->capsule_held = false;
	p->last_q6 = -1;
	hunt(p);
}

size_t cairn_rplidar_feed(struct cairn_rplidar *p, const uint8_t *data, size_t len, int64_t now_ns,
    enum cairn_rplidar_event *ret_event)
{
	*ret_event = CAIRN_RPLIDAR_EVENT_NONE;
	size_t used = 0;
	while (used < len && *ret_event == CAIRN_RPLIDAR_EVENT_NONE) {
		p->buf[p->have++] = data[used++];
		drop_false_heads(p);
		/* A unit that was refused leaves a byte less: nothing is taken twice. */
		if (p->have >= p->need)
			*ret_event = take_unit(p, now_ns);
	}
	return used;
}

const struct cairn_lidar_turn *cairn_rplidar_turn(const struct cairn_rplidar *p)
{
	return &p->turns[p->building ^ 1u];
}
