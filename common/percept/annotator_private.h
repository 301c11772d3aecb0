/* annotator_private.h - the annotator's state, shared by what comes in (annotator_input.c) and what goes out (annotator.c). */
#ifndef CAIRN_COMMON_PERCEPT_ANNOTATOR_PRIVATE_H
#define CAIRN_COMMON_PERCEPT_ANNOTATOR_PRIVATE_H

#include "common/device/battery.h"
#include "common/percept/annotate.h"
#include "common/percept/annotator.h"
#include "common/percept/overlay.h"
#include "common/percept/sectors.h"
#include "common/percept/similarity.h"
#include "common/percept/trigger.h"
#include "common/percept/view.h"

#define ANNOTATOR_DEPTHS_KEPT 8 /* readings to pair with: most of a second at 10 Hz */
#define ANNOTATOR_POSES_KEPT 16 /* to tell where a picture was taken: most of a second at 20 Hz */
#define ANNOTATOR_GREYS_KEPT                                                                                 \
	32 /* pictures a decision may refer to: a slow model's call, at two snapshots a second */

struct annotator_seen {
	uint64_t snapshot_id;
	struct cairn_grey grey;
};

struct cairn_annotator {
	const struct cairn_config *cfg;
	struct cairn_percept_params percept_params;
	struct cairn_triggers triggers;
	struct cairn_annotate *annotate;
	struct cairn_overlay *overlay; /* NULL: no option draws anything */
	uint8_t *work;                 /* with options: the copy that is drawn on */
	struct cairn_view *view;       /* NULL: no second picture */
	uint64_t next_id;

	struct cairn_msg_percept percept;
	struct cairn_msg_pose pose;
	struct {
		int64_t t_ns;
		struct cairn_pose2 pose;
	} poses[ANNOTATOR_POSES_KEPT]; /* ring */
	uint32_t pose_count;
	struct cairn_msg_frontiers frontiers;
	struct cairn_msg_imu imu;
	struct cairn_msg_battery battery;
	struct cairn_battery_pace battery_pace;
	struct cairn_msg_mission mission;
	struct cairn_msg_nav_path path;
	struct cairn_msg_candidates candidates;
	int64_t t_ns[CAIRN_TOPIC_COUNT]; /* of the copies above; 0 = never heard */

	uint8_t *picture; /* as it came, except while it is drawn on and compressed */
	int64_t t_rgb_ns;
	struct cairn_depth_reading depths[ANNOTATOR_DEPTHS_KEPT]; /* ring */
	uint32_t depth_count;
	struct cairn_grey grey;
	struct cairn_grey reference;
	bool have_reference;
	struct annotator_seen *seen; /* ring of ANNOTATOR_GREYS_KEPT */
	uint32_t seen_count;
};

/* ---- annotator_input.c ---- */
bool annotator_fresh(const struct cairn_annotator *a, enum cairn_topic topic, int64_t now_ns);
bool annotator_picture_fresh(const struct cairn_annotator *annotator, int64_t now_ns);
/* Of the picture to the one that was last decided on. */
double annotator_similarity(const struct cairn_annotator *annotator, int64_t now_ns);

#endif
