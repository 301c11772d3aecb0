/* recording.h - the file that is being written: begun, filled, ended when it is full, and begun again after a disk that failed. */
#ifndef CAIRN_PROCS_RECORDER_RECORDING_H
#define CAIRN_PROCS_RECORDER_RECORDING_H

#include "procs/recorder/capture.h"
#include "procs/recorder/folder.h"
#include "procs/shell/stage.h"

struct recording {
	struct cairn_stage *stage;
	const struct cairn_config *cfg;
	struct record_folder folder;
	struct cairn_message_recorder *recorder; /* NULL: nothing is recorded now */
	int64_t begun_ns, again_ns;
	uint64_t files, messages;
};

/* Opens the folder and begins a file. What fails is said and tried again: a stage that dies of it would be held failed. */
void recording_open(struct recording *r, struct cairn_stage *stage);
/* A message could not be written: counted; a disk that takes no more ends the file. */
void recording_fail(struct recording *r);
/* Once a second: to the disk, and to the next file where this one is full or there is none. */
void recording_tend(struct recording *r);
/* Ends the file in good order; why: what stopped it, or NULL. */
void recording_end(struct recording *r, const char *why);

#endif
