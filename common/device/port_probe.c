#include "common/device/port_probe.h"

#include <stdio.h>
#include <string.h>

#define REPORTS_MIN 3 /* a sum of eight bits is right by chance now and then */
#define FRAMES_MIN 3

const struct cairn_port_try cairn_port_tries[CAIRN_PORT_TRIES] = {
    [CAIRN_PORT_ROSMASTER] = {"ROSMASTER motor board", "", CAIRN_PORT_BASE, CAIRN_ROSMASTER_BAUD, 600},
    [CAIRN_PORT_DIFFDRIVE] = {"diffdrive-serial base",
	"robot.base_model=diffdrive-serial --set robot.kinematics=differential", CAIRN_PORT_BASE,
	CAIRN_DIFFDRIVE_BAUD, 600},
    [CAIRN_PORT_LD06] = {"LD06 or LD19", "robot.lidar_model=ld06", CAIRN_PORT_LIDAR, CAIRN_LD06_BAUD, 600},
    [CAIRN_PORT_SLLIDAR] = {"SLLidar", "", CAIRN_PORT_LIDAR, CAIRN_RPLIDAR_BAUD, 900},
};

void cairn_port_probe_begin(struct cairn_port_probe *p, int row)
{
	p->row = row;
	p->asked = 0;
	p->said[0] = '\0';
	cairn_rosmaster_parser_init(&p->board);
	cairn_diffdrive_parser_init(&p->lines);
	cairn_ld06_init(&p->ld06);
	cairn_rplidar_init(&p->rplidar);
}

size_t cairn_port_probe_ask(struct cairn_port_probe *p, uint8_t out[CAIRN_PORT_ASK_MAX])
{
	bool first = p->asked++ == 0;
	size_t n = 0;
	if (p->row == CAIRN_PORT_ROSMASTER) {
		n = cairn_rosmaster_auto_report(out, true);
		n += cairn_rosmaster_request(out + n, CAIRN_ROSMASTER_VERSION);
	} else if (p->row == CAIRN_PORT_DIFFDRIVE) {
		n = cairn_diffdrive_ask((char *)out);
	} else if (p->row == CAIRN_PORT_SLLIDAR) { /* one that scans is to be silent first */
		n = cairn_rplidar_request(
		    out, CAIRN_PORT_ASK_MAX, first ? CAIRN_RPLIDAR_STOP : CAIRN_RPLIDAR_GET_INFO, NULL, 0);
	}
	return n;
}

static bool is_board(struct cairn_port_probe *p, const uint8_t *data, size_t len)
{
	bool some = false;
	for (size_t at = 0; at < len || some;) {
		struct cairn_rosmaster_report r;
		at += cairn_rosmaster_feed(&p->board, data + at, len - at, &r, &some);
		if (some && r.func == CAIRN_ROSMASTER_VERSION)
			snprintf(
			    p->said, sizeof(p->said), "firmware %u.%u", r.version.major, r.version.minor);
	}
	return p->board.reports >= REPORTS_MIN;
}

static bool is_diffdrive(struct cairn_port_probe *p, const uint8_t *data, size_t len)
{
	for (size_t at = 0; at < len;) {
		struct cairn_diffdrive_report r;
		bool some;
		at += cairn_diffdrive_feed(&p->lines, data + at, len - at, &r, &some);
		if (!some || r.kind != CAIRN_DIFFDRIVE_IDENTITY)
			continue;
		snprintf(p->said, sizeof(p->said), "version %d, %s", r.identity.version,
		    r.identity.gyro ? "with gyro" : "no gyro");
		return true;
	}
	return false;
}

static bool is_ld06(struct cairn_port_probe *p, const uint8_t *data, size_t len, int64_t now_ns)
{
	for (size_t at = 0; at < len;) {
		bool turn;
		at += cairn_ld06_feed(&p->ld06, data + at, len - at, now_ns, &turn);
	}
	return p->ld06.counts.frames >= FRAMES_MIN;
}

static bool is_sllidar(struct cairn_port_probe *p, const uint8_t *data, size_t len, int64_t now_ns)
{
	for (size_t at = 0; at < len;) {
		enum cairn_rplidar_event event;
		at += cairn_rplidar_feed(&p->rplidar, data + at, len - at, now_ns, &event);
		if (event != CAIRN_RPLIDAR_EVENT_INFO)
			continue;
		const struct cairn_rplidar_info *i = &p->rplidar.info;
		snprintf(p->said, sizeof(p->said), "model 0x%02X, firmware %u.%u, serial %s", i->model,
		    i->firmware_major, i->firmware_minor, i->serial);
		return true;
	}
	return false;
}

bool cairn_port_probe_feed(struct cairn_port_probe *p, const uint8_t *data, size_t len, int64_t now_ns)
{
	switch (p->row) {
	case CAIRN_PORT_ROSMASTER:
		return is_board(p, data, len);
	case CAIRN_PORT_DIFFDRIVE:
		return is_diffdrive(p, data, len);
	case CAIRN_PORT_LD06:
		return is_ld06(p, data, len, now_ns);
	case CAIRN_PORT_SLLIDAR:
		return is_sllidar(p, data, len, now_ns);
	default:
		return false;
	}
}
