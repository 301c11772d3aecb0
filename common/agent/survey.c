#include "common/agent/survey.h"

#include <math.h>

#define LISTED 8
#define LOOKS_MAX 200
#define FAILED_MAX 8  /* in a row: the robot cannot drive, whatever the reason */
#define THERE_M 0.2   /* of a place to look from: turning is enough */
#define TURNING_M 1.0 /* what turning on the spot counts as: metres driven */
#define PICTURES 2    /* at each place: a thing is believed when two have shown it */
#define LOOK_MAX_S 5.0
#define AGAIN_NS (2 * CAIRN_NS_PER_S) /* after one that failed: what holds the robot may pass */

void cairn_survey_begin(struct cairn_survey *s, struct cairn_coverage *coverage, double camera_yaw_rad)
{
	*s = (struct cairn_survey){.coverage = coverage, .camera_yaw_rad = camera_yaw_rad};
	cairn_coverage_retry(coverage);
}

void cairn_survey_on_picture(struct cairn_survey *s, int64_t t_ns)
{
	if (s->state == CAIRN_SURVEY_LOOKS && t_ns >= s->t_stands_ns)
		s->pictures++;
}

static void tried(struct cairn_survey *s, bool seen)
{
	cairn_coverage_tried(s->coverage, &s->to, seen);
	s->looks += seen;
	s->failed += !seen;
	s->failed_in_row = seen ? 0 : s->failed_in_row + 1;
	s->state = CAIRN_SURVEY_CHOOSES;
}

void cairn_survey_ended(struct cairn_survey *s, enum cairn_survey_end end, int64_t now_ns)
{
	bool drove = s->state == CAIRN_SURVEY_DRIVES;
	if (!drove && s->state != CAIRN_SURVEY_TURNS)
		return;
	if (end == CAIRN_SURVEY_HELD) {
		s->state = CAIRN_SURVEY_CHOOSES;
	} else if (end == CAIRN_SURVEY_FAILED) {
		tried(s, false);
		s->t_again_ns = now_ns + AGAIN_NS;
	} else {
		s->state = drove ? CAIRN_SURVEY_ARRIVED : CAIRN_SURVEY_LOOKS;
		s->t_stands_ns = now_ns;
		s->pictures = 0;
	}
}

/* The view that shows most for the way to it. False: there is none. */
static bool choose(struct cairn_survey *s, struct cairn_pose2 robot)
{
	struct cairn_unseen list[LISTED];
	uint32_t n = cairn_coverage_unseen(s->coverage, robot, list, LISTED, &s->closed);
	double best = 0.0;
	for (uint32_t i = 0; i < n; i++) {
		double score = list[i].area_m2 / (TURNING_M + list[i].distance_m);
		if (score > best) {
			best = score;
			s->to = list[i];
		}
	}
	return best > 0.0;
}

static struct cairn_survey_step turn(struct cairn_survey *s)
{
	struct cairn_pose2 to = s->to.stand;
	to.yaw_rad = cairn_wrap_rad(to.yaw_rad - s->camera_yaw_rad);
	s->state = CAIRN_SURVEY_TURNS;
	return (struct cairn_survey_step){CAIRN_SURVEY_TURN, to};
}

static struct cairn_survey_step begin_view(struct cairn_survey *s, struct cairn_pose2 robot)
{
	s->gave_up = s->failed_in_row >= FAILED_MAX;
	if (s->gave_up || s->looks + s->failed >= LOOKS_MAX || !choose(s, robot)) {
		s->state = CAIRN_SURVEY_ENDED;
		return (struct cairn_survey_step){.act = CAIRN_SURVEY_OVER};
	}
	if (hypot(s->to.stand.x_m - robot.x_m, s->to.stand.y_m - robot.y_m) <= THERE_M)
		return turn(s);
	s->state = CAIRN_SURVEY_DRIVES;
	return (struct cairn_survey_step){CAIRN_SURVEY_GO, s->to.stand};
}

/* A look without any picture has shown nothing. */
static bool has_looked(struct cairn_survey *s, int64_t now_ns)
{
	bool over = s->pictures >= PICTURES || (double)(now_ns - s->t_stands_ns) * 1e-9 >= LOOK_MAX_S;
	if (over)
		tried(s, s->pictures > 0);
	return over;
}

struct cairn_survey_step cairn_survey_next(struct cairn_survey *s, struct cairn_pose2 robot, int64_t now_ns)
{
	if (s->state == CAIRN_SURVEY_ENDED)
		return (struct cairn_survey_step){.act = CAIRN_SURVEY_OVER};
	if (s->state == CAIRN_SURVEY_ARRIVED)
		return turn(s);
	if (s->state == CAIRN_SURVEY_CHOOSES && now_ns < s->t_again_ns)
		return (struct cairn_survey_step){.act = CAIRN_SURVEY_WAIT};
	if (s->state == CAIRN_SURVEY_CHOOSES || (s->state == CAIRN_SURVEY_LOOKS && has_looked(s, now_ns)))
		return begin_view(s, robot);
	return (struct cairn_survey_step){.act = CAIRN_SURVEY_WAIT};
}
