/* bus_rig.h - a bus of the test's own. Who forks does so between cairn_run_dir_make(run_dir, ...) and open_bus. */
#ifndef CAIRN_TEST_SUPPORT_BUS_RIG_H
#define CAIRN_TEST_SUPPORT_BUS_RIG_H

#include <zmq.h>

#include "ipc/bus.h"
#include "test/support/run_dir.h"
#include "test/support/runner.h"

#define TRIES 2000 /* of 5 ms each: a limit for a broken bus, not a measure of a good one */

static char run_dir[CAIRN_RUN_DIR_BYTES];
static struct cairn_bus *bus;
static struct cairn_error err;

static inline void open_bus(void)
{
	bus = cairn_bus_new(run_dir, &err);
	ck_assert_msg(bus != NULL, "%s", err.text);
}

static inline void teardown(void)
{
	cairn_bus_destroy(&bus);
	cairn_run_dir_remove(run_dir);
}

static inline void wait_readable(void *socket)
{
	zmq_pollitem_t item = {.socket = socket, .events = ZMQ_POLLIN};
	zmq_poll(&item, 1, 5);
}

#endif
