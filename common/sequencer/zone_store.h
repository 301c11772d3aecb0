/* zone_store.h - the zones of a house as a small checked file, RUN/state/zones.bin.
 *
 * File: 32 bytes (magic "CRNZ", version, payload bytes, CRC-32 of what follows it: map id, doubt, payload), then the
 * zones as a bus message. Zones are bound to the map they were drawn in: in another map the same coordinates are
 * another place. A zone that is lost or displaced is a place that the robot may drive into, so what is in doubt stays in
 * doubt until an operator has looked, over any restart. Pure. */
#ifndef CAIRN_COMMON_SEQUENCER_ZONE_STORE_H
#define CAIRN_COMMON_SEQUENCER_ZONE_STORE_H

#include "common/base/error.h"
#include "ipc/messages.h"

#define CAIRN_ZONES_FILE_NAME "zones.bin" /* in RUN/state; stays with the map */
#define CAIRN_ZONES_FILE_BYTES_MAX (64u * 1024u)

enum cairn_zone_doubt {
	CAIRN_ZONE_DOUBT_NONE,
	CAIRN_ZONE_DOUBT_LOST, /* the file could not be read */
	CAIRN_ZONE_DOUBT_MAP,  /* they were drawn in another map */
	CAIRN_ZONE_DOUBT_COUNT
};

struct cairn_zone_file {
	uint64_t map_id; /* 0: not bound yet */
	uint32_t doubt;  /* enum cairn_zone_doubt */
	struct cairn_msg_zones zones;
};

/* Bytes written, or negative errno. */
int cairn_zone_file_encode(const struct cairn_zone_file *file, int64_t now_ns, void *buf, size_t buf_bytes);
/* False with the reason, *file untouched. */
bool cairn_zone_file_decode(
    struct cairn_zone_file *file, const void *buf, size_t bytes, struct cairn_error *err);
/* Kinds, authors, names and outlines are such as can be. */
bool cairn_zones_sane(const struct cairn_msg_zones *zones);
/* For people: what is in doubt and what to do about it; empty: nothing. */
const char *cairn_zone_doubt_text(uint32_t doubt);

#endif
