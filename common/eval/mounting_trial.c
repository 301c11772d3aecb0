#include "common/eval/mounting_trial.h"

#include <stdlib.h>
#include <string.h>

#include "common/sim/world/generate.h"

#define STREAM 61
#define ARC_1PM 1.0
#define STANDS_MPS 0.005
#define ASKEW_RAD 0.61

static const char *const names[] = {"right", "lidar-mirrored", "lidar-backward", "lidar-left", "lidar-right",
    "lidar-askew", "steering", "gyro", "gyro-axis", "drive", "encoders", "drive-and-encoders"};
_Static_assert(sizeof(names) / sizeof(names[0]) == CAIRN_MOUNTING_COUNT, "one name for each fault");

const char *cairn_mounting_fault_name(enum cairn_mounting_fault fault)
{
	return names[fault];
}

static double lidar_yaw_rad(enum cairn_mounting_fault fault)
{
	switch (fault) {
	case CAIRN_MOUNTING_LIDAR_BACKWARD:
		return M_PI;
	case CAIRN_MOUNTING_LIDAR_LEFT:
		return M_PI / 2;
	case CAIRN_MOUNTING_LIDAR_RIGHT:
		return -M_PI / 2;
	case CAIRN_MOUNTING_LIDAR_ASKEW:
		return ASKEW_RAD;
	default:
		return 0.0;
	}
}

void cairn_mounting_fault_set(struct cairn_config *cfg, enum cairn_mounting_fault fault)
{
	struct cairn_config_sim *s = &cfg->sim;
	s->mounting = CAIRN_CHOICE_MOUNTING_GIVEN;
	s->lidar_yaw_rad = cairn_wrap_rad(cfg->robot.lidar_yaw_rad + lidar_yaw_rad(fault));
	s->lidar_mirrored = cfg->robot.lidar_mirrored != (fault == CAIRN_MOUNTING_LIDAR_MIRRORED);
	bool both = fault == CAIRN_MOUNTING_DRIVE_AND_ENCODERS;
	s->drive_reversed = cfg->robot.drive_reversed != (both || fault == CAIRN_MOUNTING_DRIVE);
	s->encoder_reversed = cfg->robot.encoder_reversed != (both || fault == CAIRN_MOUNTING_ENCODERS);
	s->encoder_ticks_per_m = cfg->robot.encoder_ticks_per_m;
	s->steer_scale = cfg->robot.steer_scale * (fault == CAIRN_MOUNTING_STEERING ? -1.0 : 1.0);
	s->gyro_axis = fault == CAIRN_MOUNTING_GYRO        ? CAIRN_CHOICE_GYRO_AXIS_MINUS_Z
		       : fault == CAIRN_MOUNTING_GYRO_AXIS ? CAIRN_CHOICE_GYRO_AXIS_X
							   : cfg->robot.gyro_axis;
	s->camera_y_m = cfg->robot.camera_y_m;
	s->camera_z_m = cfg->robot.camera_z_m;
	s->camera_yaw_rad = cfg->robot.camera_yaw_rad;
	s->camera_pitch_rad = cfg->robot.camera_pitch_rad;
	s->camera_roll_rad = cfg->robot.camera_roll_rad;
}

static bool shows_in_turning(enum cairn_mounting_fault fault)
{
	return fault == CAIRN_MOUNTING_LIDAR_MIRRORED || fault == CAIRN_MOUNTING_STEERING ||
	       fault == CAIRN_MOUNTING_GYRO || fault == CAIRN_MOUNTING_GYRO_AXIS;
}

struct trial {
	enum cairn_mounting_fault fault;
	struct cairn_mounting_result *r;
	double driven_m; /* at the last step */
};

static bool observe(void *ctx, struct cairn_run *run)
{
	struct trial *t = ctx;
	const struct cairn_body *b = &cairn_run_truth(run)->body;
	struct cairn_motor *motor = cairn_run_motor(run);
	if (!shows_in_turning(t->fault) || fabs(b->w_radps) > ARC_1PM * fabs(b->v_mps))
		t->r->shown_m += b->distance_m - t->driven_m;
	t->driven_m = b->distance_m;
	t->r->contacts = b->contacts;
	t->r->driven_m = b->distance_m;
	t->r->heard = motor->scan_motion.votes.heard;
	if (cairn_motor_state(motor) != CAIRN_MOTOR_STATE_CONTRADICTION || fabs(b->v_mps) > STANDS_MPS)
		return true;
	struct cairn_msg_motion m;
	cairn_motor_message(motor, cairn_run_now_ns(run), &m);
	snprintf(t->r->reason, sizeof(t->r->reason), "%s", m.reason);
	t->r->stopped = true;
	return false;
}

static void drive(const struct cairn_config *cfg, const struct cairn_world *world, double seconds,
    struct trial *t, struct cairn_error *err)
{
	struct cairn_run_options o = {.cfg = cfg,
	    .world = world,
	    .map = CAIRN_RUN_MAP_MAPPER,
	    .duration_s = seconds,
	    .delay_s = 0.02,
	    .observe = observe,
	    .observe_ctx = t};
	struct cairn_run *run = cairn_run_new(&o, err);
	t->r->skipped = run == NULL;
	if (run == NULL)
		return;
	cairn_run_all(run);
	cairn_run_destroy(&run);
}

bool cairn_mounting_trial(const struct cairn_config *base, enum cairn_mounting_fault fault, uint64_t seed,
    double seconds, struct cairn_mounting_result *ret, struct cairn_error *err)
{
	struct cairn_rng rng;
	struct cairn_config *cfg = malloc(sizeof(*cfg));
	*ret = (struct cairn_mounting_result){0};
	if (cfg == NULL) {
		cairn_error_set(err, "out of memory");
		return false;
	}
	*cfg = *base;
	cairn_rng_seed(&rng, seed, STREAM);
	cfg->sim.seed = (int)(cairn_rng_u32(&rng) >> 2);
	cfg->pilot.seed = (int)(cairn_rng_u32(&rng) >> 2);
	cfg->sim.noise = true;
	cfg->sim.slip = 0.06 * cairn_rng_uniform(&rng);
	cfg->sim.lidar_noise_m = 0.005 + 0.015 * cairn_rng_uniform(&rng);
	cfg->sim.start = CAIRN_CHOICE_START_AUTO;
	cfg->map.extent_max_m = fmin(cfg->map.extent_max_m, 30.0);
	cairn_mounting_fault_set(cfg, fault);
	struct cairn_house_params house = {
	    .seed = seed, .people = cairn_rng_u32(&rng) % 3, .person_speed_mps = 1.0, .heedless_m = 1.0};
	struct cairn_world *world = cairn_house_generate(&house, err);
	struct trial t = {.fault = fault, .r = ret};
	if (world != NULL)
		drive(cfg, world, seconds, &t, err);
	bool ok = world != NULL;
	cairn_world_destroy(&world);
	free(cfg);
	return ok;
}
