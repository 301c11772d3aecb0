/* vda5050.h - the versions of VDA 5050 as tables: vda5050.def as rows. Pure. */
#ifndef CAIRN_COMMON_FLEET_VDA5050_H
#define CAIRN_COMMON_FLEET_VDA5050_H

#include <stddef.h>

#include "common/config/config.h"

enum cairn_vda_word {
#define WORD(id, v2, v3) CAIRN_VDA_##id,
#include "common/fleet/vda5050.def"
	CAIRN_VDA_WORD_COUNT
};

enum cairn_vda_fault {
#define FAULT(id, v2, v3, level, until, what) CAIRN_FAULT_##id,
#include "common/fleet/vda5050.def"
	CAIRN_FAULT_COUNT
};

enum cairn_vda_level { CAIRN_VDA_WARNING, CAIRN_VDA_URGENT, CAIRN_VDA_CRITICAL, CAIRN_VDA_FATAL };
enum cairn_vda_until { CAIRN_VDA_UNTIL_ORDER, CAIRN_VDA_UNTIL_INSTANT, CAIRN_VDA_UNTIL_GONE };

enum cairn_vda_action {
#define ACTION(id, v2, v3, scope, what) CAIRN_VDA_ACTION_##id,
#include "common/fleet/vda5050.def"
	CAIRN_VDA_ACTION_COUNT
};

/* Topics, in both directions. */
enum cairn_vda_topic {
	CAIRN_VDA_CONNECTION,
	CAIRN_VDA_STATE,
	CAIRN_VDA_FACTSHEET,
	CAIRN_VDA_VISUALIZATION,
	CAIRN_VDA_ORDER, /* the first of those that come in */
	CAIRN_VDA_INSTANT_ACTIONS,
	CAIRN_VDA_ZONE_SET, /* 3.0 only */
	CAIRN_VDA_TOPIC_COUNT
};

struct cairn_vda_action_row {
	const char *name[2]; /* by version */
	bool instant;        /* else of a node */
	const char *what;
};
extern const struct cairn_vda_action_row cairn_vda_actions[CAIRN_VDA_ACTION_COUNT];

struct cairn_vda_fault_row {
	const char *type[2];
	enum cairn_vda_level level;
	enum cairn_vda_until until;
};
extern const struct cairn_vda_fault_row cairn_vda_faults[CAIRN_FAULT_COUNT];

struct cairn_vda_unusable_row {
	bool edge; /* else of a node's position */
	const char *field;
};
extern const struct cairn_vda_unusable_row cairn_vda_unusable[];
extern const size_t cairn_vda_unusable_count;

extern const char *const cairn_vda_topics[CAIRN_VDA_TOPIC_COUNT];

const char *cairn_vda(enum cairn_choice_fleet_version version, enum cairn_vda_word word);
const char *cairn_vda_level_text(enum cairn_choice_fleet_version version, enum cairn_vda_level level);
/* The action of this name and scope; CAIRN_VDA_ACTION_COUNT: it is not known. */
enum cairn_vda_action cairn_vda_action_find(
    enum cairn_choice_fleet_version version, const char *name, bool instant);

#endif
