/* board_reports.c - what the board tells, on its way to the topics and to the core. */
#include <string.h>

#include "procs/motor/motor_stage.h"

void board_reports_init(struct motor_stage *app)
{
	const struct cairn_config *cfg = app->cfg;
	struct cairn_error err = {""};
	app->axes = cairn_base_axes_from(cfg);
	(void)cairn_battery_curve_parse(
	    &app->battery.curve, cfg->robot.battery_curve, &err); /* checked by the rules */
	cairn_base_link_init(&app->link, &cfg->robot, cairn_now_ns());
	cairn_wheel_odom_init(&app->odom,
	    &(struct cairn_wheel_odom_params){
		.ticks_per_m = cairn_base_axes_ticks_per_m(&app->axes, cfg->robot.encoder_ticks_per_m),
		.encoder_mask = cfg->robot.encoder_mask,
		.speed_max_mps = cfg->robot.speed_max_mps});
}

static void publish_odom(struct motor_stage *app, int64_t now_ns)
{
	struct cairn_msg_odom m;
	cairn_wheel_odom_message(&app->odom, &m);
	cairn_outbox_put(app->outbox, CAIRN_TOPIC_ODOM, &m, true, now_ns);
	cairn_motor_measured(&app->core, (struct cairn_twist){m.v_mps, m.w_radps}, now_ns);
}

static void publish_imu(struct motor_stage *app, const struct cairn_base_report *r, int64_t now_ns)
{
	app->imu.gyro_radps_count = app->imu.accel_mps2_count = 3;
	memcpy(app->imu.gyro_radps, r->imu.gyro_radps, sizeof(r->imu.gyro_radps));
	memcpy(app->imu.accel_mps2, r->imu.accel_mps2, sizeof(r->imu.accel_mps2));
	cairn_outbox_put(app->outbox, CAIRN_TOPIC_IMU, &app->imu, true, now_ns);
}

static void on_speed(struct motor_stage *app, const struct cairn_base_report *r, int64_t now_ns)
{
	if (r->speed.battery_v >= 0.0)
		cairn_battery_measured(&app->battery, r->speed.battery_v, now_ns);
	cairn_wheel_odom_speed(&app->odom, cairn_base_axes_speed_mps(&app->axes, r->speed.v_mps),
	    cairn_base_axes_steer_rad(&app->axes, r->speed.steer_rad), now_ns);
}

static void on_encoders(struct motor_stage *app, const struct cairn_base_report *r, int64_t now_ns)
{
	/* Told with its identity, which comes before it is in service. */
	app->odom.params.wheel_separation_m =
	    app->link.without_gyro ? app->cfg->robot.wheel_separation_m : 0.0;
	if (r->encoders.with_speed)
		cairn_wheel_odom_speed(
		    &app->odom, cairn_base_axes_speed_mps(&app->axes, r->encoders.v_mps), 0.0, now_ns);
	if (cairn_wheel_odom_encoders(&app->odom, r->encoders.count, now_ns))
		publish_odom(app, now_ns);
}

void board_reported(struct motor_stage *app, const struct cairn_base_report *r, int64_t now_ns)
{
	switch (r->kind) {
	case CAIRN_BASE_SPEED:
		on_speed(app, r, now_ns);
		break;
	case CAIRN_BASE_IMU:
		cairn_wheel_odom_gyro(&app->odom, cairn_base_axes_up(&app->axes, r->imu.gyro_radps), now_ns);
		cairn_motor_accelerated(&app->core, r->imu.accel_mps2, now_ns);
		publish_imu(app, r, now_ns);
		break;
	case CAIRN_BASE_ATTITUDE:
		app->imu.roll_rad = r->attitude.roll_rad;
		app->imu.pitch_rad = r->attitude.pitch_rad;
		app->imu.yaw_rad = r->attitude.yaw_rad;
		break;
	case CAIRN_BASE_BATTERY:
		cairn_battery_measured(&app->battery, r->battery_v, now_ns);
		break;
	case CAIRN_BASE_ENCODERS:
		on_encoders(app, r, now_ns);
		break;
	case CAIRN_BASE_IDENTITY:
		cairn_log_write(r->identity.warns ? CAIRN_LOG_WARN : CAIRN_LOG_INFO, __FILE__, __LINE__,
		    "motor board: %s", r->identity.text);
		break;
	case CAIRN_BASE_OTHER:
		break;
	}
}

void board_tend_battery(struct motor_stage *app, int64_t now_ns)
{
	if (app->battery.mean_v <= 0.0 || !app->was_in_service)
		return;
	struct cairn_msg_battery m = {
	    .voltage_v = app->battery.mean_v, .percent = cairn_battery_charge(&app->battery)};
	cairn_motor_charge(&app->core, m.percent);
	cairn_signals_battery(&app->signal.own, &m);
	cairn_outbox_put(app->outbox, CAIRN_TOPIC_BATTERY, &m, false, now_ns);
	double warn = app->cfg->robot.battery_warn_percent;
	bool low = m.percent >= 0.0 && m.percent < warn;
	if (low && !app->battery_low)
		cairn_log_warn("battery low: %.1f V, %.0f %%; charge the robot", m.voltage_v, m.percent);
	/* It comes and goes at the limit: warned of once until it has been charged. */
	app->battery_low = low || (app->battery_low && m.percent < warn + CAIRN_MOTOR_CHARGED_PERCENT);
}
