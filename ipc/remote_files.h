/* remote_files.h - which files of the run directory an operator elsewhere may read with the right to watch, and how they
 * are read in pieces. Nothing outside this list is opened, whatever the name. */
#ifndef CAIRN_IPC_REMOTE_FILES_H
#define CAIRN_IPC_REMOTE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

#define CAIRN_REMOTE_PIECE_BYTES 32768
#define CAIRN_REMOTE_FILES "files" /* the service's name on the wire */

/* Logs, decisions, commands, refusals, pictures that were sent, also of runs of before; the map; or the folder "logs". */
bool cairn_remote_file_allowed(const char *name);

struct cairn_remote_piece {
	uint64_t size, file;   /* of the whole; its number, which another file in its place does not have */
	double written_unix_s; /* the last time, by the robot's clock on the wall */
	size_t bytes;
};

/* Up to CAIRN_REMOTE_PIECE_BYTES from at on. A folder is the text of its names, one a line. 0, or a negative errno with
 * the reason. */
int cairn_remote_file_read(const char *run_dir, const char *name, uint64_t at, char *buf,
    struct cairn_remote_piece *ret, struct cairn_error *err);
/* The same of any file of the run directory, for who has it. */
int cairn_run_file_read(const char *run_dir, const char *name, uint64_t at, char *buf,
    struct cairn_remote_piece *ret, struct cairn_error *err);

#endif
