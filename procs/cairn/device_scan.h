/* device_scan.h - what is plugged in, as the kernel tells below /sys and /dev. */
#ifndef CAIRN_PROCS_CAIRN_DEVICE_SCAN_H
#define CAIRN_PROCS_CAIRN_DEVICE_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#define DEVICE_SCAN_MAX 32

enum device_kind { DEVICE_SERIAL, DEVICE_CAMERA, DEVICE_USB /* no node that the stack could open */ };

struct device_found {
	enum device_kind kind;
	char path[256];           /* below /dev, of by-id where there is one; "": none */
	char name[64];            /* as it calls itself */
	bool stays;               /* the path is the same in whatever port and order it is plugged in */
	uint16_t vendor, product; /* of USB; 0: not known */
	const char *hint;         /* what such a USB id often is; "": not known */
};

/* sys, dev: "/sys" and "/dev", or a test's own. How many were found. */
int device_scan(const char *sys, const char *dev, struct device_found found[DEVICE_SCAN_MAX]);

#endif
