/* snapshots.h - scans and frames into the annotator, percepts and snapshots for the model out. Frames are looked at with each scan and before
 * each snapshot: the data plane has nothing to wait on, and this needs nothing more. */
#ifndef CAIRN_PROCS_ANNOTATOR_SNAPSHOTS_H
#define CAIRN_PROCS_ANNOTATOR_SNAPSHOTS_H

#include "common/percept/annotator.h"
#include "ipc/frames.h"
#include "procs/shell/stage.h"

struct annotator {
	CAIRN_STAGE_STATE;
	struct cairn_annotator *core;
	struct cairn_frame_sub *rgb_sub, *depth_sub;
	struct cairn_frame_sub *map_sub; /* NULL: the map is not shown */
	struct cairn_frame_pub *snapshot_pub;
	uint64_t snapshot_id;                 /* newest; 0 = none yet */
	enum cairn_trigger trigger;           /* of a snapshot made since the last percept */
	uint32_t logged[CAIRN_TRIGGER_COUNT]; /* trigger counts when they were last logged */
	int64_t warned_ns;                    /* when a refused frame was last told of */
};

extern const struct cairn_in annotator_in[]; /* core: struct annotator */
extern const struct cairn_out annotator_out[];
/* Loop callbacks: a snapshot where one is due; how often each trigger has made one, into the log. */
int annotator_on_check(void *ctx);
int annotator_on_stats(void *ctx);

#endif
