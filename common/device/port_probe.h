/* port_probe.h - who speaks at a serial port? Each known device in turn is asked in its own words, at its own speed.
 *
 * What is asked moves nothing and changes no setting: the board is asked for its reports and version, a diffdrive-serial base who it
 * is, an SLLidar for its model; an LD06 speaks by itself. To the wrong device each of these is noise outside of its frames.
 *
 * Pure: the shell opens the port at the row's speed, sends, and feeds what comes. */
#ifndef CAIRN_COMMON_DEVICE_PORT_PROBE_H
#define CAIRN_COMMON_DEVICE_PORT_PROBE_H

#include "common/device/diffdrive.h"
#include "common/device/ld06.h"
#include "common/device/rosmaster.h"
#include "common/device/rplidar.h"

#define CAIRN_PORT_ASK_MS 150 /* between two questions */
#define CAIRN_PORT_ASK_MAX 128

enum cairn_port_use { CAIRN_PORT_BASE, CAIRN_PORT_LIDAR, CAIRN_PORT_USES };

struct cairn_port_try {
	const char *what;     /* for people */
	const char *settings; /* what the configuration must say beside the port; "": nothing */
	enum cairn_port_use use;
	int baud, listen_ms;
};

enum { CAIRN_PORT_ROSMASTER, CAIRN_PORT_DIFFDRIVE, CAIRN_PORT_LD06, CAIRN_PORT_SLLIDAR, CAIRN_PORT_TRIES };
extern const struct cairn_port_try cairn_port_tries[CAIRN_PORT_TRIES];

struct cairn_port_probe {
	int row; /* of cairn_port_tries */
	int asked;
	struct cairn_rosmaster_parser board;
	struct cairn_diffdrive_parser lines;
	struct cairn_ld06 ld06;
	struct cairn_rplidar rplidar;
	char said[96]; /* what is known of it beside its kind; "": nothing */
};

void cairn_port_probe_begin(struct cairn_port_probe *p, int row);
/* The next question, every CAIRN_PORT_ASK_MS; its bytes, 0: it is only listened to. */
size_t cairn_port_probe_ask(struct cairn_port_probe *p, uint8_t out[CAIRN_PORT_ASK_MAX]);
/* True: it is that device. */
bool cairn_port_probe_feed(struct cairn_port_probe *p, const uint8_t *data, size_t len, int64_t now_ns);

#endif
