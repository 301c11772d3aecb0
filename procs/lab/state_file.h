/* state_file.h - finished pieces of work in a file, from which an interrupted run goes on.
 *
 * A head (of which work, of which program), then records of one size as they came: number, checksum, bytes.
 * Nothing that a file says is believed without its checksum: a record that was altered or cut off is counted
 * and left out, and what is left out is done anew. */
#ifndef CAIRN_PROCS_LAB_STATE_FILE_H
#define CAIRN_PROCS_LAB_STATE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

struct cairn_state_file {
	int fd;
	uint64_t key, count;
	size_t bytes;
	uint64_t damaged; /* records that were left out */
};

/* Once for each whole record with a number below count, in the order of the file. */
typedef void cairn_state_take_fn(void *ctx, uint64_t number, const void *bytes);

/* Opens or begins the file. key: of all that decides the results. False with the reason: it cannot be read or
 * written, or is of other work. */
bool cairn_state_open(struct cairn_state_file *file, const char *path, uint64_t key, uint64_t count,
    size_t bytes, cairn_state_take_fn *take, void *ctx, struct cairn_error *err);
/* Adds a record. False with errno: it could not be written, and the file ends where it did before. */
bool cairn_state_add(struct cairn_state_file *file, uint64_t number, const void *bytes);
void cairn_state_close(struct cairn_state_file *file);

#endif
