/* supervisor.h - when to start, stop and restart which stage. Rules only: no process is touched here and no
 * clock is read. The caller performs the actions and reports what happened.
 *
 * Coming up: a stage starts when every stage before it in the table has been up once (or is held failed),
 * and, if it uses the data plane, while that is up. Later restarts are independent of each other. A death is
 * answered with a bounded back-off (0, 0.2, 0.5, 1, 2, 5 s; from the start again after 10 s up);
 * launcher.deaths_max deaths within launcher.deaths_window_s hold it failed until an operator restarts it, and one
 * without which the robot goes on until the first of these deaths is that long ago.
 * Going down: reverse order, one at a time. */
#ifndef CAIRN_PROCS_LAUNCHER_SUPERVISOR_H
#define CAIRN_PROCS_LAUNCHER_SUPERVISOR_H

#include "common/config/config.h"
#include "ipc/messages.h"

#define CAIRN_SUP_STAGES_MAX 40
#define CAIRN_SUP_DEATHS_MAX 64

struct cairn_sup_row {
	const char *name;
	const char *program;
	bool plane_user;
	bool spared; /* the robot goes on without it */
};

struct cairn_sup_stage {
	struct cairn_sup_row row;
	enum cairn_stage_state state;
	int pid; /* 0 = no process */
	bool ever_up;
	bool counts;  /* STOPPING: it misbehaved, so its end is a death like any other */
	bool recycle; /* STOPPING: start again afterwards, and do not count it as a death */
	bool ask;     /* STOPPING: SIGTERM is still to be sent */
	bool killed;  /* STOPPING: SIGKILL has been sent */
	int backoff;  /* index of the next delay */
	uint32_t restarts;
	int64_t since_ns;                        /* of the state */
	int64_t due_ns;                          /* BACKOFF: start; STARTING, STOPPING: deadline */
	int64_t deaths_ns[CAIRN_SUP_DEATHS_MAX]; /* ring */
	uint64_t deaths;
	char note[96];
};

struct cairn_supervisor {
	struct cairn_sup_stage stages[CAIRN_SUP_STAGES_MAX];
	int count;
	bool going_down;
	int64_t start_timeout_ns, stop_timeout_ns, deaths_window_ns;
	int deaths_max;
};

enum cairn_sup_verb { CAIRN_SUP_START, CAIRN_SUP_TERM, CAIRN_SUP_KILL };

struct cairn_sup_action {
	enum cairn_sup_verb verb;
	int index;
};

/* rows is copied; its texts are borrowed. Zero is a supervisor of nothing. */
void cairn_sup_init(struct cairn_supervisor *sup, const struct cairn_sup_row *rows, int count,
    const struct cairn_config_launcher *cfg);

/* What to do now; at most one action a stage. Returns their number (room for CAIRN_SUP_STAGES_MAX). */
int cairn_sup_step(
    struct cairn_supervisor *sup, int64_t now_ns, bool plane_up, struct cairn_sup_action *actions);

/* After CAIRN_SUP_START: pid, or a negative errno when it could not be started (counts as a death). */
void cairn_sup_started(struct cairn_supervisor *sup, int index, int pid, int64_t now_ns);
void cairn_sup_ready(struct cairn_supervisor *sup, int index, int64_t now_ns);
/* A child has ended: its index, or -1 if it is none of ours. status as waitpid gives it. */
int cairn_sup_exited(struct cairn_supervisor *sup, int pid, int status, int64_t now_ns);

/* An operator's or the watchdog's restart: ends it if it runs, clears 'failed', starts it anew. */
void cairn_sup_restart(struct cairn_supervisor *sup, int index, const char *why, int64_t now_ns);
/* It runs but must not go on (too much memory): ended in good order, and its end counts as a death, so that
 * one that never gets better is held failed. */
void cairn_sup_misbehaved(struct cairn_supervisor *sup, int index, const char *why, int64_t now_ns);
/* The data plane is gone: every stage that uses it is ended quickly and started when it is back. */
void cairn_sup_plane_lost(struct cairn_supervisor *sup, int64_t now_ns);
void cairn_sup_go_down(struct cairn_supervisor *sup);

bool cairn_sup_all_down(const struct cairn_supervisor *sup);
/* Every stage has been up at least once, none is failed. */
bool cairn_sup_all_up_once(const struct cairn_supervisor *sup);
/* No stage that uses the data plane has a process. */
bool cairn_sup_plane_unused(const struct cairn_supervisor *sup);
int cairn_sup_find(const struct cairn_supervisor *sup, const char *name);

#endif
