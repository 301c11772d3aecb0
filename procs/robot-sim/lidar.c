#include "procs/robot-sim/lidar.h"

#include "common/base/geom.h"
#include "procs/shell/stage.h"

#define LD06_SPEED_DPS 3600.0 /* ten revolutions a second */

void sim_lidar_init(struct sim_lidar *l, enum cairn_choice_lidar_model model)
{
	l->model = model;
	cairn_dev_lidar_init(&l->dev);
}

void sim_lidar_hear(struct sim_lidar *l)
{
	uint8_t buf[256];
	size_t n;
	while ((n = device_port_read(&l->port, buf, sizeof(buf))) > 0)
		cairn_dev_lidar_receive(&l->dev, buf, n);
	if (!l->dev.scanning)
		l->node_bytes = 0;
	if ((n = cairn_dev_lidar_take(&l->dev, buf, sizeof(buf))) > 0)
		device_port_write(&l->port, buf, n);
}

/* Those of the other models turn for as long as they have power. */
bool sim_lidar_scans(const struct sim_lidar *l)
{
	return l->dev.scanning || l->model == CAIRN_CHOICE_LIDAR_MODEL_LD06 ||
	       l->model == CAIRN_CHOICE_LIDAR_MODEL_HELPER;
}

static void report_ld06(struct sim_lidar *l, const struct cairn_lidar_point *points)
{
	uint8_t frame[CAIRN_DEV_LD06_FRAME];
	for (int i = 0; i < CAIRN_LIDAR_STEP_POINTS; i++) {
		size_t n = cairn_dev_ld06_point(&l->ld06, points[i].index * (360.0 / CAIRN_LIDAR_POINTS),
		    points[i].range_m, LD06_SPEED_DPS, cairn_now_ns() / CAIRN_NS_PER_MS, frame);
		if (n > 0)
			device_port_write(&l->port, frame, n);
	}
}

/* A turn when its last points have come. */
static void report_helper(struct sim_lidar *l, const struct cairn_lidar_point *points)
{
	static uint8_t frame[CAIRN_SCAN_STREAM_FRAME_MAX];
	struct cairn_lidar_turn *turn = &l->turn;
	for (int i = 0; i < CAIRN_LIDAR_STEP_POINTS; i++) {
		if (points[i].index == 0) {
			turn->count = 0;
			turn->t_start_ns = cairn_now_ns();
		}
		turn->angle_q6[turn->count] = (uint16_t)(points[i].index * (360 * 64 / CAIRN_LIDAR_POINTS));
		turn->range_m[turn->count++] = points[i].range_m;
		if (points[i].index != CAIRN_LIDAR_POINTS - 1 || turn->count != CAIRN_LIDAR_POINTS)
			continue;
		turn->t_end_ns = cairn_now_ns();
		device_port_write(&l->port, frame, cairn_scan_stream_write(frame, turn));
	}
	if (turn->count + CAIRN_LIDAR_STEP_POINTS > CAIRN_LIDAR_TURN_MAX)
		turn->count = 0;
}

void sim_lidar_report(struct sim_lidar *l, const struct cairn_lidar_point *points)
{
	if (points == NULL)
		return;
	if (l->model == CAIRN_CHOICE_LIDAR_MODEL_LD06) {
		report_ld06(l, points);
		return;
	}
	if (l->model == CAIRN_CHOICE_LIDAR_MODEL_HELPER) {
		report_helper(l, points);
		return;
	}
	for (int i = 0; i < CAIRN_LIDAR_STEP_POINTS; i++) {
		cairn_dev_lidar_node(l->nodes + l->node_bytes, points[i].index * (360.0 / CAIRN_LIDAR_POINTS),
		    points[i].range_m, points[i].index == 0);
		l->node_bytes += CAIRN_DEV_LIDAR_NODE;
	}
	if (l->node_bytes == sizeof(l->nodes)) {
		device_port_write(&l->port, l->nodes, l->node_bytes);
		l->node_bytes = 0;
	}
}
