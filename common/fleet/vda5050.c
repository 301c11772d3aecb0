#include "common/fleet/vda5050.h"

#include <string.h>

_Static_assert(CAIRN_CHOICE_FLEET_VERSION_V2_1 == 0 && CAIRN_CHOICE_FLEET_VERSION_V3_0 == 1,
    "versions are columns of the tables");

static const char *const words[CAIRN_VDA_WORD_COUNT][2] = {
#define WORD(id, v2, v3) {v2, v3},
#include "common/fleet/vda5050.def"
};

#define WARNING CAIRN_VDA_WARNING
#define URGENT CAIRN_VDA_URGENT
#define CRITICAL CAIRN_VDA_CRITICAL
#define FATAL CAIRN_VDA_FATAL
const struct cairn_vda_fault_row cairn_vda_faults[CAIRN_FAULT_COUNT] = {
#define FAULT(id, v2, v3, level, until, what) {{v2, v3}, level, CAIRN_VDA_UNTIL_##until},
#include "common/fleet/vda5050.def"
};

enum { NODE = false, EDGE = true, INSTANT = true };

const struct cairn_vda_unusable_row cairn_vda_unusable[] = {
#define UNUSABLE(scope, field) {scope, field},
#include "common/fleet/vda5050.def"
};
const size_t cairn_vda_unusable_count = sizeof(cairn_vda_unusable) / sizeof(cairn_vda_unusable[0]);

const struct cairn_vda_action_row cairn_vda_actions[CAIRN_VDA_ACTION_COUNT] = {
#define ACTION(id, v2, v3, scope, what) {{v2, v3}, scope, what},
#include "common/fleet/vda5050.def"
};

const char *const cairn_vda_topics[CAIRN_VDA_TOPIC_COUNT] = {
    "connection", "state", "factsheet", "visualization", "order", "instantActions", "zoneSet"};

const char *cairn_vda(enum cairn_choice_fleet_version version, enum cairn_vda_word word)
{
	return words[word][version];
}

const char *cairn_vda_level_text(enum cairn_choice_fleet_version version, enum cairn_vda_level level)
{
	static const char *const names[] = {"WARNING", "URGENT", "CRITICAL", "FATAL"};
	if (version == CAIRN_CHOICE_FLEET_VERSION_V2_1 && level != CAIRN_VDA_FATAL)
		level = CAIRN_VDA_WARNING;
	return names[level];
}

enum cairn_vda_action cairn_vda_action_find(
    enum cairn_choice_fleet_version version, const char *name, bool instant)
{
	int i = 0;
	while (i < CAIRN_VDA_ACTION_COUNT && (name[0] == '\0' || cairn_vda_actions[i].instant != instant ||
						 strcmp(cairn_vda_actions[i].name[version], name) != 0))
		i++;
	return (enum cairn_vda_action)i;
}
