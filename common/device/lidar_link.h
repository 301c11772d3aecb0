/* lidar_link.h - brings a LiDAR to scan, notices when it stops, and brings it back.
 *
 * An LD06 and a helper take no requests: their port is opened, and opened again when nothing of use comes. For an RPLIDAR:
 *
 * The order of start-up and the limits are those of docs/wire-formats.md 1.7: STOP, settle, info, health,
 * scan; no node for 0.5 s is stale, for 2 s (or no turn for 3 s) is asked again, three times in vain is a
 * reset and a new opening of the port. A device that does not answer info or health is scanned all the same
 * (and said so). A turn that took an implausible time, because it waited unread in a buffer, is refused: its
 * stamp would be younger than its points.
 *
 * Pure: the shell owns the descriptor; it reports openings, bytes, the time and losses, and does what
 * cairn_lidar_link_take tells it to. */
#ifndef CAIRN_COMMON_DEVICE_LIDAR_LINK_H
#define CAIRN_COMMON_DEVICE_LIDAR_LINK_H

#include "common/config/config.h"
#include "common/device/ld06.h"
#include "common/device/rplidar.h"
#include "common/device/scan_stream.h"

enum cairn_lidar_phase {
	CAIRN_LIDAR_CLOSED,
	CAIRN_LIDAR_SETTLING, /* STOP sent; the rest of an old stream drains */
	CAIRN_LIDAR_INFO,
	CAIRN_LIDAR_HEALTH,
	CAIRN_LIDAR_MODES, /* dense only: which mode answers in capsules */
	CAIRN_LIDAR_STARTING,
	CAIRN_LIDAR_SCANNING,
	CAIRN_LIDAR_PHASE_COUNT
};

/* What the shell has to do, in this order. */
struct cairn_lidar_todo {
	bool flush_input; /* drop what the driver holds */
	size_t send_bytes;
	uint8_t send[CAIRN_RPLIDAR_REQUEST_MAX];
	bool close; /* after sending: close the port; open it again when cairn_lidar_link_wants_open */
};

struct cairn_lidar_link {
	enum cairn_lidar_phase phase;
	enum cairn_choice_lidar_model model;
	bool dense;
	int64_t deadline_ns;
	int64_t open_at_ns;
	int64_t turn_ns; /* newest turn, or when the scan began */
	uint32_t failed_opens, failed_scans, health_resets;
	uint16_t mode, mode_count;
	bool scan_after_settling; /* asked again: info and health are known */
	bool info_known;
	struct cairn_lidar_todo todo;
	struct cairn_rplidar parser;     /* of model SLLIDAR */
	struct cairn_ld06 ld06;          /* of model LD06 */
	struct cairn_scan_stream stream; /* of model HELPER */
	uint64_t stamps_refused;         /* whole turns whose time cannot be */
	const char *note;                /* for people: what it does or what is wrong; static text */
	uint64_t restarts;               /* times the scan had to be asked for again or the port was lost */
};

void cairn_lidar_link_init(
    struct cairn_lidar_link *l, enum cairn_choice_lidar_model model, bool dense, int64_t now_ns);
/* Of its line; and the bytes that are worth waking up for: more often is no use, the tick reads what is left over. */
int cairn_lidar_link_baud(const struct cairn_lidar_link *l);
int cairn_lidar_link_wake_bytes(const struct cairn_lidar_link *l);
/* True when the shell should try to open the port now; then it reports opened or lost. */
bool cairn_lidar_link_wants_open(const struct cairn_lidar_link *l, int64_t now_ns);
void cairn_lidar_link_opened(struct cairn_lidar_link *l, int64_t now_ns);
/* The port could not be opened, or is gone (hang-up, input/output error). Tries come every 100 ms for ten
 * seconds, then twice a second. */
void cairn_lidar_link_lost(struct cairn_lidar_link *l, int64_t now_ns);
/* As cairn_rplidar_feed, whatever the model; answers drive the start-up, CAIRN_RPLIDAR_EVENT_TURN is for the caller. */
size_t cairn_lidar_link_feed(struct cairn_lidar_link *l, const uint8_t *data, size_t len, int64_t now_ns,
    enum cairn_rplidar_event *ret_event);
/* The turn of the last CAIRN_RPLIDAR_EVENT_TURN; valid until the next one. */
const struct cairn_lidar_turn *cairn_lidar_link_turn(const struct cairn_lidar_link *l);
uint64_t cairn_lidar_link_turns_refused(const struct cairn_lidar_link *l);
/* What is sent before the port is closed for good; bytes written to out, 0: nothing. */
size_t cairn_lidar_link_farewell(const struct cairn_lidar_link *l, uint8_t out[CAIRN_RPLIDAR_REQUEST_MAX]);
/* To be called at least every 50 ms. */
void cairn_lidar_link_tick(struct cairn_lidar_link *l, int64_t now_ns);
/* Hands over what is to be done and forgets it. */
struct cairn_lidar_todo cairn_lidar_link_take(struct cairn_lidar_link *l);
/* Not scanning, or no node for 0.5 s. */
bool cairn_lidar_link_stale(const struct cairn_lidar_link *l, int64_t now_ns);

#endif
