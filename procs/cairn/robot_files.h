/* robot_files.h - files of a robot's run directory, here or of a robot elsewhere (--connect): its logs, decisions,
 * pictures and map. From elsewhere they come in pieces, as fast as the robot gives them (ipc/remote.h), and only those of
 * ipc/remote_files.h. */
#ifndef CAIRN_PROCS_CAIRN_ROBOT_FILES_H
#define CAIRN_PROCS_CAIRN_ROBOT_FILES_H

#include "procs/cairn/commands.h"

struct robot_files {
	const char *run_dir;
	struct cairn_remote *remote; /* NULL: here */
};

/* CLI_OK, or a status after a message. */
int robot_files_open(const struct cli *cli, struct robot_files *files);
void robot_files_close(struct robot_files *files);

/* Part of a file as a text with a NUL behind it. */
struct robot_part {
	char *data; /* to be freed */
	size_t bytes;
	uint64_t at, size; /* where it begins; the whole file */
	uint64_t file;     /* another number: another file has taken its place */
	double written_unix_s;
};

/* name: relative to the run directory ("state/map.bin"). At most bytes_max (more is refused) from at on; with tail, the
 * last bytes_max of it. False with the reason and errno, ENOENT when there is none. */
bool robot_files_read(struct robot_files *files, const char *name, uint64_t at, bool tail, size_t bytes_max,
    struct robot_part *ret, struct cairn_error *err);

/* The names of a folder, one a line, to be freed. */
char *robot_files_list(struct robot_files *files, const char *folder, struct cairn_error *err);

#endif
