#include "common/slam/scan_matcher_private.h"

#include "common/base/symmetric3.h"

#include <string.h>

#define STEPS_MAX 8
#define PAIR_MAX_CELLS 2.0  /* a return farther than this from any mapped one does not count, */
#define PAIR_REACH 2        /* and so no cell farther from its own */
#define RETURN_SIGMA_M 0.02 /* of one return against the mapped surface, mapping errors included */
#define HUBER 1.5           /* in sigmas: beyond, a return pulls with constant force */
#define INDEPENDENT 0.15    /* neighbouring returns share their errors: this share counts as independent */
/* Wheels that slip and a heading that drifts are wrong alike from scan to scan, so that their words are no
 * independent ones: each counts only so much against what the scan says. */
#define TRAVEL_SHARE 0.5
#define HEADING_SHARE 0.1
#define NORMAL_REACH 2    /* cells around a pair that give the surface its direction */
#define OTHER_SIDE (-0.7) /* cosine between the ways two sides of one wall face, at most */

struct normal_equations {
	double h[3][3], g[3];
	int pairs;
};

struct surface {
	double x_m, y_m; /* mean return */
	double nx, ny;   /* unit normal; 0 0 if the surface has no direction */
};

static inline void cell_mean(
    const struct cairn_grid *grid, int32_t x, int32_t y, size_t index, double *mx, double *my)
{
	*mx = x + 0.5 + grid->sub_x[index] * (1.0 / 254.0);
	*my = y + 0.5 + grid->sub_y[index] * (1.0 / 254.0);
}

/* May a cell be of a surface that faces this way? A wall is thin: its far side is no part of its near side.
 */
static inline bool same_side(const struct cairn_grid *grid, size_t index, double face_x, double face_y)
{
	return grid->face_x[index] * face_x + grid->face_y[index] * face_y >= OTHER_SIDE * 127.0;
}

#define SIDE (2 * NORMAL_REACH + 1)
#define DETERMINANT_MIN 1e-12 /* of the normal equations */
#define NORMALS 512           /* kept; a power of two */
_Static_assert(PAIR_REACH == NORMAL_REACH, "both look at the same square of cells");

/* The normals of this refining: from step to step, and for neighbours, they are mostly of the same cells. */
struct normals {
	struct normal {
		size_t middle;  /* cell */
		uint32_t cells; /* of the square around it; 0: none is kept */
		double nx, ny;
	} kept[NORMALS];
};

/* The occupied cells of the five around array cell (cx, y) in its row: of the first the highest bit of the
 * lowest byte, and so on. Most are not, and so many are found out about at once. Three cells more are read.
 */
static inline uint64_t occupied_in_row(const struct cairn_grid *grid, int32_t cx, int32_t y)
{
	const uint64_t each = UINT64_C(0x0101010101010101), five = UINT64_C(0x8080808080);
	uint64_t odds;
	memcpy(
	    &odds, grid->odds + (size_t)y * (size_t)grid->width + (size_t)(cx - NORMAL_REACH), sizeof(odds));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	odds = __builtin_bswap64(odds);
#endif
	return ((odds & each * 0x7f) + each * (0x80 - CAIRN_ODDS_OCCUPIED)) & ~odds & five;
}
_Static_assert(CAIRN_ODDS_OCCUPIED > 0 && NORMAL_REACH == 2, "as they are told from others");

/* Of the lowest of these. */
static inline int column_of(uint64_t cells)
{
	return __builtin_ctzll(cells) / 8;
}

/* The cells around array cell (cx, cy) that may be of a surface which faces this way, row by row. */
static uint32_t surface_cells(
    const struct cairn_grid *grid, int32_t cx, int32_t cy, double face_x, double face_y)
{
	uint32_t cells = 0;
	for (int row = 0; row < SIDE; row++) {
		int32_t y = cy + row - NORMAL_REACH;
		size_t first = (size_t)y * (size_t)grid->width + (size_t)(cx - NORMAL_REACH);
		for (uint64_t left = occupied_in_row(grid, cx, y); left != 0; left &= left - 1) {
			int k = column_of(left);
			cells |= (uint32_t)same_side(grid, first + (size_t)k, face_x, face_y)
				 << (row * SIDE + k);
		}
	}
	return cells;
}

/* Direction of the wall by the principal axis of the mean returns in these cells around (cx, cy). Cell units.
 */
static void find_normal(
    const struct cairn_grid *grid, int32_t cx, int32_t cy, uint32_t cells, struct normal *ret)
{
	double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0, syy = 0.0;
	for (uint32_t left = cells; left != 0; left &= left - 1) {
		int k = __builtin_ctz(left);
		int32_t x = cx + k % SIDE - NORMAL_REACH, y = cy + k / SIDE - NORMAL_REACH;
		double mx, my;
		cell_mean(grid, x, y, (size_t)y * (size_t)grid->width + (size_t)x, &mx, &my);
		mx -= cx;
		my -= cy;
		n += 1.0;
		sx += mx;
		sy += my;
		sxx += mx * mx;
		sxy += mx * my;
		syy += my * my;
	}
	ret->nx = ret->ny = 0.0;
	if (n < 3.0)
		return;
	double a = sxx / n - sx * sx / (n * n), b = sxy / n - sx * sy / (n * n),
	       c = syy / n - sy * sy / (n * n);
	double mid = 0.5 * (a + c), spread = hypot(0.5 * (a - c), b);
	if (mid - spread > 0.25 * (mid + spread)) /* as thick as long: a corner, a leg, clutter */
		return;
	double along = 0.5 * atan2(2.0 * b, a - c);
	ret->nx = -sin(along);
	ret->ny = cos(along);
}

static const struct normal *normal_at(struct normals *normals, const struct cairn_grid *grid, int32_t cx,
    int32_t cy, double face_x, double face_y)
{
	size_t middle = (size_t)cy * (size_t)grid->width + (size_t)cx;
	uint32_t cells = surface_cells(grid, cx, cy, face_x, face_y);
	struct normal *kept = &normals->kept[((uint32_t)middle * UINT32_C(2654435761)) >> 23];
	if (kept->cells != cells || kept->middle != middle) { /* the cell itself is always one of them */
		kept->middle = middle;
		kept->cells = cells;
		find_normal(grid, cx, cy, cells, kept);
	}
	return kept;
}
_Static_assert(NORMALS == 1 << (32 - 23), "as the place of one is reckoned");

/* The mapped surface nearest to a point (array cell units). */
static bool find_surface(struct normals *normals, const struct cairn_grid *grid, double px, double py,
    double face_x, double face_y, struct surface *ret)
{
	int32_t cx = (int32_t)floor(px), cy = (int32_t)floor(py);
	int32_t room = PAIR_REACH + NORMAL_REACH + 1;
	if (cx < room || cy < room || cx >= grid->width - room || cy >= grid->height - room)
		return false;
	double best = PAIR_MAX_CELLS * PAIR_MAX_CELLS;
	int32_t best_x = -1, best_y = -1;
	for (int32_t y = cy - PAIR_REACH; y <= cy + PAIR_REACH; y++) {
		size_t row = (size_t)y * (size_t)grid->width;
		for (uint64_t left = occupied_in_row(grid, cx, y); left != 0; left &= left - 1) {
			int32_t x = cx + column_of(left) - PAIR_REACH;
			if (!same_side(grid, row + (size_t)x, face_x, face_y))
				continue;
			double mx, my;
			cell_mean(grid, x, y, row + (size_t)x, &mx, &my);
			double d2 = (mx - px) * (mx - px) + (my - py) * (my - py);
			if (d2 < best) {
				best = d2;
				best_x = x;
				best_y = y;
				ret->x_m = mx;
				ret->y_m = my;
			}
		}
	}
	if (best_x < 0)
		return false;
	const struct normal *normal = normal_at(normals, grid, best_x, best_y, face_x, face_y);
	ret->nx = normal->nx;
	ret->ny = normal->ny;
	return true;
}

/* One residual e with derivatives j by x, y and yaw. */
static void add_residual(struct normal_equations *eq, double e, const double j[3], double weight)
{
	double in_sigmas = fabs(e) / RETURN_SIGMA_M;
	double w = weight / (RETURN_SIGMA_M * RETURN_SIGMA_M) * (in_sigmas > HUBER ? HUBER / in_sigmas : 1.0);
	for (int r = 0; r < 3; r++) {
		eq->g[r] += w * j[r] * e;
		for (int c = 0; c < 3; c++)
			eq->h[r][c] += w * j[r] * j[c];
	}
}

static void add_pairs(struct normal_equations *eq, struct normals *normals, const struct cairn_grid *grid,
    const struct cairn_match_points *points, struct cairn_pose2 pose)
{
	double inv = 1.0 / grid->cell_m, c = cos(pose.yaw_rad), s = sin(pose.yaw_rad);
	for (size_t i = 0; i < points->count; i++) {
		double rx = c * (double)points->x_m[i] - s * (double)points->y_m[i];
		double ry = s * (double)points->x_m[i] + c * (double)points->y_m[i];
		double px = (pose.x_m + rx) * inv - grid->cx0, py = (pose.y_m + ry) * inv - grid->cy0;
		double face_x = c * (double)points->face_x[i] - s * (double)points->face_y[i];
		double face_y = s * (double)points->face_x[i] + c * (double)points->face_y[i];
		struct surface wall = {0};
		if (!find_surface(normals, grid, px, py, face_x, face_y, &wall))
			continue;
		double ex = (px - wall.x_m) * grid->cell_m, ey = (py - wall.y_m) * grid->cell_m;
		eq->pairs++;
		if (wall.nx != 0.0 || wall.ny != 0.0) {
			const double j[3] = {wall.nx, wall.ny, -ry * wall.nx + rx * wall.ny};
			add_residual(eq, ex * wall.nx + ey * wall.ny, j, INDEPENDENT);
		} else {
			const double jx[3] = {1.0, 0.0, -ry}, jy[3] = {0.0, 1.0, rx};
			add_residual(eq, ex, jx, 0.25 * INDEPENDENT);
			add_residual(eq, ey, jy, 0.25 * INDEPENDENT);
		}
	}
}

/* What the prediction adds to what the scan says. */
static void add_prior_info(const struct cairn_match_request *request, double h[3][3])
{
	double xy = TRAVEL_SHARE / (request->prior_xy_m * request->prior_xy_m);
	h[0][0] += xy;
	h[1][1] += xy;
	h[2][2] += HEADING_SHARE / (request->prior_yaw_rad * request->prior_yaw_rad);
}

static void add_prior(
    struct normal_equations *eq, const struct cairn_match_request *request, struct cairn_pose2 pose)
{
	double xy = TRAVEL_SHARE / (request->prior_xy_m * request->prior_xy_m);
	double yaw = HEADING_SHARE / (request->prior_yaw_rad * request->prior_yaw_rad);
	eq->g[0] += xy * (pose.x_m - request->predicted.x_m);
	eq->g[1] += xy * (pose.y_m - request->predicted.y_m);
	eq->g[2] += yaw * cairn_wrap_rad(pose.yaw_rad - request->predicted.yaw_rad);
	add_prior_info(request, eq->h);
}

bool cairn_match_conclude(const struct cairn_match_request *request, struct cairn_match *ret)
{
	double h[3][3], cov[3][3];
	memcpy(h, ret->info, sizeof(h));
	add_prior_info(request, h);
	if (!(cairn_symmetric3_invert((const double(*)[3])h, cov) > DETERMINANT_MIN))
		return false;
	memcpy(ret->cov, cov, sizeof(cov));
	double mid = 0.5 * (cov[0][0] + cov[1][1]);
	ret->sigma_xy_m = sqrt(mid + hypot(0.5 * (cov[0][0] - cov[1][1]), cov[0][1]));
	ret->sigma_yaw_rad = sqrt(cov[2][2]);
	return true;
}

bool cairn_match_refine(const struct cairn_grid *grid, const struct cairn_match_points *points,
    const struct cairn_match_request *request, struct cairn_pose2 start, struct cairn_match *ret)
{
	struct cairn_pose2 pose = start;
	double cov[3][3];
	struct normals normals;
	for (int i = 0; i < NORMALS; i++)
		normals.kept[i].cells = 0;
	for (int step = 0; step < STEPS_MAX; step++) {
		struct normal_equations eq = {0};
		add_pairs(&eq, &normals, grid, points, pose);
		if (eq.pairs < 10)
			return false;
		memcpy(ret->info, eq.h, sizeof(ret->info));
		add_prior(&eq, request, pose);
		if (!(cairn_symmetric3_invert((const double(*)[3])eq.h, cov) > DETERMINANT_MIN))
			return false;
		double d[3];
		for (int r = 0; r < 3; r++)
			d[r] = -(cov[r][0] * eq.g[0] + cov[r][1] * eq.g[1] + cov[r][2] * eq.g[2]);
		pose.x_m += d[0];
		pose.y_m += d[1];
		pose.yaw_rad = cairn_wrap_rad(pose.yaw_rad + d[2]);
		if (hypot(d[0], d[1]) < 2e-4 && fabs(d[2]) < 2e-4)
			break;
	}
	if (!isfinite(pose.x_m) || !isfinite(pose.y_m) || !isfinite(pose.yaw_rad))
		return false;
	ret->pose = pose;
	return cairn_match_conclude(request, ret);
}

/* Is there a surface within a cell of array cell (x, y) that faces this way? */
static bool surface_near(const struct cairn_grid *grid, int32_t x, int32_t y, double face_x, double face_y)
{
	int32_t x1 = x + 1 < grid->width ? x + 1 : x, y1 = y + 1 < grid->height ? y + 1 : y;
	for (int32_t cy = y > 0 ? y - 1 : 0; cy <= y1; cy++) {
		for (int32_t cx = x > 0 ? x - 1 : 0; cx <= x1; cx++) {
			size_t index = (size_t)cy * (size_t)grid->width + (size_t)cx;
			if (cairn_odds_occupied(grid->odds[index]) && same_side(grid, index, face_x, face_y))
				return true;
		}
	}
	return false;
}

void cairn_match_judge(const struct cairn_grid *grid, const struct cairn_likelihood_field *field,
    const struct cairn_match_points *points, struct cairn_match *ret)
{
	double inv = 1.0 / grid->cell_m, cosine = cos(ret->pose.yaw_rad), sine = sin(ret->pose.yaw_rad);
	double c = cosine * inv, s = sine * inv;
	double tx = ret->pose.x_m * inv - grid->cx0, ty = ret->pose.y_m * inv - grid->cy0;
	uint32_t fits = 0, against = 0, sum = 0;
	for (size_t i = 0; i < points->count; i++) {
		double x = tx + c * (double)points->x_m[i] - s * (double)points->y_m[i];
		double y = ty + s * (double)points->x_m[i] + c * (double)points->y_m[i];
		if (!(x >= 0.0 && y >= 0.0 && x < grid->width && y < grid->height))
			continue;
		size_t index = (size_t)y * (size_t)grid->width + (size_t)x;
		double face_x = cosine * (double)points->face_x[i] - sine * (double)points->face_y[i];
		double face_y = sine * (double)points->face_x[i] + cosine * (double)points->face_y[i];
		uint8_t value = field->level[0][index];
		sum += value;
		if (value >= CAIRN_LIKELIHOOD_FIELD_NEAR &&
		    surface_near(grid, (int32_t)x, (int32_t)y, face_x, face_y))
			fits++;
		else if (grid->odds[index] != CAIRN_ODDS_UNKNOWN)
			against++;
	}
	ret->score = sum / (255.0 * (double)points->count);
	ret->quality = fits + against > 0 ? (double)fits / (fits + against) : 0.0;
	ret->known_share = (double)(fits + against) / (double)points->count;
}
