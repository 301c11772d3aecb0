/* annotator.h - the whole of the annotator stage without its sockets: messages and frames in, percepts and
 * snapshots out.
 *
 * Messages are copied as they come, with their stamps; whether one is still fresh is judged when a snapshot
 * is made, by the age limits of ipc/topics.def. What is stale is missing, and the text says so. A picture is
 * copied when it comes (its owner may reuse the memory), a depth picture is reduced to its seven readings; a
 * colour picture is paired with the reading nearest in time, if that is within percept.pair_limit_s.
 *
 * Similarity compares the newest picture with the one the last decision was made from (the last one that was
 * needed, when the text alone was enough); 0 while there is none. All memory is taken in _new. */
#ifndef CAIRN_COMMON_PERCEPT_ANNOTATOR_H
#define CAIRN_COMMON_PERCEPT_ANNOTATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/config/config.h"
#include "ipc/frame_layout.h"
#include "ipc/messages.h"

struct cairn_annotator;

/* cfg is borrowed. first_id: of the first snapshot; later ones follow. NULL with err set: font missing, or no
 * memory. */
struct cairn_annotator *cairn_annotator_new(const struct cairn_config *cfg, const char *font_file,
    uint64_t first_id, int64_t now_ns, struct cairn_error *err);
void cairn_annotator_destroy(struct cairn_annotator **annotator_p);

/* A scan, stamped t_ns. Fills the percept to be published, except for trigger and snapshot id. False for a
 * malformed scan: nothing is published, the one before stays. */
bool cairn_annotator_on_scan(struct cairn_annotator *annotator, const struct cairn_msg_scan *scan,
    int64_t t_ns, int64_t now_ns, struct cairn_msg_percept *ret);
/* False for a pose that is not finite, which is not taken. */
bool cairn_annotator_on_pose(
    struct cairn_annotator *annotator, const struct cairn_msg_pose *pose, int64_t t_ns);
void cairn_annotator_on_frontiers(
    struct cairn_annotator *annotator, const struct cairn_msg_frontiers *frontiers, int64_t t_ns);
void cairn_annotator_on_imu(struct cairn_annotator *annotator, const struct cairn_msg_imu *imu, int64_t t_ns);
void cairn_annotator_on_battery(
    struct cairn_annotator *annotator, const struct cairn_msg_battery *battery, int64_t t_ns);
void cairn_annotator_on_mission(
    struct cairn_annotator *annotator, const struct cairn_msg_mission *mission, int64_t t_ns);
void cairn_annotator_on_path(
    struct cairn_annotator *annotator, const struct cairn_msg_nav_path *path, int64_t t_ns);
void cairn_annotator_on_candidates(
    struct cairn_annotator *annotator, const struct cairn_msg_candidates *candidates, int64_t t_ns);
void cairn_annotator_on_result(
    struct cairn_annotator *annotator, const struct cairn_msg_result *result, int64_t now_ns);
void cairn_annotator_on_local(
    struct cairn_annotator *annotator, const struct cairn_msg_local *local, int64_t t_ns);
void cairn_annotator_on_decision(
    struct cairn_annotator *annotator, const struct cairn_msg_decision *decision);

/* Frames, header and payload (which must be as long as the header says). False with the reason for one of
 * another format or another size than configured; the one before stays. */
bool cairn_annotator_on_rgb(struct cairn_annotator *annotator, const struct cairn_frame_header *hdr,
    const void *payload, struct cairn_error *err);
bool cairn_annotator_on_depth(struct cairn_annotator *annotator, const struct cairn_frame_header *hdr,
    const void *payload, struct cairn_error *err);
/* Looked at only when the map is shown, as the path is. */
bool cairn_annotator_on_map(struct cairn_annotator *annotator, const struct cairn_frame_header *hdr,
    const void *payload, struct cairn_error *err);

/* Why a snapshot is due now; CAIRN_TRIGGER_NONE if it is not (trigger.h has the rules). */
enum cairn_trigger cairn_annotator_due(const struct cairn_annotator *annotator, int64_t now_ns);

/* Triggers so far by kind, CAIRN_TRIGGER_COUNT of them; borrowed. */
const uint32_t *cairn_annotator_trigger_counts(const struct cairn_annotator *annotator);

/* Makes a snapshot (snapshot.h) into buf; the bytes written. A picture is left out when there is nothing
 * fresh to show on it, or when it does not fit. 0 with the reason when not even the text fits. */
size_t cairn_annotator_snapshot(struct cairn_annotator *annotator, enum cairn_trigger trigger, int64_t now_ns,
    void *buf, size_t capacity, struct cairn_error *err);

#endif
