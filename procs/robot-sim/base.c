#include "procs/robot-sim/base.h"

#include <math.h>

static bool has_two_wheels(const struct sim_base *base)
{
	return base->cfg->robot.base_model == CAIRN_CHOICE_BASE_MODEL_DIFFDRIVE_SERIAL;
}

void sim_base_init(struct sim_base *base, const struct cairn_config *cfg, const struct cairn_sim *sim)
{
	base->cfg = cfg;
	base->sim = sim;
	cairn_dev_board_init(&base->board);
	cairn_dev_diffdrive_init(&base->two_wheels, true);
}

void sim_base_hear(struct sim_base *base)
{
	uint8_t buf[256];
	size_t n;
	while ((n = device_port_read(&base->port, buf, sizeof(buf))) > 0)
		if (has_two_wheels(base))
			cairn_dev_diffdrive_receive(&base->two_wheels, buf, n);
		else
			cairn_dev_board_receive(&base->board, buf, n);
	n = has_two_wheels(base) ? cairn_dev_diffdrive_take(&base->two_wheels, buf, sizeof(buf))
				 : cairn_dev_board_take(&base->board, buf, sizeof(buf));
	if (n > 0)
		device_port_write(&base->port, buf, n);
}

/* Mean over the report period. */
static double gyro_now(const struct sim_base *base)
{
	double gyro = 0.0;
	for (int i = 0; i < SIM_BASE_GYRO_STEPS; i++)
		gyro += base->gyro[i] / SIM_BASE_GYRO_STEPS;
	return gyro;
}

static void report_two_wheels(struct sim_base *base)
{
	const struct cairn_sim_state *s = cairn_sim_state(base->sim);
	const struct cairn_body *b = &s->body;
	const struct cairn_mounting *m = cairn_sim_mounting(base->sim);
	double half_m = 0.5 * base->cfg->robot.wheel_separation_m;
	struct cairn_dev_diffdrive_sense sense = {
	    .counts = {cairn_mounting_count(m, b->wheel_left_m), cairn_mounting_count(m, b->wheel_right_m)},
	    .mps = {cairn_base_axes_speed_mps(&m->axes, b->wheel_mps - half_m * b->wheel_radps),
		cairn_base_axes_speed_mps(&m->axes, b->wheel_mps + half_m * b->wheel_radps)},
	    .battery_v = s->battery_v,
	    .accel_mps2 = {b->accel_mps2, b->v_mps * b->w_radps, 9.81}};
	cairn_base_axes_from_up(&m->axes, gyro_now(base), sense.gyro_radps);
	uint8_t buf[CAIRN_DIFFDRIVE_LINE_MAX];
	size_t n = cairn_dev_diffdrive_report(
	    &base->two_wheels, &sense, 1000.0 * CAIRN_SIM_STEP_S, buf, sizeof(buf));
	if (n > 0)
		device_port_write(&base->port, buf, n);
}

static void report_board(struct sim_base *base)
{
	const struct cairn_sim_state *s = cairn_sim_state(base->sim);
	const struct cairn_body *b = &s->body;
	const struct cairn_mounting *m = cairn_sim_mounting(base->sim);
	int32_t left = cairn_mounting_count(m, b->wheel_left_m);
	int32_t right = cairn_mounting_count(m, b->wheel_right_m);
	/* The board tells where it has put the steering, not where the wheels are. */
	struct cairn_dev_board_sense sense = {.v_mps = cairn_base_axes_speed_mps(&m->axes, b->wheel_mps),
	    .steer_deg = cairn_rad_to_deg(cairn_base_axes_base_steer_rad(&m->axes, b->steer_rad)),
	    .battery_v = s->battery_v,
	    .accel_mps2 = {b->accel_mps2, b->v_mps * b->w_radps, 9.81},
	    .yaw_rad = b->gyro_yaw_rad,
	    .counts = {left, left, right, right}};
	cairn_base_axes_from_up(&m->axes, gyro_now(base), sense.gyro_radps);
	uint8_t buf[64];
	size_t n = cairn_dev_board_report(&base->board, &sense, buf, sizeof(buf));
	if (n > 0)
		device_port_write(&base->port, buf, n);
}

void sim_base_report(struct sim_base *base)
{
	const struct cairn_sim_state *s = cairn_sim_state(base->sim);
	base->gyro[s->steps % SIM_BASE_GYRO_STEPS] = s->body.gyro_radps;
	if (has_two_wheels(base))
		report_two_wheels(base);
	else
		report_board(base);
}

/* What the board makes the wheels do. */
struct cairn_drive sim_base_drive(const struct sim_base *base)
{
	if (has_two_wheels(base))
		return (struct cairn_drive){.v_mps = cairn_dev_diffdrive_v_mps(&base->two_wheels),
		    .w_radps =
			cairn_dev_diffdrive_w_radps(&base->two_wheels, base->cfg->robot.wheel_separation_m)};
	const struct cairn_dev_board *b = &base->board;
	double hold = cairn_base_axes_base_steer_rad(
	    &cairn_sim_mounting(base->sim)->axes, cairn_sim_state(base->sim)->body.steer_rad);
	struct cairn_drive d = {.v_mps = b->v_mps, .steer_rad = hold};
	if (b->steer_set)
		d.steer_rad = cairn_deg_to_rad(b->steer_deg);
	else if (b->mode == CAIRN_DEV_BOARD_TWIST)
		d.steer_rad = cairn_sim_steer_for(base->cfg, b->v_mps, b->w_radps, hold);
	return d;
}
