/* folder.h - the folder of the recordings: the file being written, and room for it. */
#ifndef CAIRN_PROCS_RECORDER_FOLDER_H
#define CAIRN_PROCS_RECORDER_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/record/ring.h"

struct record_folder {
	char path[400];
	struct cairn_ring_limits limits;
	bool ring; /* the oldest make room */
	double keep_free_bytes;
	int fd; /* of the file being written; -1 = none */
	char file[64];
};

/* Makes the folder, for its owner alone. False with the reason. */
bool record_folder_open(struct record_folder *f, struct cairn_error *err);
/* Removes what has to make room for one more file and makes that. False with the reason: nothing is left open. */
bool record_folder_begin(struct record_folder *f, struct cairn_error *err);
/* Closes the file, synced. False with the reason. */
bool record_folder_end(struct record_folder *f, struct cairn_error *err);
/* False with the reason when the disk has less free space than it is to keep. */
bool record_folder_has_room(const struct record_folder *f, struct cairn_error *err);

#endif
