/* launcher.h - the launcher's own state, shared by the files that make it up.
 *
 * main.c carries events between the rules (supervisor.h), the data plane (plane.h), the bus and the
 * processes; children.c starts processes and reads what they say; report.c tells the world about them. */
#ifndef CAIRN_PROCS_LAUNCHER_LAUNCHER_H
#define CAIRN_PROCS_LAUNCHER_LAUNCHER_H

#include "common/base/text.h"
#include "procs/launcher/audit.h"
#include "procs/launcher/hang.h"
#include "procs/launcher/last_words.h"
#include "procs/launcher/logfile.h"
#include "procs/launcher/plane.h"
#include "procs/launcher/secrets.h"
#include "procs/launcher/supervisor.h"
#include "procs/shell/stage.h"

struct child_io {
	int log_fd, ready_fd; /* -1 = none */
	struct cairn_logfile log;
	struct cairn_last_words words; /* of this process */
	struct cairn_sub *beat_sub, *commanded_sub;
	int64_t beat_ns;                      /* stamp of the last heartbeat of this process; 0 = none */
	double turn_ms, late_ms, late_p99_ms; /* of its loop, as it told there */
	uint64_t overruns, frames_lost;
	char trouble[96], note[96]; /* by its last heartbeat */
	double cpu_mark_s, dead_cpu_s;
	double cpu_cores, rss_mb;
	bool told_placement;
};

struct launcher {
	struct cairn_stage *stage;
	const struct cairn_config *cfg;
	const char *run_dir;
	char program_dir[4096];
	struct cairn_supervisor sup;
	struct child_io io[CAIRN_SUP_STAGES_MAX];
	struct cairn_plane plane;
	int64_t plane_due_ns, plane_up_ns;
	uint32_t plane_resets;
	int plane_stillborn; /* RouDis in a row that did not live for a while */
	char plane_why[96];  /* what the last of them said */
	double plane_dead_cpu_s;
	struct cairn_pub *stages_pub;
	struct cairn_sub *health_sub, *motion_sub;
	int64_t motion_ns; /* stamp of the newest of the motor stage that is up; 0 = none yet */
	struct cairn_hang_motor motor;
	uint64_t health_restart_id, health_epoch;
	struct cairn_hang watchdog;
	int chld_fd;
	int64_t start_ns, mark_ns;
	bool told_ready;
	bool by_operator; /* it was told to go down by a command of this machine */
	struct cairn_audit audit;
	struct cairn_sub *commanded_sub; /* the launcher's own */
	struct cairn_msg_stages report;
	struct cairn_secrets secrets;
	char *keys[CAIRN_SECRETS_MAX]; /* "NAME=value" of each; NULL: it is not set */
};

/* ---- children.c ---- */

/* Takes all secrets, and all that no stage is given, out of this process's environment, so that only the stage that needs one is
 * born with it, and lets nobody look into this process where there are any. */
void launcher_take_keys(struct launcher *l);
/* Starts stage i and tells the supervisor how it went. */
void launcher_start_stage(struct launcher *l, int i);
/* What it has written so far goes to its log. */
void launcher_drain_log(struct launcher *l, int i);
/* Of a process that has ended. */
void launcher_close_io(struct launcher *l, int i);
/* Takes whatever the children have written: logs and readiness. A loop callback. */
int launcher_on_output(void *ctx);

/* ---- report.c ---- */

/* RouDi has ended launcher.deaths_max times in a row as soon as it was started. */
bool launcher_plane_failed(const struct launcher *l);

/* Subscribes to what every stage tells of its commands. */
bool launcher_hear_commands(struct launcher *l, struct cairn_error *err);

/* Samples every process, publishes the stage table. A loop callback. */
int launcher_on_report(void *ctx);
/* Writes the stop frame to the base; says so where that fails. */
void launcher_stop_base(struct launcher *l);
/* Stops the base where the motor stage is silent. */
void launcher_look_at_motor(struct launcher *l);

#endif
