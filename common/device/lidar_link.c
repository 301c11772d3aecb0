#include "common/device/lidar_link.h"

#include <string.h>

#include "common/base/geom.h"

#define SETTLE_NS (100 * CAIRN_NS_PER_MS)
#define ANSWER_NS (500 * CAIRN_NS_PER_MS)
#define REBOOT_NS (1500 * CAIRN_NS_PER_MS)
#define STALE_NS (500 * CAIRN_NS_PER_MS)
#define SILENT_NS (2000 * CAIRN_NS_PER_MS)
#define TURNLESS_NS (3000 * CAIRN_NS_PER_MS)
/* A turn takes 67 to 182 ms. One that came much faster was waiting in a buffer, one much slower was: its
 * points are older than its stamp says. */
#define TURN_MIN_NS (20 * CAIRN_NS_PER_MS)
#define TURN_MAX_NS (300 * CAIRN_NS_PER_MS)
#define OPEN_FAST_NS (100 * CAIRN_NS_PER_MS)
#define OPEN_SLOW_NS (500 * CAIRN_NS_PER_MS)
#define OPENS_FAST 100 /* ten seconds of quick tries */
#define SCANS_MAX 3

static const struct {
	int baud, wake_bytes;
} models[] = {
    [CAIRN_CHOICE_LIDAR_MODEL_SLLIDAR] = {CAIRN_RPLIDAR_BAUD, 100},        /* 20 nodes, 4 ms at full rate */
    [CAIRN_CHOICE_LIDAR_MODEL_LD06] = {CAIRN_LD06_BAUD, CAIRN_LD06_FRAME}, /* a frame, 2.7 ms */
    [CAIRN_CHOICE_LIDAR_MODEL_HELPER] = {CAIRN_RPLIDAR_BAUD, 100}}; /* a pseudo terminal: as it comes */

/* The others send as soon as they are there. */
static bool takes_requests(const struct cairn_lidar_link *l)
{
	return l->model == CAIRN_CHOICE_LIDAR_MODEL_SLLIDAR;
}

static bool is_helper(const struct cairn_lidar_link *l)
{
	return l->model == CAIRN_CHOICE_LIDAR_MODEL_HELPER;
}

static void forget(struct cairn_lidar_link *l)
{
	cairn_rplidar_reset(&l->parser);
	cairn_ld06_reset(&l->ld06);
	cairn_scan_stream_reset(&l->stream);
}

/* Good points or frames so far, and when the newest came. */
static uint64_t points_of(const struct cairn_lidar_link *l)
{
	return is_helper(l)        ? l->stream.counts.frames
	       : takes_requests(l) ? l->parser.counts.nodes
				   : l->ld06.counts.frames;
}

static int64_t last_point_ns(const struct cairn_lidar_link *l)
{
	return is_helper(l)        ? l->stream.last_frame_ns
	       : takes_requests(l) ? l->parser.last_node_ns
				   : l->ld06.last_point_ns;
}

/* ---- what to send ---- */

static void send_simple(struct cairn_lidar_link *l, enum cairn_rplidar_command command)
{
	l->todo.send_bytes = cairn_rplidar_request(l->todo.send, sizeof(l->todo.send), command, NULL, 0);
}

static void enter(
    struct cairn_lidar_link *l, enum cairn_lidar_phase phase, int64_t deadline_ns, const char *note)
{
	l->phase = phase;
	l->deadline_ns = deadline_ns;
	l->note = note;
}

static void settle(struct cairn_lidar_link *l, int64_t now_ns, bool scan_next, const char *note)
{
	send_simple(l, CAIRN_RPLIDAR_STOP);
	l->scan_after_settling = scan_next;
	enter(l, CAIRN_LIDAR_SETTLING, now_ns + SETTLE_NS, note);
}

static void ask_info(struct cairn_lidar_link *l, int64_t now_ns)
{
	send_simple(l, CAIRN_RPLIDAR_GET_INFO);
	enter(l, CAIRN_LIDAR_INFO, now_ns + ANSWER_NS, "asking for its model");
}

static void ask_health(struct cairn_lidar_link *l, int64_t now_ns)
{
	send_simple(l, CAIRN_RPLIDAR_GET_HEALTH);
	enter(l, CAIRN_LIDAR_HEALTH, now_ns + ANSWER_NS, "asking for its health");
}

static void start_scan(struct cairn_lidar_link *l, int64_t now_ns)
{
	send_simple(l, CAIRN_RPLIDAR_SCAN);
	enter(l, CAIRN_LIDAR_STARTING, now_ns + SILENT_NS, "waiting for the first points");
}

static void start_dense(struct cairn_lidar_link *l, int64_t now_ns, uint8_t mode)
{
	l->todo.send_bytes = cairn_rplidar_request_express(l->todo.send, sizeof(l->todo.send), mode);
	enter(l, CAIRN_LIDAR_STARTING, now_ns + SILENT_NS, "waiting for the first points");
}

static void ask_mode(struct cairn_lidar_link *l, int64_t now_ns, uint32_t entry, int argument)
{
	l->todo.send_bytes = cairn_rplidar_request_conf(l->todo.send, sizeof(l->todo.send), entry, argument);
	enter(l, CAIRN_LIDAR_MODES, now_ns + ANSWER_NS, "asking for its modes");
}

static void start(struct cairn_lidar_link *l, int64_t now_ns)
{
	if (!l->dense) {
		start_scan(l, now_ns);
		return;
	}
	l->mode = 0;
	l->mode_count = 0;
	ask_mode(l, now_ns, CAIRN_RPLIDAR_CONF_MODE_COUNT, -1);
}

static void give_up_port(struct cairn_lidar_link *l, const char *note)
{
	l->todo.close = true;
	l->note = note;
}

/* The scan did not begin, fell silent or goes on without turns. */
static void scan_failed(struct cairn_lidar_link *l, int64_t now_ns)
{
	l->restarts++;
	forget(l);
	if (!takes_requests(l)) {
		give_up_port(l, "no turns: opening the port again");
		return;
	}
	if (++l->failed_scans < SCANS_MAX) {
		settle(l, now_ns, true, "no turns: asking for the scan again");
		return;
	}
	send_simple(l, CAIRN_RPLIDAR_RESET);
	give_up_port(l, "no turns: reset, opening the port again");
}

/* ---- answers ---- */

static void on_health(struct cairn_lidar_link *l, int64_t now_ns)
{
	if (l->parser.health.status != 2) {
		l->health_resets = 0;
		start(l, now_ns);
		return;
	}
	if (l->health_resets++ == 0) {
		send_simple(l, CAIRN_RPLIDAR_RESET);
		l->scan_after_settling = false;
		enter(l, CAIRN_LIDAR_SETTLING, now_ns + REBOOT_NS, "reports a fault: reset");
		return;
	}
	give_up_port(l, "reports a hardware fault");
}

/* Mode by mode until one answers in dense capsules. */
static void on_conf(struct cairn_lidar_link *l, int64_t now_ns)
{
	const struct cairn_rplidar_conf_answer *a = &l->parser.conf;
	if (a->entry == CAIRN_RPLIDAR_CONF_MODE_COUNT && a->value_bytes >= 2) {
		l->mode_count = (uint16_t)(a->value[0] | (a->value[1] << 8));
		l->mode = 0;
	} else if (a->entry == CAIRN_RPLIDAR_CONF_ANSWER_TYPE && a->value_bytes >= 1) {
		if (a->value[0] == 0x85) {
			start_dense(l, now_ns, (uint8_t)l->mode);
			return;
		}
		l->mode++;
	} else {
		return; /* not what was asked: the deadline decides */
	}
	if (l->mode < l->mode_count && l->mode < 32) {
		ask_mode(l, now_ns, CAIRN_RPLIDAR_CONF_ANSWER_TYPE, l->mode);
		return;
	}
	start_scan(l, now_ns);
	l->note = "has no dense mode: scanning in standard mode";
}

/* False for a turn whose stamp cannot be believed: after the port was not read for a while. */
static bool accept_turn(struct cairn_lidar_link *l, int64_t now_ns)
{
	const struct cairn_lidar_turn *turn = cairn_lidar_link_turn(l);
	int64_t took_ns = turn->t_end_ns - turn->t_start_ns;
	int64_t least_ns =
	    is_helper(l) ? 0 : TURN_MIN_NS; /* a helper tells the times, whenever its bytes come */
	if (took_ns < least_ns || took_ns > TURN_MAX_NS) {
		l->stamps_refused++;
		return false;
	}
	l->failed_scans = l->failed_opens = 0;
	l->turn_ns = now_ns;
	return true;
}

static void on_event(struct cairn_lidar_link *l, enum cairn_rplidar_event event, int64_t now_ns)
{
	if (event == CAIRN_RPLIDAR_EVENT_INFO)
		l->info_known = true;
	if (event == CAIRN_RPLIDAR_EVENT_INFO && l->phase == CAIRN_LIDAR_INFO)
		ask_health(l, now_ns);
	else if (event == CAIRN_RPLIDAR_EVENT_HEALTH && l->phase == CAIRN_LIDAR_HEALTH)
		on_health(l, now_ns);
	else if (event == CAIRN_RPLIDAR_EVENT_CONF && l->phase == CAIRN_LIDAR_MODES)
		on_conf(l, now_ns);
}

/* ---- what the shell calls ---- */

void cairn_lidar_link_init(
    struct cairn_lidar_link *l, enum cairn_choice_lidar_model model, bool dense, int64_t now_ns)
{
	memset(l, 0, sizeof(*l));
	l->model = model;
	l->dense = dense;
	l->open_at_ns = now_ns;
	l->note = "opening the port";
	cairn_rplidar_init(&l->parser);
	cairn_ld06_init(&l->ld06);
	cairn_scan_stream_init(&l->stream);
}

int cairn_lidar_link_baud(const struct cairn_lidar_link *l)
{
	return models[l->model].baud;
}

int cairn_lidar_link_wake_bytes(const struct cairn_lidar_link *l)
{
	return models[l->model].wake_bytes;
}

const struct cairn_lidar_turn *cairn_lidar_link_turn(const struct cairn_lidar_link *l)
{
	return is_helper(l)        ? cairn_scan_stream_turn(&l->stream)
	       : takes_requests(l) ? cairn_rplidar_turn(&l->parser)
				   : cairn_ld06_turn(&l->ld06);
}

uint64_t cairn_lidar_link_turns_refused(const struct cairn_lidar_link *l)
{
	return l->stamps_refused + l->ld06.counts.turns_refused + l->parser.counts.turns_refused +
	       l->stream.counts.turns_refused + l->stream.counts.frames_refused;
}

size_t cairn_lidar_link_farewell(const struct cairn_lidar_link *l, uint8_t out[CAIRN_RPLIDAR_REQUEST_MAX])
{
	return takes_requests(l)
		   ? cairn_rplidar_request(out, CAIRN_RPLIDAR_REQUEST_MAX, CAIRN_RPLIDAR_STOP, NULL, 0)
		   : 0;
}

bool cairn_lidar_link_wants_open(const struct cairn_lidar_link *l, int64_t now_ns)
{
	return l->phase == CAIRN_LIDAR_CLOSED && now_ns >= l->open_at_ns;
}

void cairn_lidar_link_opened(struct cairn_lidar_link *l, int64_t now_ns)
{
	l->todo = (struct cairn_lidar_todo){0};
	l->failed_scans = 0;
	forget(l);
	if (takes_requests(l)) {
		settle(l, now_ns, false, "settling");
		return;
	}
	l->todo.flush_input = true;
	enter(l, CAIRN_LIDAR_STARTING, now_ns + SILENT_NS, "waiting for the first points");
}

void cairn_lidar_link_lost(struct cairn_lidar_link *l, int64_t now_ns)
{
	if (l->phase != CAIRN_LIDAR_CLOSED)
		l->restarts++;
	l->failed_opens++;
	l->open_at_ns = now_ns + (l->failed_opens <= OPENS_FAST ? OPEN_FAST_NS : OPEN_SLOW_NS);
	l->todo = (struct cairn_lidar_todo){0};
	forget(l);
	enter(l, CAIRN_LIDAR_CLOSED, 0, "no device");
}

static size_t parse(struct cairn_lidar_link *l, const uint8_t *data, size_t len, int64_t now_ns,
    enum cairn_rplidar_event *ret_event)
{
	if (takes_requests(l))
		return cairn_rplidar_feed(&l->parser, data, len, now_ns, ret_event);
	bool turn;
	size_t used = is_helper(l) ? cairn_scan_stream_feed(&l->stream, data, len, now_ns, &turn)
				   : cairn_ld06_feed(&l->ld06, data, len, now_ns, &turn);
	*ret_event = turn ? CAIRN_RPLIDAR_EVENT_TURN : CAIRN_RPLIDAR_EVENT_NONE;
	return used;
}

size_t cairn_lidar_link_feed(struct cairn_lidar_link *l, const uint8_t *data, size_t len, int64_t now_ns,
    enum cairn_rplidar_event *ret_event)
{
	*ret_event = CAIRN_RPLIDAR_EVENT_NONE;
	if (l->phase == CAIRN_LIDAR_CLOSED || l->phase == CAIRN_LIDAR_SETTLING)
		return len; /* remains of an old stream */
	uint64_t points = points_of(l);
	size_t used = parse(l, data, len, now_ns, ret_event);
	if (l->phase == CAIRN_LIDAR_STARTING && points_of(l) > points) {
		enter(l, CAIRN_LIDAR_SCANNING, 0, "scanning");
		l->turn_ns = now_ns;
	}
	if (*ret_event == CAIRN_RPLIDAR_EVENT_TURN && !accept_turn(l, now_ns))
		*ret_event = CAIRN_RPLIDAR_EVENT_NONE;
	on_event(l, *ret_event, now_ns);
	return used;
}

static void deadline_passed(struct cairn_lidar_link *l, int64_t now_ns)
{
	switch (l->phase) {
	case CAIRN_LIDAR_SETTLING:
		l->todo.flush_input = true;
		cairn_rplidar_reset(&l->parser);
		if (l->scan_after_settling)
			start(l, now_ns);
		else
			ask_info(l, now_ns);
		break;
	case CAIRN_LIDAR_INFO:
		ask_health(l, now_ns);
		break;
	case CAIRN_LIDAR_HEALTH:
		start(l, now_ns);
		break;
	case CAIRN_LIDAR_MODES:
		start_scan(l, now_ns);
		l->note = "does not tell its modes: scanning in standard mode";
		break;
	case CAIRN_LIDAR_STARTING:
		scan_failed(l, now_ns);
		break;
	case CAIRN_LIDAR_CLOSED:
	case CAIRN_LIDAR_SCANNING:
	case CAIRN_LIDAR_PHASE_COUNT:
		break;
	}
}

void cairn_lidar_link_tick(struct cairn_lidar_link *l, int64_t now_ns)
{
	if (l->phase == CAIRN_LIDAR_CLOSED || l->todo.close)
		return;
	if (l->phase == CAIRN_LIDAR_SCANNING) {
		if (now_ns - last_point_ns(l) > SILENT_NS || now_ns - l->turn_ns > TURNLESS_NS)
			scan_failed(l, now_ns);
		return;
	}
	if (now_ns >= l->deadline_ns)
		deadline_passed(l, now_ns);
}

struct cairn_lidar_todo cairn_lidar_link_take(struct cairn_lidar_link *l)
{
	struct cairn_lidar_todo todo = l->todo;
	l->todo = (struct cairn_lidar_todo){0};
	return todo;
}

bool cairn_lidar_link_stale(const struct cairn_lidar_link *l, int64_t now_ns)
{
	return l->phase != CAIRN_LIDAR_SCANNING || now_ns - last_point_ns(l) > STALE_NS;
}
