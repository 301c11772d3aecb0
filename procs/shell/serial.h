/* serial.h - serial ports of the devices: open raw, read and write without blocking. */
#ifndef CAIRN_PROCS_SHELL_SERIAL_H
#define CAIRN_PROCS_SHELL_SERIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/error.h"

/* Opens device (relative paths are below run_dir): 8N1, raw, no flow control, DTR low, not blocking, not
 * exclusive (a second opener must be able to stop the base). baud: 115200, 230400 or 460800. Polls wake once
 * wake_bytes (1..255) are there; reads give whatever is. The descriptor, or a negative errno with the reason
 * in err. */
int cairn_serial_open(
    const char *run_dir, const char *device, int baud, int wake_bytes, struct cairn_error *err);
/* Bytes read, 0 = none waiting, negative errno: the device is gone. */
ssize_t cairn_serial_read(int fd, uint8_t *buf, size_t bytes);
/* True when all was written. False: nothing or part of it; *ret_gone tells whether the device is gone. */
bool cairn_serial_write(int fd, const uint8_t *buf, size_t bytes, bool *ret_gone);

/* Bytes that were written and are not yet on the line; 0 where the driver does not tell, as pseudo terminals do not. */
int cairn_serial_pending(int fd);

#endif
