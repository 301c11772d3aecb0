/* A camera 0.1 m to the left and turned left by 20 degrees, on the whole stack: what it shows is put where it stands, so the robot, driven
 * by hand at a box that only depth sees, stops before it. The simulator draws the pictures by its own keys and geometry. */
#include <fcntl.h>
#include <poll.h>
#include <jansson.h>
#include <pty.h>

#include "common/base/geom.h"

#include "procs/cli/cli.h"
#include "test/e2e/stack.h"

/* Of test/data/worlds/low_box.yaml. */
#define BOX_FRONT_M 3.0
#define BOX_LEFT_M 1.75
#define BOX_RIGHT_M 1.25
#define OFF_M 0.04
#define PRESS_S 0.2
#define PRESSES 25 /* so often the key is pressed in vain */

struct hand {
	int terminal, presses; /* while it stands */
	int64_t pressed_ns;
};

static void press(struct hand *h)
{
	char waste[4096];
	struct pollfd p = {.fd = h->terminal, .events = POLLIN};
	while (poll(&p, 1, 0) > 0 && read(h->terminal, waste, sizeof(waste)) > 0)
		;
	if ((double)(cli_now_ns() - h->pressed_ns) * 1e-9 < PRESS_S)
		return;
	ck_assert_int_eq(write(h->terminal, "w", 1), 1);
	h->pressed_ns = cli_now_ns();
	h->presses++;
}

/* It has driven and stands, however often the key is pressed; or it touches something. */
static bool is_stopped(const struct up_run *run, void *ctx)
{
	struct hand *h = ctx;
	press(h);
	if (!run->have_truth || !run->have_motion || run->truth.distance_m < 0.5 || run->motion.v_mps != 0.0)
		h->presses = 0;
	return h->presses > PRESSES || (run->have_truth && run->truth.contacts > 0);
}

static double number(const json_t *list, size_t i)
{
	return json_number_value(json_array_get(list, i));
}

/* All that the robot believes to be hit lies on the box as the simulator has it; how many columns. */
static int hits_on_box(struct drill *drill, const struct cairn_msg_sim_truth *truth)
{
	static char out[65536];
	struct cairn_pose2 robot = {truth->x_m, truth->y_m, truth->yaw_rad};
	int hits = 0;
	ck_assert_int_eq(stack_cairn(drill, "echo scan.depth -n 1", out, sizeof(out)), 0);
	json_t *json = json_loads(out, 0, NULL), *scan = json_object_get(json, "data");
	ck_assert_msg(scan != NULL, "%s", out);
	double x_m = json_number_value(json_object_get(scan, "x_m")),
	       y_m = json_number_value(json_object_get(scan, "y_m"));
	const json_t *angle_rad = json_object_get(scan, "angle_rad"),
		     *to_m = json_object_get(scan, "free_to_m"), *hit = json_object_get(scan, "hit");
	for (size_t i = 0; i < json_array_size(hit); i++) {
		double a = number(angle_rad, i), r = number(to_m, i);
		if (!json_is_true(json_array_get(hit, i)))
			continue;
		struct cairn_vec2 p =
		    cairn_pose_apply(robot, (struct cairn_vec2){x_m + r * cos(a), y_m + r * sin(a)});
		if (p.x_m < BOX_FRONT_M - 0.5 || p.y_m > BOX_LEFT_M + 0.5)
			continue; /* the walls */
		ck_assert_msg(fabs(p.x_m - BOX_FRONT_M) < OFF_M && p.y_m < BOX_LEFT_M + OFF_M &&
				  p.y_m > BOX_RIGHT_M - OFF_M,
		    "column %zu at (%.3f, %.3f)", i, p.x_m, p.y_m);
		hits++;
	}
	json_decref(json);
	return hits;
}

START_TEST(a_robot_whose_camera_is_mounted_askew_stops_for_what_depth_alone_sees)
{
	static const char *const args[] = {"--world", "test/data/worlds/low_box.yaml", "--set",
	    "mission.autostart=false", "--stay", "--set", "web.endpoint=127.0.0.1:0", "--set",
	    "robot.camera_y_m=0.1", "--set", "robot.camera_yaw_rad=0.349", "--set", "sim.mounting=given",
	    "--set", "sim.camera_y_m=0.1", "--set", "sim.camera_yaw_rad=0.349", NULL};
	struct drill *drill = stack_start(args);
	struct hand h = {0};
	stack_must(drill, stack_has_come_up, NULL, "a stage does not come up");
	pid_t pid = forkpty(&h.terminal, NULL, NULL, NULL);
	if (pid == 0) {
		execl(CAIRN_PROGRAM, CAIRN_PROGRAM, "teleop", "--run", fixture_run_dir(drill), (char *)NULL);
		_exit(127);
	}
	ck_assert_int_gt(pid, 0);
	stack_must(drill, is_stopped, &h, "it neither stops nor touches the box");
	const struct cairn_msg_sim_truth *truth = &fixture_run(drill)->truth;
	ck_assert_uint_eq(truth->contacts, 0);
	double gap_m = BOX_FRONT_M - truth->x_m - 0.27; /* robot.footprint_front_m */
	ck_assert_msg(gap_m > 0.0 && gap_m < 0.4, "it stands %.2f m before the box", gap_m);
	ck_assert_int_ge(hits_on_box(drill, truth), 10);
	close(h.terminal);
	stack_interrupt(drill, 0);
	fixture_destroy(&drill, false);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT(
    "camera-askew", 240.0, a_robot_whose_camera_is_mounted_askew_stops_for_what_depth_alone_sees)
