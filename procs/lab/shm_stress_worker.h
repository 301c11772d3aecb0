/* shm_stress_worker.h - a writer and a reader of frames that never rest, to be killed at any moment. */
#ifndef CAIRN_PROCS_LAB_SHM_STRESS_WORKER_H
#define CAIRN_PROCS_LAB_SHM_STRESS_WORKER_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/config/config.h"

enum storm_role { STORM_WRITER, STORM_READER, STORM_ROLES };

/* In memory that parent and workers share. */
struct storm_tally {
	atomic_ullong written, read;
};

/* Forks a worker that joins the stack of run_dir and works until it is killed, under a name that is the same
 * each time. Its pid, or a negative errno. It ends with its parent. */
pid_t storm_worker_start(
    enum storm_role role, const char *run_dir, const struct cairn_config *cfg, struct storm_tally *tally);

#endif
