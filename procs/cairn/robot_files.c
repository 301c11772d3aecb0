#include "procs/cairn/robot_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/geom.h"
#include "ipc/remote_files.h"

#define PIECE_MS                                                                                             \
	10000 /* the slowest that a robot may be told to give them (remote.files_kb_per_s) is one in 3.3 s */
#define BEHIND_ALL (UINT64_C(1) << 62) /* nothing is there, and the answer tells how large the file is */

int robot_files_open(const struct cli *cli, struct robot_files *files)
{
	int status = CLI_OK;
	*files = (struct robot_files){.run_dir = cli->run_dir};
	if (cli->connect != NULL)
		files->remote = cli_connect(cli, &status);
	return status;
}

void robot_files_close(struct robot_files *files)
{
	cairn_remote_close(&files->remote);
}

static int piece_of(struct robot_files *files, const char *name, uint64_t at, char *buf,
    struct cairn_remote_piece *ret, struct cairn_error *err)
{
	if (files->remote == NULL)
		return cairn_run_file_read(files->run_dir, name, at, buf, ret, err);
	return cairn_remote_fetch(files->remote, name, at, buf, ret, PIECE_MS, err);
}

static bool grow(struct robot_part *part, size_t room)
{
	char *more = realloc(part->data, room + 1);
	if (more != NULL)
		part->data = more;
	return more != NULL;
}

/* The pieces from part->at to the end that the first one tells. A file that was replaced meanwhile is begun again. */
static int gather(struct robot_files *files, const char *name, size_t bytes_max, struct robot_part *part,
    struct cairn_error *err)
{
	char piece[CAIRN_REMOTE_PIECE_BYTES];
	struct cairn_remote_piece got = {0};
	for (bool first = true; first || part->at + part->bytes < part->size; first = false) {
		int r = piece_of(files, name, part->at + part->bytes, piece, &got, err);
		if (r != 0)
			return r;
		if (!first && got.file != part->file)
			return -EAGAIN;
		part->file = got.file;
		part->written_unix_s = got.written_unix_s;
		part->size = first ? got.size : part->size;
		if (part->bytes + got.bytes > bytes_max) {
			cairn_error_set(err, "%s: larger than %zu bytes", name, bytes_max);
			return -EFBIG;
		}
		if (!grow(part, part->bytes + got.bytes))
			return -ENOMEM;
		memcpy(part->data + part->bytes, piece, got.bytes);
		part->bytes += got.bytes;
		if (got.bytes == 0)
			break; /* it has become shorter */
	}
	return grow(part, part->bytes) ? 0 : -ENOMEM;
}

bool robot_files_read(struct robot_files *files, const char *name, uint64_t at, bool tail, size_t bytes_max,
    struct robot_part *ret, struct cairn_error *err)
{
	int r = -EAGAIN;
	*ret = (struct robot_part){.at = at};
	for (int tries = 0; r == -EAGAIN && tries < 3; tries++) {
		struct cairn_remote_piece end = {0};
		char piece[CAIRN_REMOTE_PIECE_BYTES];
		free(ret->data);
		*ret = (struct robot_part){.at = at};
		if (tail && (r = piece_of(files, name, BEHIND_ALL, piece, &end, err)) != 0)
			break;
		if (tail && end.size > bytes_max)
			ret->at = end.size - bytes_max;
		/* It may grow between the two. */
		r = gather(files, name, tail ? bytes_max + CAIRN_REMOTE_PIECE_BYTES : bytes_max, ret, err);
	}
	if (r == 0) {
		ret->data[ret->bytes] = '\0';
		return true;
	}
	free(ret->data);
	ret->data = NULL;
	if (r == -ENOMEM || r == -EAGAIN)
		cairn_error_set(
		    err, "%s: %s", name, r == -ENOMEM ? "out of memory" : "it changes all the time");
	errno = -r;
	return false;
}

char *robot_files_list(struct robot_files *files, const char *folder, struct cairn_error *err)
{
	struct robot_part part;
	return robot_files_read(files, folder, 0, false, CAIRN_REMOTE_PIECE_BYTES, &part, err) ? part.data
											       : NULL;
}
