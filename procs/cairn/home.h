/* home.h - what a stack has learned of a home, kept from one run to the next.
 *
 * A state directory holds map.bin, memory.yaml, zones.bin and pictures/, and in home.txt of which home they are: of the
 * simulated one by its file, its contents and the start in it, of a real one by the robot, as nothing else tells homes
 * apart before the robot has looked round (common/slam/kept_map.h does then). What is not gone on with is set aside in
 * aside/TIME, never removed; of these the newest HOME_ASIDE_MAX stay. */
#ifndef CAIRN_PROCS_CAIRN_HOME_H
#define CAIRN_PROCS_CAIRN_HOME_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"
#include "common/config/config.h"

#define HOME_ASIDE_MAX 5
#define HOME_FILE_NAME "home.txt"

/* One line that differs where the home or the frame of its map does. cfg: with sim.world as it will be opened. */
void home_identity(const struct cairn_config *cfg, char *text, size_t bytes);

/* Goes on with what the state directory holds of this home, or sets it aside: with fresh, where it is not to be kept
 * (launcher.keep_home), and where it is of another home. said: one line about it for people, or empty. False with the
 * reason: the files cannot be moved or written. */
bool home_prepare(const char *state_dir, const struct cairn_config *cfg, bool fresh, char *said,
    size_t said_bytes, struct cairn_error *err);

/* home_prepare would go on with it: neither fresh nor another home, and it is to be kept. */
bool home_goes_on(const char *state_dir, const struct cairn_config *cfg, bool fresh);
/* The folder that is RUN/state once home_place is done. */
void home_state_dir(const char *run_dir, const struct cairn_config *cfg, char *path, size_t bytes);

/* Makes RUN/state the folder of launcher.state_dir, where that is set, and keeps others out of it: *ret_lock_fd is
 * its lock, -1 without. What lies in a RUN/state of before stays in RUN/state.TIME, which said tells. False with the reason. */
bool home_place(const char *run_dir, const struct cairn_config *cfg, int *ret_lock_fd, char *said,
    size_t said_bytes, struct cairn_error *err);

#endif
