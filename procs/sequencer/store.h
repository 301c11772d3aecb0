/* store.h - what the sequencer keeps in RUN/state: the mission's record, of this run of the stack
 * (mission.bin), and the zones, which are of the map and stay with it when it is kept (zones.bin,
 * common/sequencer/zone_store.h). Replaced atomically; what cannot be written is tried again less and less often. */
#ifndef CAIRN_PROCS_SEQUENCER_STORE_H
#define CAIRN_PROCS_SEQUENCER_STORE_H

#include "common/base/retry.h"
#include "common/sequencer/sequencer.h"
#include "procs/shell/stage.h"

struct store {
	struct cairn_stage *stage;
	struct cairn_retry trying; /* a full disk must not cost the loop twenty tries a second */
	char mission_path[320], zones_path[320];
	struct cairn_zone_file zones; /* as the file has them */
	struct cairn_zone_file read;  /* scratch */
	unsigned char mission[CAIRN_MISSION_RECORD_BYTES + 1];
	char message[CAIRN_ZONES_FILE_BYTES_MAX]; /* all zones with all their corners have half of it */
};

void store_open(struct store *store, struct cairn_stage *stage);
/* The sequencer goes on with the mission that an earlier process of this run left. Without one it begins, with the zones that an earlier
 * run kept with its map; a file of zones that cannot be read is put aside, and the sequencer doubts them. NULL: no memory. */
struct cairn_sequencer *store_resume(struct store *store, const struct cairn_config *cfg);
/* changed: there is something to save. False: nothing, or it is not time for another try. */
bool store_due(const struct store *store, bool changed, int64_t now_ns);
void store_save(struct store *store, const struct cairn_sequencer *seq, int64_t now_ns);

#endif
