/* base_link_private.h - what one model of base is to base_link.c; nobody else includes this. */
#ifndef CAIRN_COMMON_DEVICE_BASE_LINK_PRIVATE_H
#define CAIRN_COMMON_DEVICE_BASE_LINK_PRIVATE_H

#include "common/device/base_link.h"

#define BASE_REPORT_MISSING_NS INT64_C(200000000)

struct base_model {
	int baud;
	void (*opened)(struct cairn_base_link *l);
	size_t (*feed)(struct cairn_base_link *l, const uint8_t *data, size_t len, int64_t now_ns,
	    struct cairn_base_report *ret_report, bool *ret_some);
	size_t (*poll)(struct cairn_base_link *l, int64_t now_ns, uint8_t *out);
	size_t (*motion)(const struct cairn_base_link *l, double v_mps, double w_radps, uint8_t *out);
	size_t (*stop)(uint8_t *out);
	/* What is not as it must be while reports arrive; NULL: nothing. */
	const char *(*fault)(const struct cairn_base_link *l, int64_t now_ns);
};

extern const struct base_model base_rosmaster, base_diffdrive;

#endif
