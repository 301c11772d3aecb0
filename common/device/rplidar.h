/* rplidar.h - RPLIDAR serial protocol, host side: requests, and a parser for what comes back.
 *
 * Slamtec's protocol as in rplidar_sdk (sl_lidar_cmd.h, sl_lidar_protocol.h) and docs/wire-formats.md:
 * answers are framed once by a descriptor; a scan is an endless stream without framing. So the parser holds
 * sync by the few check bits of a node and by the angles rising, and never reports a turn that contained a
 * loss of sync.
 *
 * Bytes in, events out: no descriptor, clock or allocation. Any chunking and any bytes are fine. The device's
 * angles are degrees, clockwise seen from above, 0 at its own mark. */
#ifndef CAIRN_COMMON_DEVICE_RPLIDAR_H
#define CAIRN_COMMON_DEVICE_RPLIDAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/device/lidar_turn.h"

/* ---- requests ---- */
#define CAIRN_RPLIDAR_BAUD 460800

enum cairn_rplidar_command {
	CAIRN_RPLIDAR_SCAN = 0x20,
	CAIRN_RPLIDAR_STOP = 0x25,
	CAIRN_RPLIDAR_RESET = 0x40,
	CAIRN_RPLIDAR_GET_INFO = 0x50,
	CAIRN_RPLIDAR_GET_HEALTH = 0x52,
	CAIRN_RPLIDAR_EXPRESS_SCAN = 0x82,
	CAIRN_RPLIDAR_GET_CONF = 0x84
};

enum cairn_rplidar_conf { CAIRN_RPLIDAR_CONF_MODE_COUNT = 0x70, CAIRN_RPLIDAR_CONF_ANSWER_TYPE = 0x75 };

#define CAIRN_RPLIDAR_REQUEST_MAX 64

/* Writes a request with its checksum (commands with bit 0x80 carry length and payload, the others none).
 * Bytes written, or 0 when it does not fit. */
size_t cairn_rplidar_request(uint8_t *out, size_t out_bytes, enum cairn_rplidar_command command,
    const uint8_t *payload, size_t payload_bytes);
size_t cairn_rplidar_request_express(uint8_t *out, size_t out_bytes, uint8_t mode);
/* argument: mode id for entries that take one, negative for none. */
size_t cairn_rplidar_request_conf(uint8_t *out, size_t out_bytes, uint32_t entry, int argument);

/* ---- answers ---- */
enum cairn_rplidar_event {
	CAIRN_RPLIDAR_EVENT_NONE, /* all bytes consumed */
	CAIRN_RPLIDAR_EVENT_INFO,
	CAIRN_RPLIDAR_EVENT_HEALTH,
	CAIRN_RPLIDAR_EVENT_CONF,
	CAIRN_RPLIDAR_EVENT_STREAM, /* a scan begins */
	CAIRN_RPLIDAR_EVENT_TURN    /* a complete turn, in cairn_rplidar_turn() */
};

struct cairn_rplidar_info {
	uint8_t model, firmware_major, firmware_minor, hardware;
	char serial[33];
};

struct cairn_rplidar_health {
	uint8_t status; /* 0 good, 1 warning, 2 error */
	uint16_t code;
};

struct cairn_rplidar_conf_answer {
	uint32_t entry;
	uint8_t value[68];
	size_t value_bytes;
};

struct cairn_rplidar_counts {
	uint64_t nodes, turns;
	uint64_t resyncs;       /* times sync was lost */
	uint64_t turns_refused; /* not a full sweep, too few or too many nodes, or a loss of sync within */
	uint64_t
	    answers_refused; /* descriptors of unknown type or wrong length, capsules of wrong checksum */
};

/* Caller-owned; the fields are the parser's own, read through the functions below. */
struct cairn_rplidar {
	int phase;
	uint8_t buf[128];
	size_t have, need;
	uint8_t answer_type;
	/* stream */
	bool synced, turn_open;
	uint32_t run;     /* good nodes in a row while out of sync */
	int32_t last_q6;  /* angle of the last good node, -1 = none */
	int32_t sweep_q6; /* of the turn being collected */
	bool capsule_held;
	uint8_t capsule[84];
	int64_t last_node_ns;
	unsigned building; /* index of the turn being collected */
	struct cairn_lidar_turn turns[2];
	struct cairn_rplidar_info info;
	struct cairn_rplidar_health health;
	struct cairn_rplidar_conf_answer conf;
	struct cairn_rplidar_counts counts;
};

void cairn_rplidar_init(struct cairn_rplidar *p);
/* Forgets everything half received and any stream; waits for a descriptor. Counts stay. */
void cairn_rplidar_reset(struct cairn_rplidar *p);
/* Takes bytes that arrived at now_ns up to the first event; returns how many were consumed. Call again with
 * the rest until all are. */
size_t cairn_rplidar_feed(struct cairn_rplidar *p, const uint8_t *data, size_t len, int64_t now_ns,
    enum cairn_rplidar_event *ret_event);

/* The last complete turn; valid until the next one. */
const struct cairn_lidar_turn *cairn_rplidar_turn(const struct cairn_rplidar *p);

#endif
