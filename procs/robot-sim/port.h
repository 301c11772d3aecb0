/* port.h - a serial device played on a pty, and the camera helper's socket. */
#ifndef CAIRN_PROCS_ROBOT_SIM_PORT_H
#define CAIRN_PROCS_ROBOT_SIM_PORT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

struct port {
	int master, slave; /* the slave is kept open, so that a client's leaving is no hang-up */
	char link[PATH_MAX];
	uint64_t dropped; /* bytes nobody read */
};

/* Makes a pty and a symlink to it; path is relative to run_dir unless absolute. False with err set. */
bool port_open(struct port *port, const char *run_dir, const char *path, struct cairn_error *err);
/* Never blocks. When nobody reads and the buffer is full, what is in it is thrown away: what a client then
 * reads is fresh. */
void port_write(struct port *port, const uint8_t *bytes, size_t count);
/* Bytes read, 0 when none wait. */
size_t port_read(struct port *port, uint8_t *buf, size_t cap);
void port_close(struct port *port);

/* path below run_dir, or path itself when it is absolute; its folder is made. False when it is too long or
 * cannot be made. */
bool port_path(char *out, size_t cap, const char *run_dir, const char *path, struct cairn_error *err);

#endif
