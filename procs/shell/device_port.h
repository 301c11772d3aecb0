/* device_port.h - a serial device played on a pty, and where sockets of helpers lie. */
#ifndef CAIRN_PROCS_SHELL_DEVICE_PORT_H
#define CAIRN_PROCS_SHELL_DEVICE_PORT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

struct device_port {
	int master, slave; /* the slave is kept open, so that a client's leaving is no hang-up */
	char link[PATH_MAX];
	uint64_t dropped; /* bytes nobody read */
};

/* Makes a pty and a symlink to it; path is relative to run_dir unless absolute. A link to a pty that a run before left there is
 * replaced; anything else is left as it is, and refused. False with err set. */
bool device_port_open(
    struct device_port *port, const char *run_dir, const char *path, struct cairn_error *err);
/* Never blocks. When nobody reads and the buffer is full, what is in it is thrown away: what a client then
 * reads is fresh. */
void device_port_write(struct device_port *port, const uint8_t *bytes, size_t count);
/* Bytes read, 0 when none wait. */
size_t device_port_read(struct device_port *port, uint8_t *buf, size_t cap);
/* Removes the link if it still leads to this pty. */
void device_port_close(struct device_port *port);

/* path below run_dir, or path itself when it is absolute; its folder is made. False when it is too long or
 * cannot be made. */
bool device_port_path(char *out, size_t cap, const char *run_dir, const char *path, struct cairn_error *err);

#endif
