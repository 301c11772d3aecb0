/* scan_probe.c - a reader of the bus beside which that of DDS is measured: for each scan a line with its stamp as Unix time and when it was there
 * (measure.mjs).
 *
 *   ros2_scan_probe RUN */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <zmq.h>

#include "common/base/geom.h"
#include "ipc/bus.h"

static int64_t now_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

int main(int argc, char **argv)
{
	static struct cairn_msg_scan scan;
	struct cairn_error err = {"usage: ros2_scan_probe RUN"};
	struct cairn_header hdr;
	struct cairn_bus *bus = argc == 2 ? cairn_bus_new(argv[1], &err) : NULL;
	struct cairn_sub *sub = bus != NULL ? cairn_sub_new(bus, CAIRN_TOPIC_SCAN, NULL, &err) : NULL;
	if (sub == NULL) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	int64_t offset_ns = now_ns(CLOCK_REALTIME) - now_ns(CLOCK_MONOTONIC);
	zmq_pollitem_t item = {cairn_sub_socket(sub), 0, ZMQ_POLLIN, 0};
	while (zmq_poll(&item, 1, -1) > 0)
		while (cairn_sub_recv(sub, &scan, &hdr) == 1)
			printf("%" PRId64 " %" PRId64 "\n", hdr.t_ns + offset_ns,
			    now_ns(CLOCK_MONOTONIC) + offset_ns);
	cairn_bus_destroy(&bus);
	return 0;
}
