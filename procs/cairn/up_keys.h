/* up_keys.h - the keys of the live table: the terminal gives them one by one while it is shown, and the space bar is an
 * emergency stop. */
#ifndef CAIRN_PROCS_CAIRN_UP_KEYS_H
#define CAIRN_PROCS_CAIRN_UP_KEYS_H

#include <stdbool.h>
#include <stdint.h>
#include <termios.h>

#include "ipc/bus.h"

struct up_keys {
	int fd; /* -1: nobody sits there */
	struct termios before;
	struct cairn_client *motor;
	uint64_t asked, sent, answered; /* stops */
	int64_t asked_ns;
	char said[160]; /* what became of the newest stop, for the table; empty: none was asked for */
	bool failed;
	bool help, processes;
};

/* Without a terminal there are no keys, which is no error. */
void up_keys_open(struct up_keys *keys, struct cairn_bus *bus);
/* The terminal is as before. */
void up_keys_close(struct up_keys *keys);

/* Takes the keys that were pressed and the answers of the motor stage; never waits. True: the run is to be ended. */
bool up_keys_tick(struct up_keys *keys, int64_t now_ns);

#endif
