/* stage.h - what every process of the stack shares: options, config, log, signals, readiness, heartbeat,
 * loop.
 *
 * A main() is a row, struct cairn_stage_program, that cairn_stage_main plays. A program that needs another order calls what that
 * calls: cairn_stage_start, cairn_stage_ready, cairn_stage_run, cairn_stage_finish.
 * The loop is single-threaded: readers, timers and descriptors are callbacks. Signals only end the loop, so
 * that a publish in hand is finished. The heartbeat is sent from the loop itself, never from a helper thread.
 * When the launcher dies the stage gets SIGTERM (PR_SET_PDEATHSIG) and ends in good order. */
#ifndef CAIRN_PROCS_SHELL_STAGE_H
#define CAIRN_PROCS_SHELL_STAGE_H

#include <poll.h>

#include "common/base/log.h"
#include "common/config/config.h"
#include "ipc/bus.h"
#include "ipc/poller.h"
#include "ipc/ports.h"

#define CAIRN_STAGE_SOURCES_MAX                                                                              \
	CAIRN_POLLER_MAX /* sockets and descriptors that the loop of a stage waits for */

struct cairn_stage;

/* Return 0 to go on, negative to end the loop with that status. */
typedef int cairn_loop_fn(void *ctx);

/* A program, as a row. */
struct cairn_stage_program {
	const char *name, *purpose;
	size_t bytes; /* of its state, which is all zero when it is opened */
	/* Opens what it needs, and hangs it into the loop. False with the reason; without one it is said to be want of memory. */
	bool (*open)(void *app, struct cairn_stage *stage, struct cairn_error *err);
	int (*run)(void *app);    /* in place of cairn_stage_run; NULL: that */
	void (*ended)(void *app); /* the loop has ended: what is saved and told last; NULL: nothing */
	void (*close)(void *app); /* also of what was opened in part; NULL: nothing */
	bool urgent;              /* on the way to the wheels (cairn_stage_urgent) */
};

/* Starts the stage, opens, runs and closes it. The exit status for main: 0 ended as asked, 1 failed, 2 wrong configuration. */
int cairn_stage_main(const struct cairn_stage_program *program, int argc, char **argv);
/* The main() of a program whose state is of that type: CAIRN_STAGE_MAIN("cairn-x", "does x", struct app, .open = open_all) */
#define CAIRN_STAGE_MAIN(program_name, its_purpose, type, ...)                                               \
	int main(int argc, char **argv)                                                                      \
	{                                                                                                    \
		static const struct cairn_stage_program program = {                                          \
		    .name = program_name, .purpose = its_purpose, .bytes = sizeof(type), __VA_ARGS__};       \
		return cairn_stage_main(&program, argc, argv);                                               \
	}

/* Parses --run DIR --stage NAME --ready-fd N --help --version, loads RUN/config.yaml (made by the launcher),
 * opens the log and the bus. NULL: *ret_status is the exit status (0 after --help). */
struct cairn_stage *cairn_stage_start(
    const char *program, const char *purpose, int argc, char **argv, int *ret_status);

const struct cairn_config *cairn_stage_config(const struct cairn_stage *stage);
const char *cairn_stage_name(const struct cairn_stage *stage);
const char *cairn_stage_run_dir(const struct cairn_stage *stage);
struct cairn_bus *cairn_stage_bus(struct cairn_stage *stage);

/* Shorthands that log the reason and end the process (status 1) when it cannot be had: at start-up only. */
struct cairn_pub *cairn_stage_publish(struct cairn_stage *stage, enum cairn_topic topic);
/* fn is called when messages wait; it must drain with cairn_sub_recv. fn NULL: polled by the caller. */
struct cairn_sub *cairn_stage_subscribe(
    struct cairn_stage *stage, enum cairn_topic topic, cairn_loop_fn *fn, void *ctx);
/* The ports of a core (ipc/ports.h). Inputs are subscribed to; each message that a row accepts is handed to core, the others
 * are counted. at_once(ctx) is called behind messages whose row wants the stage to act at once; NULL: nothing. */
void cairn_stage_inputs(
    struct cairn_stage *stage, const struct cairn_in *rows, void *core, cairn_loop_fn *at_once, void *ctx);
/* The same of the topics of programs outside that external.topics declares: each of those rows' schemas. False with the reason: the
 * file cannot be used, or a topic not be subscribed to. */
bool cairn_stage_declared_inputs(struct cairn_stage *stage, const struct cairn_in *rows, void *core,
    cairn_loop_fn *at_once, void *ctx, struct cairn_error *err);
/* Binds the outputs; what is put into the box is published by their rows. Once a stage. */
struct cairn_outbox *cairn_stage_outputs(struct cairn_stage *stage, const struct cairn_out *rows);
/* Frames (ipc/frames.h), in and out. With the first of them the stage joins the data plane, which may end the process and so comes
 * before anything is bound; heartbeats tell what was refused and lost, and cairn_stage_finish leaves it. NULL with the reason. */
struct cairn_frame_sub *cairn_stage_frame_sub(
    struct cairn_stage *stage, enum cairn_frame_topic topic, struct cairn_error *err);
struct cairn_frame_pub *cairn_stage_frame_pub(
    struct cairn_stage *stage, enum cairn_frame_topic topic, struct cairn_error *err);
/* For those who open frames by themselves. */
struct cairn_frames *cairn_stage_frames(struct cairn_stage *stage, struct cairn_error *err);
void cairn_stage_serve(
    struct cairn_stage *stage, enum cairn_service service, cairn_command_fn *fn, void *ctx);

/* What becomes of commands is told on the topic "commanded" (by cairn_stage_serve itself) and in the log.
 * Those who refuse some on behalf of others say so first, at start-up, and then tell each. */
void cairn_stage_tell_commands(struct cairn_stage *stage);
void cairn_stage_commanded(struct cairn_stage *stage, const struct cairn_msg_commanded *done);
/* Calls fn while a ZeroMQ socket (any context's) has messages; fn should drain it. */
void cairn_stage_watch_socket(struct cairn_stage *stage, void *socket, cairn_loop_fn *fn, void *ctx);
void cairn_stage_unwatch_socket(struct cairn_stage *stage, void *socket);

/* Calls fn every period_ms, first after one period. */
void cairn_stage_every(struct cairn_stage *stage, int period_ms, cairn_loop_fn *fn, void *ctx);
/* Calls fn while fd has one of events (POLLIN, POLLOUT, POLLERR). */
void cairn_stage_watch_fd(struct cairn_stage *stage, int fd, short events, cairn_loop_fn *fn, void *ctx);
void cairn_stage_unwatch_fd(struct cairn_stage *stage, int fd);

/* What the next heartbeats say it is busy with, and refusals beyond those of the bus. */
void cairn_stage_note(struct cairn_stage *stage, const char *note);
void cairn_stage_count_reject(struct cairn_stage *stage);
/* What the core itself has refused so far. */
void cairn_stage_core_rejects(struct cairn_stage *stage, uint64_t total);
/* For a stage on the way to the wheels. Its loop is woken to the microsecond (an ordinary process is
 * otherwise left asleep up to 50 us longer); all memory, now and later, is kept from being swapped out,
 * unless launcher.lock_memory is off. Without the privilege for that it says so and goes on: locking only a
 * part would let later allocations fail. */
void cairn_stage_urgent(struct cairn_stage *stage);
/* Something beside the work itself did or did not succeed: a file that was to be saved, say. what names it,
 * for example "save the map"; why is NULL when it worked. Failures are counted; the first, and the end of a
 * row of them, are logged, and 'cairn status' shows the newest for as long as it lasts. */
void cairn_stage_tried(struct cairn_stage *stage, const char *what, const char *why);
/* What fails in open is the configuration's fault: trying again would not help, and the exit status says so. */
void cairn_stage_misconfigured(struct cairn_stage *stage);
/* A file of the stage before that cannot be used is kept as PATH.damaged for whoever wants to look. Says so: why, and begins, with
 * what the stage begins in its place. */
void cairn_stage_put_aside(const char *path, const char *why, const char *begins);
/* Ready: tells the launcher (newline on --ready-fd). */
void cairn_stage_ready(struct cairn_stage *stage);
/* Runs until a signal (0) or a callback's negative status. */
int cairn_stage_run(struct cairn_stage *stage);
/* For a program whose other library does the waiting: a descriptor that becomes readable when the loop has something to do
 * (-1: none to be had), and one pass over all that is due, without waiting. After every wait of that library a pass is
 * made, whatever has woken it; negative: end with that status. */
int cairn_stage_fd(struct cairn_stage *stage);
int cairn_stage_turn(struct cairn_stage *stage);
/* True after SIGTERM or SIGINT. */
bool cairn_stage_ending(const struct cairn_stage *stage);
/* Frees everything; the exit status for main. */
int cairn_stage_finish(struct cairn_stage **stage_p, int status);

/* CLOCK_MONOTONIC in ns. */
int64_t cairn_now_ns(void);

#endif
