/* rundir.h - where a stack lives, where the programs are, and where the files are that come with them. */
#ifndef CAIRN_PROCS_CLI_RUNDIR_H
#define CAIRN_PROCS_CLI_RUNDIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/config/config.h"
#include "common/sim/world/world.h"
#include "ipc/lockfile.h"

/* The run directory: option (--run) if it is not NULL, else $CAIRN_RUN, else $XDG_RUNTIME_DIR/cairn, else
 * /run/cairn if this user may write there, else /tmp/cairn-UID. Made absolute (the current directory is put
 * in front), not created. False when it does not fit into buf. */
bool cairn_run_dir(const char *option, char *buf, size_t buf_bytes);

/* The folder of the running program, where its sister programs are. */
bool cairn_program_dir(char *buf, size_t buf_bytes);

/* A hash of the running program as it is on the disk, which tells builds apart; from as for cairn_hash_bytes. */
uint64_t cairn_program_hash(uint64_t from);

/* The folder that holds config/ (and so worlds and robots): $CAIRN_SHARE, which must be one, else the clone that the program
 * stands in (CLONE/build/procs), else ../share/cairn beside the folder of the program, else the source tree it was built from.
 * False with the reason when there is none. */
bool cairn_share_dir(char *buf, size_t buf_bytes, struct cairn_error *err);
/* A file or folder in there, by its name from there ("config/worlds"). False with the reason: no such folder, no room. */
bool cairn_share_file(const char *name, char *buf, size_t buf_bytes, struct cairn_error *err);
/* One of the bundled homes ("studio"). NULL with the reason. */
struct cairn_world *cairn_share_world(const char *home, struct cairn_error *err);
/* A path as it is written in a configuration, from here or else from there, made absolute where it is found; what is
 * nowhere stays as it is. */
bool cairn_share_find(char *path, size_t path_bytes, struct cairn_error *err);
/* The same for what a model is asked with: vlm.prompts and vlm.providers. */
bool cairn_share_find_model(struct cairn_config_vlm *vlm, struct cairn_error *err);

#endif
