/* bus.h - the control plane: publishers, subscribers, services over ZeroMQ ipc sockets in RUN/bus.
 *
 * One endpoint a topic, bound by its one publisher, which holds a lock file beside the socket (libzmq lets a
 * second PUB bind the same path without an error). Readers connect in any order, before or after the
 * publisher. Nothing here blocks and nothing is thread-safe: one bus a process, used from its event loop. A
 * broken message is refused, counted (cairn_bus_rejects) and loses nothing. */
#ifndef CAIRN_IPC_BUS_H
#define CAIRN_IPC_BUS_H

#include "ipc/topics.h"

struct cairn_bus;
struct cairn_pub;
struct cairn_sub;
struct cairn_server;
struct cairn_client;

/* run_dir must hold a folder "bus". NULL with err set when ZeroMQ cannot start. */
struct cairn_bus *cairn_bus_new(const char *run_dir, struct cairn_error *err);
/* For readers of everything, whom most publishers that are absent would cost ten attempts a second each: subscriptions made from
 * now on try once a second, and hear a publisher that was started again so much later. */
void cairn_bus_be_patient(struct cairn_bus *bus);
/* Closes every publisher, subscriber and server made from it. */
void cairn_bus_destroy(struct cairn_bus **bus_p);
/* False with err set when the run directory's path leaves no room for the names of sockets (108 bytes in all). */
bool cairn_bus_fits(const char *run_dir, struct cairn_error *err);
/* Removes the sockets and locks of publishers that are gone from RUN/bus; those of living ones stay. */
void cairn_bus_clean(const char *run_dir);
/* Looks whether the socket files of this bus's publishers and servers are still their own, and binds anew those that another
 * process has bound or removed: how many, and the name of the first (valid while the bus lives). Who calls it now and
 * then is heard again after any such process; a reader that has connected to it meanwhile hears us when it has ended. */
int cairn_bus_hold(struct cairn_bus *bus, const char **ret_first);
/* Messages refused so far: too large, malformed, another schema version. */
uint64_t cairn_bus_rejects(const struct cairn_bus *bus);

/* instance: the stage for a topic of "*" (ipc/topics.def), NULL for all others. NULL with err set; errno EADDRINUSE
 * when another process publishes the topic. */
struct cairn_pub *cairn_pub_new(
    struct cairn_bus *bus, enum cairn_topic topic, const char *instance, struct cairn_error *err);
/* msg: the struct of the topic. t_ns: CLOCK_MONOTONIC of what it is about. 0, or a negative errno. Never
 * blocks. */
int cairn_pub_send(struct cairn_pub *pub, const void *msg, int64_t t_ns, bool valid);
/* This publisher's epoch. */
uint64_t cairn_pub_epoch(const struct cairn_pub *pub);

struct cairn_sub *cairn_sub_new(
    struct cairn_bus *bus, enum cairn_topic topic, const char *instance, struct cairn_error *err);
/* Ends the subscription before the bus does; whoever polls its socket lets go of it first. */
void cairn_sub_destroy(struct cairn_sub **sub_p);
/* Takes the next message into *msg and *hdr (may be NULL): 1 taken, 0 none waiting. Broken ones are skipped
 * and counted. *msg and *hdr are left alone when 0 is returned. */
int cairn_sub_recv(struct cairn_sub *sub, void *msg, struct cairn_header *hdr);
/* For polling: the zmq socket (zsock-compatible void *). */
void *cairn_sub_socket(struct cairn_sub *sub);

/* Where programs outside hand in what they would publish: they PUSH to ipc://RUN/bus/in.NAME, as often as they like. What is not
 * taken waits with them, and a process that floods holds up itself. NULL with err set. */
struct cairn_intake;
struct cairn_intake *cairn_intake_new(struct cairn_bus *bus, const char *name, struct cairn_error *err);
/* The next message as it came: its length, which may be more than bytes: then the rest is lost. Negative: none waits. */
long cairn_intake_recv(struct cairn_intake *intake, void *buf, size_t bytes);

/* A service: handler fills *reply (zeroed: not ok, no text). cmd->who names the key of another
 * machine, if there is one, user and process as the kernel knows them (then of the remote stage), and what
 * the sender says of itself. Verbs that ipc/commands.def does not have, and what came too late, are refused
 * and counted without the handler. */
typedef void cairn_command_fn(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply);
struct cairn_server *cairn_server_new(struct cairn_bus *bus, enum cairn_service service, cairn_command_fn *fn,
    void *ctx, struct cairn_error *err);
/* Called behind every command that could be read, the refused ones too. */
typedef void cairn_commanded_fn(void *ctx, const struct cairn_msg_commanded *done);
void cairn_server_on_done(struct cairn_server *server, cairn_commanded_fn *fn, void *ctx);
void *cairn_server_socket(struct cairn_server *server);
/* Answers the waiting requests, a few dozen at most; more of them make the socket readable again. Those whose
 * sender has given up waiting are refused without the handler, unless they are a stop. */
void cairn_server_serve(struct cairn_server *server);

/* Somebody who asks without waiting. A stage that is not there, or not connected yet, is not asked: -EAGAIN. */
struct cairn_client *cairn_client_new(
    struct cairn_bus *bus, enum cairn_service service, struct cairn_error *err);
void *cairn_client_socket(struct cairn_client *client);
/* The answer carries the tag. 0, or a negative errno. */
int cairn_client_send(struct cairn_client *client, uint64_t tag, const struct cairn_msg_command *cmd);
/* 1 an answer taken, 0 none waits; broken ones are skipped and counted. */
int cairn_client_recv(struct cairn_client *client, uint64_t *ret_tag, struct cairn_msg_reply *reply);

/* Asks and waits at most timeout_ms; this one blocks, for command-line tools. 0 with *reply, -ETIMEDOUT,
 * -EBADMSG, -EACCES when somebody answered who is neither this user nor root (nor, for root, the owner of run_dir). */
int cairn_ask(const char *run_dir, enum cairn_service service, const struct cairn_msg_command *cmd,
    struct cairn_msg_reply *reply, int timeout_ms, struct cairn_error *err);

#endif
