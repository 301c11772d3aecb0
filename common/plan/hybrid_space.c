#include <math.h>
#include <string.h>

#include "common/plan/hybrid_internal.h"

#define ROUNDING_M 1e-4 /* more than single precision loses of a distance that counts */

/* ---- collision ---- */

typedef double real4 __attribute__((vector_size(32)));
typedef int64_t mask4 __attribute__((vector_size(32)));
typedef int32_t whole4 __attribute__((vector_size(16)));
_Static_assert(HYBRID_PLACES == 4, "as these types have");

/* A place and a direction. */
struct axis {
	double x_m, y_m, c, s;
};

/* cairn_costmap_index of places along an axis, all at once. False where one of them is not on the map. */
static inline bool places_on(const struct cairn_costmap *cm, const struct axis *a,
    const double along_m[HYBRID_PLACES], int32_t ret_index[HYBRID_PLACES])
{
	real4 along;
	memcpy(&along, along_m, sizeof(along));
	real4 x = (a->x_m + a->c * along - cm->origin_x_m) * cm->cells_per_m;
	real4 y = (a->y_m + a->s * along - cm->origin_y_m) * cm->cells_per_m;
	mask4 on = (x >= 0.0) & (y >= 0.0) & (x < (double)cm->width) & (y < (double)cm->height);
	if ((on[0] & on[1] & on[2] & on[3]) == 0)
		return false;
	whole4 index = __builtin_convertvector(y, whole4) * cm->width + __builtin_convertvector(x, whole4);
	memcpy(ret_index, &index, sizeof(index));
	return true;
}

/* Distances, in cells, from the places to the obstacle nearest to each; INFINITY off the map. */
static inline void distances_from(const struct cairn_costmap *cm, const struct axis *a,
    const double along_m[HYBRID_PLACES], float ret_dist[HYBRID_PLACES])
{
	int32_t index[HYBRID_PLACES];
	if (!places_on(cm, a, along_m, index))
		for (int i = 0; i < HYBRID_PLACES; i++)
			index[i] =
			    cairn_costmap_index(cm, a->x_m + a->c * along_m[i], a->y_m + a->s * along_m[i]);
	for (int i = 0; i < HYBRID_PLACES; i++)
		ret_dist[i] = index[i] < 0 ? INFINITY : cm->dist[index[i]];
}

/* The least of those behind the first, which is the pose's own. */
static inline float nearest_of(const float dist[HYBRID_PLACES])
{
	float least = dist[1] < dist[2] ? dist[1] : dist[2];
	return least < dist[3] ? least : dist[3];
}

double hybrid_bare_clearance(const struct cairn_hybrid *h, const struct cairn_pose2 *pose)
{
	struct cairn_rect bare = cairn_rect_around(&h->p.body, 0.0);
	return cairn_costmap_clearance(h->cm, pose, &bare, h->p.lead_m + h->cm->cell_m);
}

/* Would the body, backing, come onto floor that the depth camera never saw? The border of that is laid on
 * like obstacles. */
static bool over_unseen(struct cairn_hybrid *h, const struct cairn_pose2 *pose, double c, double s)
{
	return h->cm->unseen.x1 > h->cm->unseen.x0 &&
	       !cairn_stamps_fit(&h->behind, h->cm, &h->unseen, pose, c, s);
}

/* By the distance transform at the circles of the travelling footprint (lead in the direction of motion), and
 * of the body for what the cost looks at. */
void hybrid_pose_look(const struct cairn_hybrid *h, const struct cairn_pose2 *pose, double c, double s,
    bool reverse, struct hybrid_look *ret_look)
{
	const struct cairn_costmap *cm = h->cm;
	const struct hybrid_cover *cover = &h->cover[reverse ? 1 : 0];
	const struct axis axis = {pose->x_m, pose->y_m, c, s};
	const float cell_m = cm->rate.cell_m;
	float dist[HYBRID_PLACES];
	int index = cairn_costmap_index(cm, pose->x_m, pose->y_m);
	ret_look->index = index;
	ret_look->factor = 0.0f;
	ret_look->room = HYBRID_BLOCKED;
	if (index < 0)
		return;
	ret_look->room = HYBRID_FITS;
	if (cm->dist[index] >= h->open_cells) { /* nothing that any part of the body could feel */
		ret_look->factor = cairn_costmap_cost(cm, index);
		return;
	}
	distances_from(cm, &axis, h->body_x_m, dist);
	float body = nearest_of(dist), body_m = body * cell_m;
	/* What is nearest to any of them costs most. */
	float near = cairn_costmap_near(cm, (body < dist[0] ? body : dist[0]) * cell_m);
	ret_look->factor = cairn_costmap_dearer(cm, index, near);
	if (body_m >= cover->body_clear_m)
		return;
	distances_from(cm, &axis, cover->x_m, dist);
	float lead_m = nearest_of(dist) * cell_m;
	if (lead_m < cover->clear_m)
		ret_look->room =
		    body_m < h->inscribed_m || lead_m < cover->blocked_m ? HYBRID_BLOCKED : HYBRID_PERHAPS;
}

float hybrid_pose_settle(struct cairn_hybrid *h, const struct hybrid_look *look,
    const struct cairn_pose2 *pose, double c, double s, bool reverse, float escaping, float *ret_escaping)
{
	*ret_escaping = NAN;
	if (look->index < 0 || (reverse && over_unseen(h, pose, c, s)))
		return 0.0f;
	if (look->room == HYBRID_FITS ||
	    (look->room == HYBRID_PERHAPS &&
		cairn_stamps_fit(&h->cover[reverse ? 1 : 0].stamps, h->cm, &h->obstacles, pose, c, s)))
		return look->factor;
	if (isnan(escaping))
		return 0.0f;
	double room = hybrid_bare_clearance(h, pose);
	if (room < (double)escaping - 0.002)
		return 0.0f;
	*ret_escaping = (float)room;
	return look->factor + (float)h->cm->params.near_cost;
}

float hybrid_pose_factor(struct cairn_hybrid *h, const struct cairn_pose2 *pose, double c, double s,
    bool reverse, float escaping, float *ret_escaping)
{
	struct hybrid_look look;
	hybrid_pose_look(h, pose, c, s, reverse, &look);
	return hybrid_pose_settle(h, &look, pose, c, s, reverse, escaping, ret_escaping);
}

/* ---- set-up ---- */

bool hybrid_make_covers(struct cairn_hybrid *h)
{
	bool ok = true;
	const struct cairn_hybrid_params *p = &h->p;
	const double cell = h->cm->cell_m;
	double w = p->body.half_width_m + p->clearance_m;
	for (int rev = 0; rev < 2; rev++) {
		struct hybrid_cover *cover = &h->cover[rev];
		double front = p->body.front_m + (rev ? p->clearance_m : p->lead_m);
		double rear = p->body.rear_m + (rev ? p->lead_m : p->clearance_m);
		double part = (front + rear) / 3.0;
		cover->rect = (struct cairn_rect){front, rear, w, w};
		ok = cairn_stamps_start(&cover->stamps, &cover->rect, cell) == 0 && ok;
		for (int i = 0; i < 3; i++)
			cover->x_m[1 + i] = -rear + ((double)i + 0.5) * part;
		/* Half a cell for the disc, half a diagonal for the place of the query in its cell. */
		cover->clear_m = (float)(hypot(0.5 * part, w) + 0.5 * cell + M_SQRT1_2 * cell);
		cover->blocked_m = (float)(fmin(0.5 * part, w) + 0.5 * cell - M_SQRT1_2 * cell - ROUNDING_M);
	}
	double beside =
	    0.5 *
	    p->clearance_m; /* between what the motor stage insists on and what is had on one's own track */
	struct cairn_rect behind = {p->body.front_m + beside, p->body.rear_m + p->lead_m,
	    p->body.half_width_m + beside, p->body.half_width_m + beside};
	ok = cairn_stamps_start(&h->behind, &behind, cell) == 0 && ok;
	double reach = fmax(p->body.front_m, p->body.rear_m) + fmax(p->lead_m, h->cm->params.inflation_m) + w;
	h->open_cells = (float)(reach / cell + 2.0);
	double part = (p->body.front_m + p->body.rear_m) / 3.0;
	for (int i = 0; i < 3; i++)
		h->body_x_m[1 + i] = -p->body.rear_m + ((double)i + 0.5) * part;
	for (int rev = 0; rev < 2; rev++) {
		const struct cairn_rect *r = &h->cover[rev].rect;
		double corner =
		    fmax(hypot(r->front_m - h->body_x_m[3], w), hypot(-r->rear_m - h->body_x_m[1], w));
		corner = fmax(corner, hypot(0.5 * part, w)); /* between two of them */
		h->cover[rev].body_clear_m = (float)(corner + 0.5 * cell + M_SQRT1_2 * cell + ROUNDING_M);
	}
	double inner = fmin(0.5 * part, p->body.half_width_m);
	h->inscribed_m = (float)(inner + 0.5 * cell - M_SQRT1_2 * cell);
	h->field_radius_m =
	    fmin(p->body.half_width_m, p->body.rear_m) + p->clearance_m + 0.5 * cell - M_SQRT1_2 * cell;
	return ok;
}
