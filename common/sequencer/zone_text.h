/* zone_text.h - zones as people write them, in the configuration and to the operator's verb. */
#ifndef CAIRN_COMMON_SEQUENCER_ZONE_TEXT_H
#define CAIRN_COMMON_SEQUENCER_ZONE_TEXT_H

#include "common/base/error.h"
#include "ipc/messages.h"

/* "keepout NAME x,y x,y x,y" or "slowdown NAME ...": metres in the map, three corners at least. The id stays
 * 0. False with the reason. */
bool cairn_zone_parse(struct cairn_msg_zone *ret, const char *text, struct cairn_error *err);

/* Any number of them, with ';' between; none is no fault. False with the reason for the first that is wrong,
 * and when there are more than a message holds. */
bool cairn_zones_parse(struct cairn_msg_zones *ret, const char *text, struct cairn_error *err);

#endif
