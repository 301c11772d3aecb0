/* pilot_json.h - the scripted pilot's choice as a model would write it that answers in JSON, with the faults
 * such models have: fences, thoughts, prose, sloppy syntax, other names. */
#ifndef CAIRN_COMMON_SIM_PILOT_PILOT_JSON_H
#define CAIRN_COMMON_SIM_PILOT_PILOT_JSON_H

#include "common/sim/pilot/pilot_api.h"

void cairn_pilot_json(
    struct cairn_text *out, const struct cairn_pilot_choice *choice, enum cairn_pilot_fault fault);

#endif
