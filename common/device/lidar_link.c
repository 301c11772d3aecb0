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
	cairn_rplidar_reset(&l->parser);
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
	const struct cairn_rplidar_turn *turn = cairn_rplidar_turn(&l->parser);
	int64_t took_ns = turn->t_end_ns - turn->t_start_ns;
	if (took_ns < TURN_MIN_NS || took_ns > TURN_MAX_NS) {
		l->parser.counts.turns_refused++;
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

void cairn_lidar_link_init(struct cairn_lidar_link *l, bool dense, int64_t now_ns)
{
	memset(l, 0, sizeof(*l));
	l->dense = dense;
	l->open_at_ns = now_ns;
	l->note = "opening the port";
	cairn_rplidar_init(&l->parser);
}

bool cairn_lidar_link_wants_open(const struct cairn_lidar_link *l, int64_t now_ns)
{
	return l->phase == CAIRN_LIDAR_CLOSED && now_ns >= l->open_at_ns;
}

void cairn_lidar_link_opened(struct cairn_lidar_link *l, int64_t now_ns)
{
	l->todo = (struct cairn_lidar_todo){0};
	l->failed_scans = 0;
	cairn_rplidar_reset(&l->parser);
	settle(l, now_ns, false, "settling");
}

void cairn_lidar_link_lost(struct cairn_lidar_link *l, int64_t now_ns)
{
	if (l->phase != CAIRN_LIDAR_CLOSED)
		l->restarts++;
	l->failed_opens++;
	l->open_at_ns = now_ns + (l->failed_opens <= OPENS_FAST ? OPEN_FAST_NS : OPEN_SLOW_NS);
	l->todo = (struct cairn_lidar_todo){0};
	cairn_rplidar_reset(&l->parser);
	enter(l, CAIRN_LIDAR_CLOSED, 0, "no device");
}

size_t cairn_lidar_link_feed(struct cairn_lidar_link *l, const uint8_t *data, size_t len, int64_t now_ns,
    enum cairn_rplidar_event *ret_event)
{
	*ret_event = CAIRN_RPLIDAR_EVENT_NONE;
	if (l->phase == CAIRN_LIDAR_CLOSED || l->phase == CAIRN_LIDAR_SETTLING)
		return len; /* remains of an old stream */
	uint64_t nodes = l->parser.counts.nodes;
	size_t used = cairn_rplidar_feed(&l->parser, data, len, now_ns, ret_event);
	if (l->phase == CAIRN_LIDAR_STARTING && l->parser.counts.nodes > nodes) {
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
		if (now_ns - l->parser.last_node_ns > SILENT_NS || now_ns - l->turn_ns > TURNLESS_NS)
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
	return l->phase != CAIRN_LIDAR_SCANNING || now_ns - l->parser.last_node_ns > STALE_NS;
}
