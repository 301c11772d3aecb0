/* fleet.h - a robot under the master control of a fleet, by VDA 5050: what comes in as messages of MQTT, what goes out as messages
 * and as commands of an operator. Pure: no sockets, no clock.
 *
 * An order is driven node by node with the operator's `goto`, as a person would from the page; sequencer and motor judge as ever.
 * Master control is an operator with the rights of fleet.rights: no message of it releases a stop. What a person does has
 * precedence: a command of somebody else ends the order (VDA 5050: MANUAL), and master control waits until a person says
 * `automatic`; a person's pause is a person's to end.
 *
 * Use: hand in what comes (cairn_fleet_receive, the topics of cairn_fleet_in, replies), call cairn_fleet_step ten times a second,
 * and after each call: write cairn_fleet_save to its file when cairn_fleet_record_changed, then give the commands and send the
 * messages that cairn_fleet_next_command and cairn_fleet_next_message hand out. In this order nothing is acknowledged that a
 * crash could lose. Without a broker the robot drives what is released, and tells its state when the broker is back. */
#ifndef CAIRN_COMMON_FLEET_FLEET_H
#define CAIRN_COMMON_FLEET_FLEET_H

#include "common/fleet/order.h"
#include "ipc/commands.h"
#include "ipc/ports.h"

struct cairn_fleet;

struct cairn_fleet_message {
	enum cairn_vda_topic topic;
	char *json; /* to be freed */
	bool retained;
	int qos;
};

struct cairn_fleet_command {
	uint64_t tag;
	enum cairn_command command;
	struct cairn_msg_command request;
};

extern const struct cairn_in cairn_fleet_in[]; /* core: struct cairn_fleet */

/* Whom commands of it name. */
#define CAIRN_FLEET_WHO "master control of the fleet"

/* cfg is borrowed. record: what an earlier process saved, NULL: nothing. NULL: no memory, a configuration that cannot be, or a
 * record that cannot be read, with the reason: an order in it would be lost. */
struct cairn_fleet *cairn_fleet_new(
    const struct cairn_config *cfg, const char *record, struct cairn_error *err);
void cairn_fleet_destroy(struct cairn_fleet **fleet_p);

/* "interface/v2/manufacturer/serial/topic". Returns buf. */
const char *cairn_fleet_topic(
    const struct cairn_fleet *f, enum cairn_vda_topic topic, char *buf, size_t bytes);
/* Wall clock minus monotonic clock, for the stamps of messages. */
void cairn_fleet_clock(struct cairn_fleet *f, int64_t unix_minus_monotonic_ns);
/* What the broker is to say when the robot is gone; to be freed. */
char *cairn_fleet_last_will(struct cairn_fleet *f, int64_t now_ns);
/* The broker is there, or is not. */
void cairn_fleet_connected(struct cairn_fleet *f, bool connected, int64_t now_ns);
/* The stage ends in good order: the last message is OFFLINE. */
void cairn_fleet_goodbye(struct cairn_fleet *f, int64_t now_ns);

/* A message of one of the topics that come in. */
void cairn_fleet_receive(
    struct cairn_fleet *f, enum cairn_vda_topic topic, const void *json, size_t bytes, int64_t now_ns);
/* How the command of this tag ended. */
void cairn_fleet_replied(struct cairn_fleet *f, uint64_t tag, bool ok, const char *text, int64_t now_ns);
/* What the sequencer says of commands, whoever gave them. */
void cairn_fleet_commanded(struct cairn_fleet *f, const struct cairn_msg_commanded *m, int64_t now_ns);
/* A person gives the robot to its fleet, or takes it. */
void cairn_fleet_set_manual(struct cairn_fleet *f, bool manual, int64_t now_ns);

void cairn_fleet_step(struct cairn_fleet *f, int64_t now_ns);

bool cairn_fleet_next_message(struct cairn_fleet *f, struct cairn_fleet_message *ret);
bool cairn_fleet_next_command(struct cairn_fleet *f, struct cairn_fleet_command *ret);
/* A line that master control wants in the log; false: none. */
bool cairn_fleet_next_report(struct cairn_fleet *f, char *buf, size_t bytes);

/* True once after each change of what must survive. */
bool cairn_fleet_record_changed(struct cairn_fleet *f);
/* JSON, to be freed; NULL: no memory. */
char *cairn_fleet_save(const struct cairn_fleet *f);

/* ---- for the shell's note and for tests ---- */

const struct cairn_fleet_order *cairn_fleet_order_of(const struct cairn_fleet *f);
uint64_t cairn_fleet_rejects(const struct cairn_fleet *f);
/* One line: what it is doing. Returns buf. */
const char *cairn_fleet_note(const struct cairn_fleet *f, char *buf, size_t bytes);

#endif
