/* scan_ambiguity.c - along which axis does a scan not say where it was taken, and over how much of it?
 *
 * Between two smooth walls every place along them fits alike. The equations of the refinement do not tell that: walls are
 * drawn with noise and, far away, with gaps, so that there always seems to be something to hold on to. The score itself tells
 * it: the scan is shifted to and fro along the axis that it fixes least, and what scores as well as the match is as good a
 * place. What is known along that axis is taken from how far that goes (compare Olson 2009, "Real-time correlative scan
 * matching", where the whole covariance is taken from the scores; for what to do where nothing is known, Zhang et al. 2016,
 * "On degeneracy of optimization-based state estimation problems"). */
#include "common/slam/scan_matcher_private.h"

#include <string.h>

#define WEAK_SHARE 0.2 /* an axis is looked at when the scan fixes it by less than this share of the other */
#define REACH_M 1.0    /* shifted so far each way: in a larger stretch something is seen that differs */
#define AS_GOOD 0.96   /* of the score; walls alone vary by 2 % */

struct shifts {
	const struct cairn_grid *grid;
	const struct cairn_likelihood_field *field;
	const struct cairn_match_points *points;
	double x[CAIRN_MATCH_POINTS], y[CAIRN_MATCH_POINTS]; /* array cells, at the match */
	double ux, uy;                                       /* the axis */
};

/* Mean of the field over the returns that come to lie where something is known: what lies beyond the drawn piece of a wall
 * is no evidence of where the wall ends. */
static double score_at(const struct shifts *s, double cells)
{
	const struct cairn_grid *g = s->grid;
	uint32_t sum = 0, known = 0;
	for (size_t i = 0; i < s->points->count; i++) {
		double x = s->x[i] + s->ux * cells, y = s->y[i] + s->uy * cells;
		if (!(x >= 0.0 && y >= 0.0 && x < g->width && y < g->height))
			continue;
		size_t at = (size_t)y * (size_t)g->width + (size_t)x;
		uint8_t value = s->field->level[0][at];
		if (g->odds[at] == CAIRN_ODDS_UNKNOWN && value < CAIRN_LIKELIHOOD_FIELD_NEAR)
			continue;
		sum += value;
		known++;
	}
	return known > 0 ? sum / (255.0 * known) : 0.0;
}

static void place_points(struct shifts *s, struct cairn_pose2 pose)
{
	double inv = 1.0 / s->grid->cell_m, c = cos(pose.yaw_rad) * inv, sn = sin(pose.yaw_rad) * inv;
	for (size_t i = 0; i < s->points->count; i++) {
		double px = (double)s->points->x_m[i], py = (double)s->points->y_m[i];
		s->x[i] = pose.x_m * inv - s->grid->cx0 + c * px - sn * py;
		s->y[i] = pose.y_m * inv - s->grid->cy0 + sn * px + c * py;
	}
}

/* How far one way (in cells) places are as good; most: all of them. *ret_least: the least score on that way. */
static int as_good(const struct shifts *s, double enough, int way, int most, double *ret_least)
{
	int good = 0;
	bool still = true;
	*ret_least = INFINITY;
	for (int cells = 1; cells <= most; cells++) {
		double score = score_at(s, way * cells);
		still = still && score >= enough;
		good += still;
		*ret_least = fmin(*ret_least, score);
	}
	return good;
}

/* Scales what is known along the axis to at most `most`: the matrix stays positive. */
static void limit_info(double info[3][3], double ux, double uy, double have, double most)
{
	if (!(have > most))
		return;
	double k = sqrt(most / have) - 1.0;
	const double p[3][3] = {
	    {1.0 + k * ux * ux, k * ux * uy, 0.0}, {k * ux * uy, 1.0 + k * uy * uy, 0.0}, {0.0, 0.0, 1.0}};
	double half[3][3];
	for (int r = 0; r < 3; r++)
		for (int c = 0; c < 3; c++)
			half[r][c] = p[r][0] * info[0][c] + p[r][1] * info[1][c] + p[r][2] * info[2][c];
	for (int r = 0; r < 3; r++)
		for (int c = 0; c < 3; c++)
			info[r][c] = half[r][0] * p[0][c] + half[r][1] * p[1][c] + half[r][2] * p[2][c];
}

void cairn_match_weigh(const struct cairn_grid *grid, const struct cairn_likelihood_field *field,
    const struct cairn_match_points *points, const struct cairn_match_request *request,
    struct cairn_match *ret)
{
	double a = ret->info[0][0], b = ret->info[0][1], c = ret->info[1][1];
	double mid = 0.5 * (a + c), spread = hypot(0.5 * (a - c), b), weak = mid - spread;
	ret->along_share = weak / fmax(mid + spread, 1e-9);
	if (!(ret->along_share < WEAK_SHARE))
		return;
	double strong_rad = 0.5 * atan2(2.0 * b, a - c);
	struct shifts s = {
	    .grid = grid, .field = field, .points = points, .ux = -sin(strong_rad), .uy = cos(strong_rad)};
	place_points(&s, ret->pose);
	int most = (int)ceil(REACH_M / grid->cell_m);
	double here = score_at(&s, 0.0), least[2];
	double enough = AS_GOOD * fmax(here, fmax(score_at(&s, 1.0), score_at(&s, -1.0)));
	int ahead = as_good(&s, enough, 1, most, &least[0]),
	    behind = as_good(&s, enough, -1, most, &least[1]);
	ret->weak_axis = true;
	ret->along_drop = here > 0.0 ? 1.0 - fmax(least[0], least[1]) / here : 0.0;
	ret->axis_rad = strong_rad + M_PI_2;
	ret->blind = ahead == most || behind == most || ret->along_drop < CAIRN_MATCH_DROP_MIN;
	if (ret->blind)
		limit_info(ret->info, s.ux, s.uy, weak, 0.0);
	if (ahead == most || behind == most) { /* the prediction decides, as far as it is as good */
		double off = (request->predicted.x_m - ret->pose.x_m) * s.ux +
			     (request->predicted.y_m - ret->pose.y_m) * s.uy;
		off = cairn_clamp(off, -behind * grid->cell_m, ahead * grid->cell_m);
		ret->pose.x_m += off * s.ux;
		ret->pose.y_m += off * s.uy;
	} else if (!ret->blind && ahead + behind > 0) {
		double hi = ahead * grid->cell_m,
		       lo = behind * grid->cell_m; /* alike anywhere between them */
		double var = (hi * hi * hi + lo * lo * lo) / (3.0 * (hi + lo));
		limit_info(ret->info, s.ux, s.uy, weak, 1.0 / var);
	}
	cairn_match_conclude(request, ret);
}
