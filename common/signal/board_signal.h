/* board_signal.h - beeper and light bar of the ROSMASTER board, beside the wheel commands on the same line.
 *
 * It gives at most one frame of 9 bytes each 100 ms, so that wheel commands have the line: the motor stage sends it behind one of
 * them. Beeps end by themselves at the board; a lamp is told its colour again each second, since whoever stops the base by its
 * reset puts lamps out. What another process says to be shown can only choose a row of the table, counts for 2 s, and never hides
 * what is graver by the motor stage's own state. Pure. */
#ifndef CAIRN_COMMON_SIGNAL_BOARD_SIGNAL_H
#define CAIRN_COMMON_SIGNAL_BOARD_SIGNAL_H

#include "common/device/rosmaster.h"
#include "common/signal/signal.h"
#include "ipc/ports.h"

/* Caller-owned; zeroed, then _init. */
struct cairn_board_signal {
	bool beeps; /* robot.signal_beeps */
	struct cairn_signals own;
	enum cairn_signal told; /* by the stage signals */
	int64_t told_ns;        /* stamp; 0: never */
	enum cairn_signal shown;
	int64_t since_ns, next_ns, lit_ns; /* shown since; no frame before; colour last sent, 0: not yet */
	bool effect_ended;
	uint32_t rgb, beeped;
};

extern const struct cairn_in cairn_board_signal_in[]; /* core: struct cairn_board_signal */

void cairn_board_signal_init(struct cairn_board_signal *b, const struct cairn_config_robot *robot);
/* The board came into service: it may have been without power. */
void cairn_board_signal_restart(struct cairn_board_signal *b);
/* The frame to send now; its bytes, 0: none. To be called every 20 ms. */
size_t cairn_board_signal_next(
    struct cairn_board_signal *b, int64_t now_ns, uint8_t out[CAIRN_ROSMASTER_FRAME_MAX]);

#endif
