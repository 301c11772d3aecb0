/* config_check.h - rules between keys of the configuration, and those of the modules that own the keys.
 *
 * A value by itself is checked by its row in config.def when it is read. What is wrong only beside another value, or only to
 * the module that uses it (polygons, zones, places), is checked here, above all of them. */
#ifndef CAIRN_COMMON_RULES_CONFIG_CHECK_H
#define CAIRN_COMMON_RULES_CONFIG_CHECK_H

#include <stdbool.h>

#include "common/base/error.h"
#include "common/config/config.h"

/* Rules between keys (an order of distances, say) that no single range can express. */
bool cairn_config_check(const struct cairn_config *cfg, struct cairn_error *err);

#endif
