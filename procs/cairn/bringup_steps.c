#include "procs/cairn/bringup_steps.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/geom.h"
#include "procs/cairn/commands.h"
#include "procs/cairn/up.h"

#define PROBE_MS 6000
#define DRIVE_MPS 0.1
#define DRIVE_MS 1500
#define ARC_MS 4000
#define ARC_SHARE 0.5 /* of the tightest turn */
#define ROOM_M 0.35   /* nearest return around the LiDAR, before and while it drives: it stands within 2 cm */
#define STANDS_COUNTS 20.0
#define SETTLE_MS 500
#define STILL_M 0.01 /* between two revolutions, at the most */
#define STILL_RAD 0.01
#define STILL_REVOLUTIONS 2
#define STILL_MS 3000 /* it is not waited for longer */
#define FIRST_MS 3000 /* nor for this; a LiDAR that is silent is told of behind the motion */

enum answer { GO, LEAVE_OUT, END };

__attribute__((format(printf, 1, 2))) static void say(const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	fflush(stdout);
}

/* A line of the person, while the devices are listened to. */
static enum answer wait_for(struct bringup *b)
{
	char c = 0, first = 0;
	while (!cli_interrupted()) {
		if (!bringup_devices_run(&b->dev, 1000, STDIN_FILENO))
			continue;
		if (read(STDIN_FILENO, &c, 1) != 1)
			return END;
		if (c == '\n')
			return first == 'q' ? END : first == 's' ? LEAVE_OUT : GO;
		if (first == 0)
			first = c;
	}
	return END;
}

static enum answer ask(struct bringup *b, const char *text)
{
	say("%s\n  Enter: go on   s: leave out   q: end > ", text);
	enum answer a = wait_for(b);
	say("\n");
	return a;
}

/* ---- steps; each false to end ---- */

bool bringup_find_ports(struct bringup *b)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		for (int ms = 0; ms < PROBE_MS && !cli_interrupted(); ms += 100) {
			(void)bringup_devices_run(&b->dev, 100, -1);
			if (bringup_base_answers(&b->dev) && bringup_lidar_answers(&b->dev))
				break;
		}
		bool base = bringup_base_answers(&b->dev), lidar = bringup_lidar_answers(&b->dev);
		if (base && lidar) {
			say("Ports: base %s, LiDAR %s%s.\n", b->dev.base_device, b->dev.lidar_device,
			    swapped ? " (they were the other way round)" : "");
			if (b->dev.battery_v > 0.0)
				say("Battery: %.1f V. Compare with a multimeter.\n", b->dev.battery_v);
			return true;
		}
		if (swapped || base || lidar)
			break;
		bringup_devices_close(&b->dev);
		bringup_devices_init(&b->dev, &b->cfg, b->cli->run_dir);
		b->dev.base_device = b->cfg.robot.lidar_device;
		b->dev.lidar_device = b->cfg.robot.base_device;
	}
	bool base = bringup_base_answers(&b->dev), lidar = bringup_lidar_answers(&b->dev);
	bool some = base || lidar; /* else both ways round are wrong, and they are told as they were given */
	say("No answer: base %s: %s; LiDAR %s: %s. Check cables and power, and the names of the devices.\n",
	    some ? b->dev.base_device : b->cfg.robot.base_device, base ? "answers" : "silent",
	    some ? b->dev.lidar_device : b->cfg.robot.lidar_device, lidar ? "answers" : "silent");
	return false;
}

bool bringup_battery(struct bringup *b)
{
	struct cairn_error err = {""};
	for (;;) {
		enum answer a = ask(b, "BATTERY. Charge it fully and take it off the charger. A lithium-ion "
				       "pack; leave this out for "
				       "any other.");
		if (a != GO)
			return a == LEAVE_OUT;
		b->cells = cairn_battery_pack_found(b->dev.battery_v, b->battery_curve, &err);
		if (b->cells > 0)
			break;
		say("Not yet: %s.\n", err.text);
	}
	say("%d cells, full at %.1f V. If a multimeter says otherwise by more than 0.2 V, end here: the "
	    "board's figure is wrong.\n",
	    b->cells, b->dev.battery_v);
	return true;
}

/* The counts are of now, and the newest revolution may have begun while it was still moving: what is compared is measured standing. */
static void await_still(struct bringup *b)
{
	struct cairn_pose2 before = cairn_mount_pose(&b->dev.motion);
	uint64_t seen = b->dev.revolutions;
	int still = 0;
	for (int ms = 0; ms < STILL_MS && still < STILL_REVOLUTIONS && !cli_interrupted(); ms += 20) {
		(void)bringup_devices_run(&b->dev, 20, -1);
		if (b->dev.revolutions == seen)
			continue;
		struct cairn_pose2 now = cairn_mount_pose(&b->dev.motion);
		bool same = hypot(now.x_m - before.x_m, now.y_m - before.y_m) < STILL_M &&
			    fabs(cairn_wrap_rad(now.yaw_rad - before.yaw_rad)) < STILL_RAD;
		still = same ? still + 1 : 0;
		before = now;
		seen = b->dev.revolutions;
	}
}

/* The first revolution is what the motion is measured from: a person who began before it would be counted, and not seen. */
static void await_revolution(struct bringup *b)
{
	for (int ms = 0; ms < FIRST_MS && !b->dev.motion.some && !cli_interrupted(); ms += 20)
		(void)bringup_devices_run(&b->dev, 20, -1);
}

/* A motion by hand: from one Enter to the next, and until it stands. */
static enum answer by_hand(struct bringup *b, const char *before, const char *after)
{
	enum answer a = ask(b, before);
	if (a != GO)
		return a;
	cairn_mount_begin(&b->dev.motion);
	b->dev.body = (struct cairn_own_body){0};
	await_revolution(b);
	a = ask(b, after);
	if (a == GO)
		await_still(b);
	return a;
}

bool bringup_turn(struct bringup *b)
{
	struct cairn_error err = {""};
	b->dev.own_count = 0;
	for (;;) {
		enum answer a = by_hand(b,
		    "TURN. Put the robot on the floor, where walls or furniture are near on several sides.",
		    "Now turn it slowly by hand to the LEFT, a quarter circle or more, level, and let go.");
		if (a != GO)
			return a == LEAVE_OUT;
		b->have_turn = cairn_mount_turn_found(&b->dev.motion, &b->turn, &err);
		if (b->have_turn)
			break;
		say("Not yet: %s.\n", err.text);
	}
	say("Turned by %.0f degrees. LiDAR %s, gyro axis %s, gyro by LiDAR %.3f +- %.3f.\n",
	    cairn_rad_to_deg(b->turn.turned_rad), b->turn.lidar_mirrored ? "upside down" : "upright",
	    cairn_choice_gyro_axis_words[b->turn.gyro_axis], b->turn.gyro_scale, b->turn.sd_scale);
	b->dev.own_count = cairn_own_body_found(&b->dev.body, b->turn.turned_rad, b->dev.own);
	for (int i = 0; i < b->dev.own_count; i++)
		say("The LiDAR sees something that turns with the robot, %.2f m away over %d degrees.\n",
		    b->dev.own[i].nearest_m, b->dev.own[i].to_deg - b->dev.own[i].from_deg + 1);
	return true;
}

bool bringup_push(struct bringup *b)
{
	struct cairn_error err = {""};
	for (;;) {
		enum answer a = by_hand(b, "PUSH. Wheels straight, a metre free ahead.",
		    "Now push the robot by hand straight AHEAD, half a metre or more, wheels rolling.");
		if (a != GO)
			return a == LEAVE_OUT;
		b->have_push = cairn_mount_push_found(&b->dev.motion, &b->turn, &b->push, &err);
		if (b->have_push)
			break;
		say("Not yet: %s.\n", err.text);
	}
	say("Pushed by %.2f m. LiDAR yaw %.3f +- %.3f rad, encoders %s, %.0f +- %.0f counts per metre.\n",
	    b->push.pushed_m, b->push.lidar_yaw_rad, b->push.sd_yaw_rad,
	    b->push.encoder_reversed ? "reversed" : "forward", b->push.ticks_per_m, b->push.sd_ticks_per_m);
	return true;
}

static void stand(struct bringup *b)
{
	b->dev.told = (struct cairn_twist){0};
	(void)bringup_devices_run(&b->dev, SETTLE_MS, -1);
}

bool bringup_wheels(struct bringup *b)
{
	struct cairn_error err = {""};
	for (;;) {
		enum answer a = ask(b,
		    "WHEELS. Lift the wheels off the floor. They will turn slowly for a second and a half.");
		if (a != GO)
			return a == LEAVE_OUT;
		cairn_mount_begin(&b->dev.motion);
		(void)bringup_devices_run(&b->dev, 200, -1);
		b->dev.told = (struct cairn_twist){DRIVE_MPS, 0.0};
		(void)bringup_devices_run(&b->dev, DRIVE_MS, -1);
		stand(b);
		b->have_drive = cairn_mount_drive_found(&b->dev.motion, &b->push, &b->drive_reversed, &err);
		if (b->have_drive)
			break;
		say("Not yet: %s.\n", err.text);
	}
	say("Told to drive forward the wheels turned %s.\n", b->drive_reversed ? "BACKWARD" : "forward");
	return true;
}

/* Counts in the next ms. */
static double counts_in(struct bringup *b, int ms)
{
	double before = b->dev.motion.counts;
	(void)bringup_devices_run(&b->dev, ms, -1);
	return fabs(b->dev.motion.counts - before);
}

/* The sender is a process of its own that is killed, as a motor stage that crashes. */
bool bringup_dead_man(struct bringup *b)
{
	enum answer a =
	    ask(b, "DEAD MAN. Wheels still off the floor. The program that drives them will be killed.");
	if (a != GO)
		return a == LEAVE_OUT;
	b->dev.silent = true;
	pid_t sender = fork();
	if (sender == 0) {
		b->dev.told = (struct cairn_twist){DRIVE_MPS, 0.0};
		for (;;) {
			bringup_send_told(&b->dev);
			usleep(20000);
		}
	}
	if (sender < 0) {
		b->dev.silent = false;
		say("No process could be made.\n");
		return false;
	}
	cairn_mount_begin(&b->dev.motion);
	(void)bringup_devices_run(&b->dev, SETTLE_MS, -1);
	bool ran = counts_in(b, SETTLE_MS) > STANDS_COUNTS;
	kill(sender, SIGKILL);
	(void)waitpid(sender, NULL, 0);
	(void)bringup_devices_run(&b->dev, SETTLE_MS, -1);
	bool alone = counts_in(b, SETTLE_MS) <= STANDS_COUNTS;
	bringup_send_stop(&b->dev); /* as launcher and watchdog do */
	(void)bringup_devices_run(&b->dev, SETTLE_MS, -1);
	bool stopped = counts_in(b, SETTLE_MS) <= STANDS_COUNTS;
	b->dev.silent = false;
	stand(b);
	b->dead_man = !ran      ? NULL
		      : alone   ? "the base stops by itself"
		      : stopped ? "the stop frame stops it"
				: NULL;
	if (b->dead_man != NULL) {
		say("The sender was killed, and %s.\n", b->dead_man);
		return true;
	}
	say(ran ? "THE WHEELS STILL TURN. Do not drive this robot: nothing stops it when a program dies.\n"
		: "The wheels did not turn: have the motors power?\n");
	return false;
}

/* Drives for ms as long as there is room; false when it had to stop. */
static bool drive_with_room(struct bringup *b, struct cairn_twist told, int ms)
{
	bool room = b->dev.ahead_m > ROOM_M;
	b->dev.told = room ? told : (struct cairn_twist){0};
	for (int t = 0; t < ms && room && !cli_interrupted(); t += 100) {
		bool key = bringup_devices_run(&b->dev, 100, STDIN_FILENO);
		room = !key && b->dev.ahead_m > ROOM_M && bringup_lidar_answers(&b->dev);
	}
	stand(b);
	return room;
}

bool bringup_steer(struct bringup *b)
{
	struct cairn_error err = {""};
	double told_1pm = ARC_SHARE / b->cfg.robot.turn_radius_min_m;
	double v = b->drive_reversed ? -DRIVE_MPS : DRIVE_MPS;
	for (;;) {
		enum answer a = ask(b, "STEER. On the floor, a metre free all round. It will drive 0.4 m to "
				       "the left at 0.1 m/s. "
				       "Enter stops it.");
		if (a != GO)
			return a == LEAVE_OUT;
		(void)bringup_devices_run(&b->dev, SETTLE_MS, -1);
		cairn_mount_begin(&b->dev.motion);
		(void)bringup_devices_run(&b->dev, 200, -1);
		if (!drive_with_room(b, (struct cairn_twist){v, v * told_1pm}, ARC_MS)) {
			say("Stopped: something is nearer than %.2f m to the LiDAR (%.2f m), or you said "
			    "so.\n",
			    ROOM_M, b->dev.ahead_m);
			continue;
		}
		b->have_steer =
		    cairn_mount_steer_found(&b->dev.motion, &b->turn, &b->push, told_1pm, &b->steer, &err);
		if (b->have_steer)
			break;
		say("Not yet: %s.\n", err.text);
	}
	say("Steering: %.2f +- %.2f of what it is told%s.\n", b->steer.scale, fabs(b->steer.sd_scale),
	    b->steer.scale < 0.0 ? ", to the other side" : "");
	return true;
}

/* ---- the file ---- */

static void write_mounting(FILE *out, const struct bringup *b, unsigned keys)
{
	if (b->have_turn && (keys & BRINGUP_TURN) != 0)
		fprintf(out,
		    "  lidar_mirrored: %s\n  gyro_axis: \"%s\"             # gyro by LiDAR %.3f +- %.3f\n",
		    b->turn.lidar_mirrored ? "true" : "false",
		    cairn_choice_gyro_axis_words[b->turn.gyro_axis], b->turn.gyro_scale, b->turn.sd_scale);
	if (b->have_push && (keys & BRINGUP_YAW) != 0)
		fprintf(out, "  lidar_yaw_rad: %.4f         # +- %.4f\n", b->push.lidar_yaw_rad,
		    b->push.sd_yaw_rad);
	if (b->have_push && (keys & BRINGUP_ENCODERS) != 0)
		fprintf(out,
		    "  encoder_reversed: %s\n"
		    "  encoder_ticks_per_m: %.0f   # +- %.0f\n",
		    b->push.encoder_reversed ? "true" : "false", b->push.ticks_per_m, b->push.sd_ticks_per_m);
}

/* Of a place in the LiDAR's frame: inside of the footprint its returns are left out, outside the robot would stop for itself. */
static void write_own(FILE *out, const struct bringup *b)
{
	const struct cairn_config_robot *r = &b->cfg.robot;
	struct cairn_pose2 lidar = {r->lidar_x_m, r->lidar_y_m, b->push.lidar_yaw_rad};
	for (int i = 0; b->have_turn && b->have_push && i < b->dev.own_count; i++) {
		const struct cairn_own_arc *a = &b->dev.own[i];
		bool inside = true;
		double side = b->turn.lidar_mirrored ? -1.0 : 1.0,
		       middle_deg = 0.5 * (a->from_deg + a->to_deg);
		for (int deg = a->from_deg; deg <= a->to_deg; deg++) {
			double at_rad = side * cairn_deg_to_rad(deg);
			struct cairn_vec2 p = cairn_pose_apply(lidar,
			    (struct cairn_vec2){a->farthest_m * cos(at_rad), a->farthest_m * sin(at_rad)});
			inside = inside && p.x_m < r->footprint_front_m && p.x_m > -r->footprint_rear_m &&
				 fabs(p.y_m) < r->footprint_half_width_m;
		}
		fprintf(out,
		    "# The LiDAR sees the robot itself %.0f degrees to the left, %d wide, %.2f m away: %s.\n",
		    cairn_rad_to_deg(cairn_wrap_rad(lidar.yaw_rad + side * cairn_deg_to_rad(middle_deg))),
		    a->to_deg - a->from_deg + 1, a->farthest_m,
		    inside ? "inside of the footprint, so it is left out, and what is behind is not seen"
			   : "OUTSIDE of robot.footprint_*, so the robot would stop for it: correct these, "
			     "or move it");
	}
}

static void write_keys(FILE *out, const struct bringup *b, unsigned keys, const char *by)
{
	fprintf(out,
	    "# Found by %s. Lay it over the rest with --config, or copy it into the robot's "
	    "file.\n"
	    "robot:\n",
	    by);
	if ((keys & BRINGUP_DEVICES) != 0)
		fprintf(out, "  drive: serial\n  base_device: \"%s\"\n  lidar_device: \"%s\"\n",
		    b->dev.base_device, b->dev.lidar_device);
	write_mounting(out, b, keys);
	if (b->have_drive && (keys & BRINGUP_DRIVE) != 0)
		fprintf(out, "  drive_reversed: %s\n", b->drive_reversed ? "true" : "false");
	if (b->have_steer && (keys & BRINGUP_STEER) != 0)
		fprintf(out, "  steer_scale: %.3f           # +- %.3f\n", b->steer.scale,
		    fabs(b->steer.sd_scale));
	if ((keys & BRINGUP_YAW) != 0)
		write_own(out, b);
	if (b->cells > 0 && (keys & BRINGUP_BATTERY) != 0)
		fprintf(out, "  battery_curve: \"%s\"  # %d cells; +- 10 %% in the middle\n",
		    b->battery_curve, b->cells);
	if (b->dead_man != NULL)
		fprintf(out, "# dead man: %s\n", b->dead_man);
}

bool bringup_save(
    const struct bringup *b, unsigned keys, const char *by, const char *path, struct cairn_error *err)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	if (out == NULL) {
		cairn_error_set(err, "out of memory");
		return false;
	}
	write_keys(out, b, keys, by);
	bool ok = fclose(out) == 0 && cairn_file_replace(path, 0, 0644, text, bytes, err);
	free(text);
	return ok;
}

int bringup_begin(struct bringup *b, const struct cli *cli)
{
	struct cairn_error err = {""};
	char share[1024];
	b->cli = cli;
	struct up_options options = {.layers = cli_layers(cli), .real = true};
	if (cli_bus_bound(cli->run_dir, "motor.ctl"))
		return cli_fail(cli, CLI_FAILED, "a stack holds the devices: 'cairn down' first");
	if (!up_config(&b->cfg, &options, share, sizeof(share), &err))
		return cli_fail(cli, CLI_USAGE, "%s", err.text);
	cli_catch_signals();
	bringup_devices_init(&b->dev, &b->cfg, cli->run_dir);
	return CLI_OK;
}
