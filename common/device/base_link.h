/* base_link.h - brings the motor board into service and notices when it leaves it.
 *
 * After an opening: ask for car type and version, switch the reports on; a car type that differs from the
 * configured one is set (that writes flash, so only then) and read back. The board is in service while its
 * reports arrive and its car type has been read back as it must be.
 *
 * Pure: the shell owns the descriptor; it reports openings, bytes, losses and the time. The motion frame
 * itself is not sent from here: the motor stage sends it at all times, in service or not. */
#ifndef CAIRN_COMMON_DEVICE_BASE_LINK_H
#define CAIRN_COMMON_DEVICE_BASE_LINK_H

#include "common/device/rosmaster.h"

struct cairn_base_link {
	int car_type;
	bool open, type_known, type_good;
	uint8_t type_read;
	uint32_t type_writes; /* since the opening */
	uint8_t version_major, version_minor;
	bool version_known;
	int64_t ask_at_ns, open_at_ns, opened_ns, last_report_ns;
	uint32_t failed_opens;
	uint64_t losses; /* times an open port was lost or given up */
	struct cairn_rosmaster_parser parser;
};

void cairn_base_link_init(struct cairn_base_link *l, int car_type, int64_t now_ns);
bool cairn_base_link_wants_open(const struct cairn_base_link *l, int64_t now_ns);
void cairn_base_link_opened(struct cairn_base_link *l, int64_t now_ns);
/* Could not be opened, or is gone. Tries come every 100 ms for ten seconds, then twice a second. */
void cairn_base_link_lost(struct cairn_base_link *l, int64_t now_ns);
/* As cairn_rosmaster_feed. */
size_t cairn_base_link_feed(struct cairn_base_link *l, const uint8_t *data, size_t len, int64_t now_ns,
    struct cairn_rosmaster_report *ret_report, bool *ret_some);
/* Bytes to send now (0 = none), up to three frames; to be called every 20 ms. */
size_t cairn_base_link_poll(struct cairn_base_link *l, int64_t now_ns, uint8_t out[128]);
/* Reports arrive (none missing for 200 ms) and the car type is right. */
bool cairn_base_link_in_service(const struct cairn_base_link *l, int64_t now_ns);
/* Open, but silent for a second: close and open it again. */
bool cairn_base_link_silent(const struct cairn_base_link *l, int64_t now_ns);
/* For people: why it is not in service, or "in service". */
const char *cairn_base_link_note(const struct cairn_base_link *l, int64_t now_ns);

#endif
