/* robot-sim - the simulated robot and its house, behind the real devices' serial protocols and the camera
 * helper's socket.
 *
 * The stages cannot tell it from a robot: LiDAR and motor board are ptys, the camera is a socket. Its truth
 * goes to sim.truth, for people and tests alone. It may be killed at any time: all that a run is lives in
 * RUN/state/sim.bin, and the reborn process goes on from there, standing still, its devices as after
 * power-on. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/device/guard_lines.h"
#include "common/sim/robot/checkpoint.h"
#include "common/sim/render/render.h"
#include "common/sim/robot/stop_timer.h"
#include "common/sim/skills/skills.h"
#include "procs/robot-sim/base.h"
#include "procs/robot-sim/lidar.h"
#include "procs/robot-sim/pair.h"
#include "procs/robot-sim/sight.h"

#define TICK_MS 10
#define GUARD_MS 50
#define TRUTH_MS 200
#define LAG_MAX_NS (200 * CAIRN_NS_PER_MS)  /* after a longer pause the world has stood still, too */
#define ROLL_OUT_NS (800 * CAIRN_NS_PER_MS) /* from full speed the wheels stand within half of it */
#define FAREWELL_MS 10                      /* closing at once would drop the last message */

struct robot_sim {
	CAIRN_STAGE_STATE;
	struct cairn_world *world;
	struct cairn_sim *sim;
	struct cairn_renderer *renderer;
	struct cairn_sim_arm arm;
	struct cairn_pub *skills_pub, *done_pub; /* NULL: the robot has no arm */
	struct camera_server *camera;
	struct picture_pair pair;
	struct sight_server *sight; /* NULL: things are found by somebody else, or not at all */
	struct sim_lidar lidar;
	struct sim_base base;
	struct cairn_stop_timer stops;
	struct cairn_pub *truth_pub, *guard_pub;
	struct cairn_gpio_lines guards; /* of robot.guard_lines */
	bool touched_behind;
	void *memory;
	size_t memory_bytes;
	int64_t next_step_ns;
	uint32_t contacts_told, pictures;
};

/* ---- devices ---- */

static int on_lidar_bytes(void *ctx)
{
	struct robot_sim *r = ctx;
	sim_lidar_hear(&r->lidar);
	return 0;
}

static int on_board_bytes(void *ctx)
{
	struct robot_sim *r = ctx;
	sim_base_hear(&r->base);
	return 0;
}

/* ---- the arm ---- */

static void tell_done(struct robot_sim *r, const struct cairn_msg_skill_result *done)
{
	cairn_log_info("arm: %s %s: %s: %s", cairn_enum_text(&cairn_enum_skill_verb, (int)done->verb),
	    done->target, cairn_enum_text(&cairn_enum_outcome, (int)done->outcome), done->reason);
	(void)cairn_pub_send(r->done_pub, done, cairn_now_ns(), true);
}

static int on_offer(void *ctx)
{
	struct robot_sim *r = ctx;
	struct cairn_msg_skills skills;
	(void)cairn_sim_arm_offer(&r->arm, &skills);
	(void)cairn_pub_send(r->skills_pub, &skills, cairn_now_ns(), true);
	return 0;
}

static bool take_order(void *core, const void *order, const struct cairn_header *hdr, int64_t now_ns)
{
	struct robot_sim *r = core;
	struct cairn_msg_skill_result done;
	(void)hdr, (void)now_ns;
	if (cairn_sim_arm_take(&r->arm, order, &done))
		tell_done(r, &done);
	return true;
}

static const struct cairn_in order_in[] = {
    {CAIRN_TOPIC_SKILL_REQUEST, CAIRN_ACCEPT_PLAUSIBLE, take_order},
    {.take = NULL},
};

/* ---- the world's time ---- */

static void step(struct robot_sim *r)
{
	struct cairn_drive drive = sim_base_drive(&r->base);
	const struct cairn_lidar_point *points = cairn_sim_step(r->sim, drive, sim_lidar_scans(&r->lidar));
	const struct cairn_sim_state *s = cairn_sim_state(r->sim);
	cairn_stop_timer_step(&r->stops, drive.v_mps, s->body.wheel_mps, r->next_step_ns);
	struct cairn_msg_skill_result done;
	if (r->done_pub != NULL && cairn_sim_arm_step(&r->arm, CAIRN_SIM_STEP_S, &done))
		tell_done(r, &done);
	sim_lidar_report(&r->lidar, points);
	sim_base_report(&r->base);
}

static void tell_contacts(struct robot_sim *r)
{
	struct cairn_msg_sim_truth t;
	if (cairn_sim_state(r->sim)->body.contacts == r->contacts_told)
		return;
	cairn_sim_truth_message(r->sim, &t);
	r->contacts_told = t.contacts;
	cairn_log_warn(
	    "contact %u: the robot touches '%s' at (%.2f, %.2f)", t.contacts, t.last_contact, t.x_m, t.y_m);
}

static int on_tick(void *ctx)
{
	struct robot_sim *r = ctx;
	int64_t now_ns = cairn_now_ns();
	if (now_ns - r->next_step_ns > LAG_MAX_NS)
		r->next_step_ns = now_ns;
	bool stepped = false;
	for (; r->next_step_ns <= now_ns; r->next_step_ns += CAIRN_SIM_STEP_NS, stepped = true)
		step(r);
	if (stepped) {
		cairn_checkpoint_save(r->memory, cairn_sim_state(r->sim));
		tell_contacts(r);
	}
	return 0;
}

/* The bumper of sim.bumper, all round, or those of robot.guard_lines: a touch while the robot drives backward is felt behind. */
static int on_guard(void *ctx)
{
	struct robot_sim *r = ctx;
	const struct cairn_body *body = &cairn_sim_state(r->sim)->body;
	if (!body->touching && body->v_mps != 0.0)
		r->touched_behind = body->v_mps < 0.0;
	double floor_m = cairn_sim_cliff(r->sim) ? INFINITY : 0.0;
	bool sided = r->guards.count > 0, behind = sided && r->touched_behind;
	struct cairn_msg_guard m = {
	    .bumper = body->touching && !behind &&
		      (!sided || cairn_guard_lines_have(&r->guards, CAIRN_GUARD_BUMPER)),
	    .bumper_rear =
		body->touching && behind && cairn_guard_lines_have(&r->guards, CAIRN_GUARD_BUMPER_REAR),
	    .floor_m = cairn_guard_lines_have(&r->guards, CAIRN_GUARD_CLIFF) ? floor_m : -1.0};
	(void)cairn_pub_send(r->guard_pub, &m, cairn_now_ns(), true);
	return 0;
}

static int on_truth(void *ctx)
{
	struct robot_sim *r = ctx;
	struct cairn_msg_sim_truth t;
	char note[96];
	cairn_sim_truth_message(r->sim, &t);
	t.braked_ns = r->stops.braked_ns;
	t.stood_ns = r->stops.stood_ns;
	(void)cairn_pub_send(r->truth_pub, &t, cairn_now_ns(), true);
	snprintf(note, sizeof(note), "%.40s, %u contacts", r->world->name, t.contacts);
	cairn_stage_note(r->stage, note);
	return 0;
}

/* A sensor has grain: without it a robot that stands would send the same picture again and again, and a camera that
 * does is taken for broken. A pixel in each row, another one with each picture, is a grey level and a millimetre off. */
static void add_grain(struct robot_sim *r, uint8_t *rgb, uint16_t *depth_mm)
{
	uint32_t width = (uint32_t)r->cfg->camera.width_px, height = (uint32_t)r->cfg->camera.height_px;
	r->pictures++;
	for (uint32_t row = 0; row < height; row++) {
		size_t at = (size_t)row * width + (row * 31u + r->pictures) % width;
		rgb[3 * at] ^= 1u;
		if (depth_mm[at] != 0)
			depth_mm[at] ^= 1u;
	}
}

static int on_picture(void *ctx)
{
	struct robot_sim *r = ctx;
	uint8_t *rgb;
	struct cairn_disc discs[CAIRN_WORLD_PEOPLE_MAX];
	struct cairn_figure figures[CAIRN_WORLD_PEOPLE_MAX];
	if (!picture_pair_begin(&r->pair, &rgb))
		return 0;
	size_t n = cairn_sim_people(r->sim, discs);
	for (size_t i = 0; i < n; i++)
		figures[i] = (struct cairn_figure){discs[i], r->world->people[i].paint};
	int64_t t_ns = cairn_now_ns();
	cairn_renderer_draw(
	    r->renderer, cairn_sim_state(r->sim)->body.pose, figures, n, rgb, r->pair.depth_mm);
	add_grain(r, rgb, r->pair.depth_mm);
	picture_pair_send(&r->pair, t_ns);
	return 0;
}

/* ---- beginning and end ---- */

/* Maps RUN/state/sim.bin at the size needed; NULL with err set. */
static void *map_memory(const char *run_dir, size_t bytes, bool *ret_right_size, struct cairn_error *err)
{
	char path[PATH_MAX];
	struct stat st;
	if (!device_port_path(path, sizeof(path), run_dir, "state/sim.bin", err))
		return NULL;
	int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	void *memory = MAP_FAILED;
	if (fd >= 0 && fstat(fd, &st) == 0) {
		*ret_right_size = st.st_size == (off_t)bytes;
		/* Allocated now: a full disk is an error here, not a fault in the middle of the run. */
		int r = *ret_right_size ? 0 : ftruncate(fd, (off_t)bytes);
		errno = r == 0 ? posix_fallocate(fd, 0, (off_t)bytes) : errno;
		if (errno == 0)
			memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	}
	if (memory == MAP_FAILED)
		cairn_error_set(err, "%s: %s", path, strerror(errno));
	if (fd >= 0)
		(void)close(fd);
	return memory == MAP_FAILED ? NULL : memory;
}

static bool recall(struct robot_sim *r, struct cairn_error *err)
{
	struct cairn_truth *truth = cairn_sim_truth(r->sim);
	size_t bitmap_bytes = cairn_truth_bitmap_bytes(truth);
	uint64_t key = cairn_checkpoint_key(r->sim, r->world, r->cfg);
	struct cairn_sim_state state;
	bool right_size = false;
	r->memory_bytes = cairn_checkpoint_bytes(bitmap_bytes);
	r->memory = map_memory(cairn_stage_run_dir(r->stage), r->memory_bytes, &right_size, err);
	if (r->memory == NULL)
		return false;
	if (right_size && cairn_checkpoint_load(r->memory, r->memory_bytes, key, bitmap_bytes, &state)) {
		cairn_sim_restore(r->sim, &state);
		cairn_truth_use_bitmap(truth, cairn_checkpoint_bitmap(r->memory));
		r->contacts_told = state.body.contacts;
		cairn_log_info("going on at (%.2f, %.2f) after %.1f m and %u contacts", state.body.pose.x_m,
		    state.body.pose.y_m, state.body.distance_m, state.body.contacts);
		return true;
	}
	cairn_checkpoint_clear(r->memory, key, bitmap_bytes);
	cairn_truth_use_bitmap(truth, cairn_checkpoint_bitmap(r->memory));
	const struct cairn_pose2 *start = &cairn_sim_state(r->sim)->start;
	cairn_log_info("world '%s': %u walls and things, %.1f m2 within reach, start (%.2f, %.2f) %.0f deg",
	    r->world->name, r->world->solid_count, cairn_truth_reachable_m2(truth), start->x_m, start->y_m,
	    cairn_rad_to_deg(start->yaw_rad));
	return true;
}

static bool open_devices(struct robot_sim *r, struct cairn_error *err)
{
	const struct cairn_config_robot *robot = &r->cfg->robot;
	const char *run_dir = cairn_stage_run_dir(r->stage);
	struct cairn_camera lens = cairn_camera_of(r->cfg, r->cfg->camera.width_px, r->cfg->camera.height_px);
	r->renderer = cairn_renderer_new(r->world, &lens);
	if (r->renderer == NULL) {
		cairn_error_set(err, "out of memory");
		return false;
	}
	cairn_renderer_props(r->renderer, &cairn_sim_state(r->sim)->props);
	r->camera = camera_server_new(r->stage, robot->camera_socket, err);
	if (r->camera != NULL &&
	    !picture_pair_init(&r->pair, r->camera, (uint32_t)lens.width_px, (uint32_t)lens.height_px)) {
		cairn_error_set(err, "out of memory");
		return false;
	}
	if (r->camera != NULL && r->cfg->detect.source == CAIRN_CHOICE_DETECT_SOURCE_SIMULATED) {
		r->sight = sight_server_new(r->stage, r->cfg->detect.socket, r->sim, r->world, err);
		if (r->sight == NULL)
			return false;
	}
	return r->camera != NULL && device_port_open(&r->lidar.port, run_dir, robot->lidar_device, err) &&
	       device_port_open(&r->base.port, run_dir, robot->base_device, err);
}

/* Told to end, the robot is still there: it rolls until the stages have stopped it, and whatever it touches
 * then counts. (When the launcher dies everybody is told to end at once.) */
static void roll_out(void *ctx)
{
	struct robot_sim *r = ctx;
	int64_t end_ns = cairn_now_ns() + ROLL_OUT_NS;
	while (r->stops.moving && cairn_now_ns() < end_ns) {
		struct pollfd p = {.fd = r->base.port.master, .events = POLLIN};
		if (poll(&p, 1, TICK_MS) > 0 && (p.revents & POLLIN) != 0)
			(void)on_board_bytes(r);
		(void)on_tick(r);
	}
	(void)on_truth(r);
	(void)poll(NULL, 0, FAREWELL_MS);
}

static void start(struct robot_sim *r)
{
	sim_lidar_init(&r->lidar, r->cfg->robot.lidar_model);
	sim_base_init(&r->base, r->cfg, r->sim);
	r->next_step_ns = cairn_now_ns();
	cairn_stage_watch_fd(r->stage, r->lidar.port.master, POLLIN, on_lidar_bytes, r);
	cairn_stage_watch_fd(r->stage, r->base.port.master, POLLIN, on_board_bytes, r);
	cairn_stage_every(r->stage, TICK_MS, on_tick, r);
	cairn_stage_every(r->stage, TRUTH_MS, on_truth, r);
	if (r->guard_pub != NULL)
		cairn_stage_every(r->stage, GUARD_MS, on_guard, r);
	if (r->done_pub != NULL)
		cairn_stage_every(r->stage, TRUTH_MS, on_offer, r);
	cairn_stage_every(r->stage, (int)lround(1000.0 / r->cfg->camera.rate_hz), on_picture, r);
}

static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct robot_sim *r = ctx;
	r->world = cairn_world_load(r->cfg->sim.world, err);
	if (r->world != NULL)
		r->sim = cairn_sim_new(r->cfg, r->world, err);
	if (r->sim == NULL) {
		cairn_stage_misconfigured(stage);
		return false;
	}
	r->truth_pub = cairn_stage_publish(stage, CAIRN_TOPIC_SIM_TRUTH);
	(void)cairn_guard_lines_parse(&r->guards, r->cfg->robot.guard_lines, err); /* checked by the rules */
	if (r->cfg->sim.bumper || r->guards.count > 0)
		r->guard_pub = cairn_stage_publish(stage, CAIRN_TOPIC_GUARD);
	cairn_sim_arm_init(&r->arm, r->cfg, r->world, r->sim);
	if (r->cfg->robot.arm_reach_m > 0.0) {
		r->done_pub = cairn_stage_publish(stage, CAIRN_TOPIC_SKILL_DONE);
		r->skills_pub = cairn_stage_publish(stage, CAIRN_TOPIC_SKILLS);
		cairn_stage_inputs(stage, order_in, r, on_offer, r);
	}
	if (!recall(r, err) || !open_devices(r, err))
		return false;
	start(r);
	return true;
}

static void close_all(void *ctx)
{
	struct robot_sim *r = ctx;
	if (r->lidar.port.master > 0 && r->base.port.master > 0)
		cairn_log_info(
		    "%llu frames missed by slow readers; bytes nobody read: LiDAR %llu, board %llu",
		    r->camera != NULL ? (unsigned long long)camera_server_missed(r->camera) : 0ULL,
		    (unsigned long long)r->lidar.port.dropped, (unsigned long long)r->base.port.dropped);
	if (r->lidar.port.master > 0)
		device_port_close(&r->lidar.port);
	if (r->base.port.master > 0)
		device_port_close(&r->base.port);
	camera_server_destroy(&r->camera);
	picture_pair_free(&r->pair);
	sight_server_destroy(&r->sight);
	cairn_renderer_destroy(&r->renderer);
	cairn_sim_destroy(&r->sim);
	if (r->memory != NULL)
		(void)munmap(r->memory, r->memory_bytes);
	cairn_world_destroy(&r->world);
}

CAIRN_STAGE_MAIN("cairn-robot-sim", "the simulated robot and house, behind the real devices' protocols",
    struct robot_sim, .open = open_all, .ended = roll_out, .close = close_all)
