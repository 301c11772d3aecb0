/* stage_private.h - what the parts of the shell of a stage share; nobody else includes this. */
#ifndef CAIRN_PROCS_SHELL_STAGE_PRIVATE_H
#define CAIRN_PROCS_SHELL_STAGE_PRIVATE_H

#include "common/base/histogram.h"
#include "ipc/poller.h"
#include "procs/shell/stage.h"

#define STAGE_TIMERS_MAX 16
#define STAGE_INPUTS_MAX 48
#define STAGE_TROUBLES_MAX 4 /* of different kinds at once */

/* What is called when the item of the poller with the same number is ready. */
struct stage_source {
	cairn_loop_fn *fn;
	void *ctx;
	struct cairn_server *server;
};

struct stage_timer {
	int64_t period_ns, due_ns;
	cairn_loop_fn *fn;
	void *ctx;
};

/* A row of a core's inputs. */
struct stage_input {
	struct cairn_stage *stage;
	struct cairn_sub *sub;
	const struct cairn_in *row;
	void *core;
	cairn_loop_fn *at_once;
	void *ctx;
	int index, table_start; /* of it and of its table's first row in the stage's inputs */
};

struct cairn_stage {
	char name[32];
	char run_dir[256];
	int ready_fd;
	int signal_fd;
	int timer_fd; /* readable when the next timer is due */
	int64_t armed_ns;
	bool ending, misconfigured;
	struct cairn_config cfg;
	struct cairn_bus *bus;
	struct cairn_pub *beat_pub, *commanded_pub;
	struct cairn_msg_commanded commanded; /* the newest; id 0 = none yet */
	int64_t commanded_ns;
	struct stage_source sources[CAIRN_STAGE_SOURCES_MAX];
	struct cairn_poller poller;
	bool sources_changed;
	struct stage_timer timers[STAGE_TIMERS_MAX];
	int timer_count;
	struct stage_input inputs[STAGE_INPUTS_MAX];
	int input_count;
	void *scratch; /* the largest message of the inputs */
	size_t scratch_bytes;
	struct cairn_outbox outbox;
	struct cairn_pub *outputs[CAIRN_TOPIC_COUNT]; /* NULL: not in the table */
	struct cairn_frames *frames; /* NULL: not in the data plane; then the next two are not called */
	void (*count_frames)(struct cairn_stage *stage);
	void (*leave_frames)(struct cairn_stage *stage);
	uint64_t loops, rejects, core_rejects, frame_rejects, overruns, frames_lost, frames_overtaken;
	int taken_beats;                       /* so many more beats tell that a topic had been taken */
	int64_t beat_due_ns, turn_ns, late_ns; /* longest turn, latest timer since the last beat */
	struct cairn_histogram late;
	char note[96];
	struct stage_trouble {
		char what[32]; /* empty: none */
		char text[96];
	} troubles[STAGE_TROUBLES_MAX];
	uint64_t failures;
};

/* Commands are answered by the server itself. */
void stage_watch_server(struct cairn_stage *stage, struct cairn_server *server);
/* Ends the process at start-up, with the reason in the log. */
_Noreturn void stage_give_up(const char *what, const struct cairn_error *err);

#endif
