/* motor_stage.h - the stage's own state, shared by the files that make it up: board.c has the board's descriptor, board_reports.c what the board
 * tells, gate.c what the core decides, its saved stop and its commands, crash_stop.c the stop of a process that crashes. */
#ifndef CAIRN_PROCS_MOTOR_MOTOR_STAGE_H
#define CAIRN_PROCS_MOTOR_MOTOR_STAGE_H

#include "common/base/retry.h"
#include "common/device/base_axes.h"
#include "common/device/base_link.h"
#include "common/device/battery.h"
#include "common/device/wheel_odom.h"
#include "common/safety/estop_latch.h"
#include "common/safety/motor_ports.h"
#include "common/signal/board_signal.h"
#include "procs/shell/stage.h"

struct motor_stage {
	CAIRN_STAGE_STATE;
	int fd; /* -1 = closed */
	struct cairn_base_link link;
	struct cairn_base_axes axes;
	struct cairn_wheel_odom odom;
	struct cairn_msg_imu imu;
	struct cairn_battery battery;
	bool battery_low;              /* has been warned of */
	int64_t report_ns;             /* stamp of the board's newest report */
	enum cairn_motor_state state;  /* last published */
	struct cairn_estop_latch kept; /* as last saved, or as was last tried */
	struct cairn_retry saving;
	bool was_in_service;
	int64_t scan_ns; /* stamp of the newest scan that a frame has answered */
	double reaction_ms;
	uint64_t writes_failed;
	struct cairn_board_signal signal;
	struct cairn_motor core;
};

/* ---- board.c ---- */
/* Opens it where it is wanted, leaves it where it is silent, asks it for what it is to report. */
void board_tend(struct motor_stage *app, int64_t now_ns);
void board_write(struct motor_stage *app, const uint8_t *frame, size_t bytes);
/* Light and sound, where the wheels' frame has found room. */
void board_show_signal(struct motor_stage *app, int64_t now_ns);
/* Whatever ends the loop: the wheels stand. */
void board_stop(void *ctx);

/* ---- board_reports.c ---- */
void board_reports_init(struct motor_stage *app);
void board_reported(struct motor_stage *app, const struct cairn_base_report *r, int64_t now_ns);
/* The battery, from what was reported of it. */
void board_tend_battery(struct motor_stage *app, int64_t now_ns);

/* ---- gate.c ---- */
/* The core, with the stop that an earlier process has left. */
void gate_open(struct motor_stage *app);
/* A loop callback: a step of the core, and what it decides onto the wheels. */
int gate_decide(void *ctx);
/* Commands of motor.ctl. */
void gate_command(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply);

/* ---- crash_stop.c ---- */
void crash_stop_arm(enum cairn_choice_base_model model);
/* The board's descriptor; -1: closed. */
void crash_stop_through(int fd);

#endif
