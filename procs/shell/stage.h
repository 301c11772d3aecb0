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
#include <stddef.h>

#include "common/base/log.h"
#include "common/config/config.h"
#include "ipc/bus.h"
#include "ipc/poller.h"
#include "ipc/ports.h"

#define CAIRN_STAGE_SOURCES_MAX                                                                              \
	CAIRN_POLLER_MAX /* sockets and descriptors that the loop of a stage waits for */

struct cairn_stage;
struct cairn_frame_header;

/* Return 0 to go on, negative to end the loop with that status. */
typedef int cairn_loop_fn(void *ctx);

/* The state of a program begins with this, filled in before it is opened: struct app { CAIRN_STAGE_STATE; ... } */
#define CAIRN_STAGE_STATE                                                                                    \
	struct {                                                                                             \
		struct cairn_stage *stage;                                                                   \
		const struct cairn_config *cfg;                                                              \
		struct cairn_outbox *outbox; /* of its row CAIRN_PORT_OUT */                                 \
	}

/* A port of a program, as a row: {CAIRN_PORT_IN(rows, struct app, core), .fn = on_step, .when = CAIRN_WHEN(local.enabled)}. Functions
 * are called with the program's state. */
struct cairn_port;
typedef bool cairn_port_fn(
    const struct cairn_port *port, struct cairn_stage *stage, void *app, struct cairn_error *err);
struct cairn_port {
	cairn_port_fn *open;  /* NULL: end of the table */
	const void *rows;     /* struct cairn_in or cairn_out */
	const char *instance; /* of their topics; NULL: the one there is */
	size_t at;            /* in the state: the core, or the pointer that is filled in */
	bool by_pointer;      /* there the state has a pointer to the core */
	int id;               /* of the topic of frames or of the service; the period in ms */
	cairn_loop_fn *fn;
	cairn_command_fn *command;
	size_t when;              /* CAIRN_WHEN(key): only where this key of the configuration is true */
	size_t period_s, rate_hz; /* CAIRN_KEY(key, double): the period, or its inverse, is in this key */
};
/* Where a key is in the configuration, 0 being none; one of another type does not compile. */
#define CAIRN_KEY(key, type)                                                                                 \
	_Generic(((struct cairn_config *)NULL)->key, type : 1 + offsetof(struct cairn_config, key))
#define CAIRN_WHEN(key) CAIRN_KEY(key, bool)
/* Inputs for a core to which the state has a pointer, for one that is a part of the state, for the state itself. .fn: at once. */
#define CAIRN_PORT_IN(in, type, member)                                                                      \
	.open = cairn_port_in, .rows = in, .at = offsetof(type, member), .by_pointer = true
#define CAIRN_PORT_IN_PART(in, type, member) .open = cairn_port_in, .rows = in, .at = offsetof(type, member)
#define CAIRN_PORT_IN_STATE(in) .open = cairn_port_in, .rows = in
/* Of topics of programs outside: cairn_stage_declared_inputs. */
#define CAIRN_PORT_DECLARED_IN(in, type, member)                                                             \
	.open = cairn_port_declared_in, .rows = in, .at = offsetof(type, member), .by_pointer = true
#define CAIRN_PORT_DECLARED_IN_STATE(in) .open = cairn_port_declared_in, .rows = in
#define CAIRN_PORT_OUT(out) .open = cairn_port_out, .rows = out
#define CAIRN_PORT_EVERY(ms, call) .open = cairn_port_every, .id = ms, .fn = call
#define CAIRN_PORT_EVERY_S(key, call) .open = cairn_port_every, .period_s = CAIRN_KEY(key, double), .fn = call
#define CAIRN_PORT_EVERY_HZ(key, call) .open = cairn_port_every, .rate_hz = CAIRN_KEY(key, double), .fn = call
#define CAIRN_PORT_SERVE(service, call) .open = cairn_port_serve, .id = service, .command = call
/* A struct cairn_client of the state; call is there to receive its replies. */
#define CAIRN_PORT_ASK(service, type, member, call)                                                          \
	.open = cairn_port_ask, .id = service, .at = offsetof(type, member), .fn = call
/* A struct cairn_frame_sub or cairn_frame_pub of the state. */
#define CAIRN_PORT_FRAME_IN(topic, type, member)                                                             \
	.open = cairn_port_frame_in, .id = topic, .at = offsetof(type, member)
#define CAIRN_PORT_FRAME_OUT(topic, type, member)                                                            \
	.open = cairn_port_frame_out, .id = topic, .at = offsetof(type, member)
cairn_port_fn cairn_port_in, cairn_port_declared_in, cairn_port_out, cairn_port_every, cairn_port_serve,
    cairn_port_ask, cairn_port_frame_in, cairn_port_frame_out;

/* A program, as a row. */
struct cairn_stage_program {
	const char *name, *purpose;
	size_t bytes; /* of its state, which is all zero but for its CAIRN_STAGE_STATE when it is opened */
	/* Makes the core, before the ports are opened. False with the reason; without one it is said to be want of memory. */
	bool (*open)(void *app, struct cairn_stage *stage, struct cairn_error *err);
	const struct cairn_port *ports; /* opened in this order; NULL: none */
	void (*begin)(void *app);       /* before it is said to be ready; NULL: nothing */
	int (*run)(void *app);          /* in place of cairn_stage_run; NULL: that */
	void (*ended)(void *app);       /* the loop has ended: what is saved and told last; NULL: nothing */
	void (*close)(void *app);       /* also of what was opened in part; NULL: nothing */
	bool urgent;                    /* on the way to the wheels (cairn_stage_urgent) */
	int nice; /* for what comes from outside, which must not take time from the others */
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
/* RUN/state/NAME, where a stage keeps what it must know after a kill; the folder is made. Into out, of bytes. */
void cairn_stage_state_path(const struct cairn_stage *stage, const char *name, char *out, size_t bytes);
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
/* Hands the newest frame that waits to take; one that take refuses is counted. ctx: of take. */
typedef bool cairn_take_frame_fn(void *ctx, const struct cairn_frame_header *hdr, const void *payload);
void cairn_stage_take_frame(
    struct cairn_stage *stage, struct cairn_frame_sub *sub, cairn_take_frame_fn *take, void *ctx);
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

/* What the next heartbeats say it is busy with. True when that is new. */
bool cairn_stage_note(struct cairn_stage *stage, const char *note);
bool cairn_stage_notef(struct cairn_stage *stage, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Refusals beyond those of the bus. */
void cairn_stage_count_reject(struct cairn_stage *stage);
/* What the core itself has refused so far. */
void cairn_stage_core_rejects(struct cairn_stage *stage, uint64_t total);
/* For a stage on the way to the wheels. Its loop is woken to the microsecond (an ordinary process is
 * otherwise left asleep up to 50 us longer); all memory, now and later, is kept from being swapped out,
 * unless launcher.lock_memory is off. Without the privilege for that it says so and goes on: locking only a
 * part would let later allocations fail. */
void cairn_stage_urgent(struct cairn_stage *stage);
/* Something beside the work itself did or did not succeed: a file that was to be saved, say. what names it,
 * for example "save the map"; why is NULL or empty when it worked. Failures are counted; the first, and the end of a
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
/* The time of day, for what is told or kept: since 1970, UTC. Nothing is timed by it (test clocks). */
int64_t cairn_unix_ns(void);
double cairn_unix_s(void);

#endif
