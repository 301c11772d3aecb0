/* percept_scan.h - a scan put together by hand, and what the percept makes of it. */
#ifndef CAIRN_TEST_SUPPORT_PERCEPT_SCAN_H
#define CAIRN_TEST_SUPPORT_PERCEPT_SCAN_H

#include "common/percept/sectors.h"
#include "test/support/runner.h"

static inline struct cairn_percept_params params_default(void)
{
	struct cairn_config cfg;
	cairn_config_defaults(&cfg);
	return cairn_percept_params_from_config(&cfg);
}

static struct cairn_msg_scan scan; /* 64 kB: not for the stack of every test */
static struct cairn_msg_percept percept, other;

static inline void scan_clear(void)
{
	memset(&scan, 0, sizeof(scan));
	scan.range_min_m = 0.05f;
	scan.range_max_m = 12.0f;
}

/* clockwise degrees, as in the prompt */
static inline void add(double clockwise_deg, double range_m)
{
	scan.angle_rad[scan.angle_rad_count++] = (float)cairn_deg_to_rad(-clockwise_deg);
	scan.range_m[scan.range_m_count++] = (float)range_m;
}

static inline void compute(void)
{
	struct cairn_percept_params params = params_default();
	ck_assert(cairn_percept_from_scan(&percept, &scan, &params));
}

#endif
