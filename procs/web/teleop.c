/* teleop.c - steering by hand from a page: who may, who has hold of it, and on to the sequencer, which limits and stops it. */
#include <stdio.h>
#include <string.h>

#include "common/base/geom.h"
#include "procs/web/web.h"

#define HELD_NS (300 * CAIRN_NS_PER_MS) /* as in common/sequencer/teleop.c */

bool teleop_give(
    struct web *web, const struct web_conn *conn, double v_mps, double steer_rad, struct cairn_error *why)
{
	int64_t now_ns = cairn_now_ns();
	if (!cairn_rights_allow(conn->who.rights, CAIRN_RIGHT_DRIVE)) {
		cairn_error_set(why, "teleop: needs the right to drive; 'cairn web-key NAME --rights drive' "
				     "on the robot gives it");
		return false;
	}
	if (web->teleop_conn != conn->id && now_ns - web->teleop_ns < HELD_NS) {
		cairn_error_set(why, "teleop: somebody else steers by hand");
		return false;
	}
	struct cairn_msg_teleop m = {.v_mps = v_mps, .steer_rad = steer_rad};
	snprintf(m.who, sizeof(m.who), "key web/%.31s: %.20s", conn->who.name, conn->peer);
	web->teleop_conn = conn->id;
	web->teleop_ns = now_ns;
	(void)cairn_pub_send(web->teleop, &m, now_ns, true);
	return true;
}
