/* bench_arc.c - the geometry that both safety layers ask for every candidate motion. */
#include <math.h>
#include <stdlib.h>

#include "common/scan/scan.h"
#include "common/config/config.h"
#include "common/safety/collision_monitor.h"
#include "procs/lab/bench.h"

#define POINTS 720

struct arc_work {
	struct cairn_points points;
	struct cairn_directions directions;
	struct cairn_footprint body;
	double margin_m, curvature_1pm;
	volatile double sink; /* the result must be wanted by somebody */
};

static void clearance(void *ctx)
{
	struct arc_work *w = ctx;
	w->sink = cairn_arc_clearance(&w->points, &w->body, w->margin_m, w->curvature_1pm, true, 3.0).free_m;
}

/* All that the motor stage does with a scan: points, zones, both arcs. */
struct monitor_work {
	struct cairn_monitor monitor;
	const struct cairn_msg_scan *scan;
	int64_t t_ns;
	volatile double sink;
};

static void monitor_scan(void *ctx)
{
	struct monitor_work *w = ctx;
	struct cairn_twist twist = {0.3, 0.3};
	struct cairn_pose2 pose = {0};
	w->t_ns += 100 * CAIRN_NS_PER_MS;
	cairn_monitor_scan(&w->monitor, w->scan, w->t_ns, twist, pose);
	cairn_monitor_move(&w->monitor, pose);
	double limit = cairn_monitor_limit(&w->monitor, 1.0, true, twist).limit_mps;
	limit += cairn_monitor_polygons_limit(
	    &w->monitor.zones, &w->monitor.points, w->monitor.solid_count, 1.0, true, 0.3, w->t_ns)
		     .limit_mps;
	w->sink = limit;
}

static bool bench_monitor(
    struct cairn_bench_out *out, const struct cairn_config *cfg, const struct cairn_msg_scan *scan)
{
	struct monitor_work *w = calloc(1, sizeof(*w));
	struct cairn_monitor_params params;
	if (w == NULL)
		return false;
	cairn_monitor_params_from(&params, cfg);
	cairn_monitor_init(&w->monitor, &params);
	w->scan = scan;
	cairn_bench_value(
	    out, "monitor.points_720.all_zones", cairn_bench_time_ns(monitor_scan, w) * 1e-3, "us/op");
	free(w);
	return true;
}

bool cairn_bench_arc(struct cairn_bench_out *out)
{
	struct cairn_config cfg;
	cairn_config_defaults(&cfg);
	struct arc_work *w = calloc(1, sizeof(*w));
	struct cairn_msg_scan *scan = calloc(1, sizeof(*scan));
	bool ok = w != NULL && scan != NULL;
	if (ok) {
		/* A room of 4 m by 3 m around the robot. */
		scan->range_min_m = 0.05f;
		scan->range_max_m = 12.0f;
		scan->angle_rad_count = scan->range_m_count = POINTS;
		for (int i = 0; i < POINTS; i++) {
			double a = (i + 0.5) * 2.0 * M_PI / POINTS;
			scan->angle_rad[i] = (float)a;
			scan->range_m[i] = (float)fmin(2.0 / fabs(cos(a)), 1.5 / fabs(sin(a)));
		}
		w->body = (struct cairn_footprint){cfg.robot.footprint_front_m, cfg.robot.footprint_rear_m,
		    cfg.robot.footprint_half_width_m};
		w->margin_m = cfg.safety.margin_m;
		cairn_points_from_scan(&w->points, scan, &w->directions,
		    (struct cairn_vec2){cfg.robot.lidar_x_m, cfg.robot.lidar_y_m}, &w->body);
		double straight_ns = cairn_bench_time_ns(clearance, w);
		w->curvature_1pm = 1.0 / cfg.robot.turn_radius_min_m;
		double tightest_ns = cairn_bench_time_ns(clearance, w);
		cairn_bench_value(out, "arc.points_720.straight", straight_ns, "ns/op");
		cairn_bench_value(out, "arc.points_720.tightest", tightest_ns, "ns/op");
		ok = bench_monitor(out, &cfg, scan);
	}
	free(scan);
	free(w);
	return ok;
}
