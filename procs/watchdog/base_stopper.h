/* base_stopper.h - stops the base while the motor stage, its owner, is silent: the second opener of its device. */
#ifndef CAIRN_PROCS_WATCHDOG_BASE_STOPPER_H
#define CAIRN_PROCS_WATCHDOG_BASE_STOPPER_H

#include "procs/shell/stage.h"

struct base_stopper {
	enum cairn_choice_base_model model;
	char device[600];
	int fd; /* -1: closed */
	bool failed;
};

void base_stopper_init(struct base_stopper *b, const struct cairn_config_robot *robot, const char *run_dir);
/* Writes a stop frame. A device that is gone or stuck is opened anew with the next call. */
void base_stopper_stop(struct base_stopper *b);
/* The owner is back. */
void base_stopper_close(struct base_stopper *b);

#endif
