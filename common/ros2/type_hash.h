/* type_hash.h - the hash by which nodes of ROS 2 tell whether they mean the same by a type: RIHS01 of REP-2011 (REP-2016).
 *
 * SHA-256 of the definition as JSON: names and types of the fields of a message, then those of each message that it refers to,
 * by name. Comments, constants and default values do not count. */
#ifndef CAIRN_COMMON_ROS2_TYPE_HASH_H
#define CAIRN_COMMON_ROS2_TYPE_HASH_H

#include "common/base/sha256.h"

#define CAIRN_ROS2_HASH_BYTES (7 + CAIRN_SHA256_HEX) /* "RIHS01_", the digits, the NUL */

/* name: "package/msg/Name"; schema: its definition in the form "ros2msg" (common/ros2/ros2_types.def). 0, -EINVAL where a
 * field's type is neither built in nor defined in it, -ENOBUFS for a definition of more than 32 kB as JSON,
 * -ENOMEM. */
int cairn_ros2_type_hash(const char *name, const char *schema, char ret[CAIRN_ROS2_HASH_BYTES]);

#endif
