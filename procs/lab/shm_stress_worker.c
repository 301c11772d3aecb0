#include "procs/lab/shm_stress_worker.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "ipc/frames.h"
#include "procs/cli/cli.h"
#include "procs/launcher/namespace.h"

/* Last: they define the names of macros that our tables use. */
#include "iceoryx_binding_c/publisher.h"
#include "iceoryx_binding_c/subscriber.h"

#define REGISTER_MS 4000

/* A service of its own beside the stack's, on the same RouDi and out of the same memory: as any consumer that
 * is attached. */
#define SERVICE "storm", "frames", "busy"

_Noreturn static void write_for_ever(const struct cairn_config *cfg, struct storm_tally *tally)
{
	iox_pub_storage_t storage;
	iox_pub_options_t options;
	iox_pub_options_init(&options);
	options.historyCapacity = 1;
	iox_pub_t pub = iox_pub_init(&storage, SERVICE, &options);
	uint32_t bytes = cairn_frame_chunk_bytes(cfg, CAIRN_FRAME_CAMERA_DEPTH);
	for (unsigned long long n = 1;; n++) {
		void *chunk;
		if (iox_pub_loan_chunk(pub, &chunk, bytes) != AllocationResult_SUCCESS) {
			sched_yield(); /* a killed reader still holds them */
			continue;
		}
		memcpy(chunk, &n, sizeof(n));
		iox_pub_publish_chunk(pub, chunk);
		atomic_fetch_add(&tally->written, 1);
	}
}

_Noreturn static void read_for_ever(struct storm_tally *tally)
{
	iox_sub_storage_t storage;
	iox_sub_options_t options;
	iox_sub_options_init(&options);
	options.queueCapacity = CAIRN_FRAME_QUEUE;
	options.historyRequest = 1;
	iox_sub_t sub = iox_sub_init(&storage, SERVICE, &options);
	for (;;) {
		const void *chunk;
		if (iox_sub_take_chunk(sub, &chunk) != ChunkReceiveResult_SUCCESS) {
			sched_yield();
			continue;
		}
		iox_sub_release_chunk(sub, chunk);
		atomic_fetch_add(&tally->read, 1);
	}
}

pid_t storm_worker_start(
    enum storm_role role, const char *run_dir, const struct cairn_config *cfg, struct storm_tally *tally)
{
	static const char *const names[STORM_ROLES] = {"storm-writer", "storm-reader"};
	pid_t us = getpid(), pid = fork();
	if (pid != 0)
		return pid > 0 ? pid : -errno;
	struct cairn_error err = {""};
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != us || !cairn_namespace_join(run_dir, &err) ||
	    freopen("/dev/null", "w", stderr) == NULL ||
	    cairn_frames_open(names[role], cfg, REGISTER_MS, &err) == NULL)
		_exit(1);
	if (role == STORM_WRITER)
		write_for_ever(cfg, tally);
	read_for_ever(tally);
}
