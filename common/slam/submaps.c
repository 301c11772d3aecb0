#include "common/slam/mapper_private.h"

#include <string.h>

#define CALL_RAYS 4000 /* drawn in one call at most, and at least one keyframe */
#define LOCAL_KEYS 30  /* in a local map at most */
#define LOOP_KEYS 16   /* in a sheet to find a loop on */
#define SPACING_M 0.30 /* between keyframes drawn, unless they face another way */
#define SPACING_RAD 0.5
#define LOOP_SPACING_M 0.6
#define LOCAL_MARGIN_M 4.0                            /* beside the window of a search */
#define LOOP_MARGIN_M (CAIRN_LOOP_WINDOW_MAX_M + 4.0) /* the same for all, as is the room they take */
#define ROOM_CELLS 20   /* the house may grow by this before memory is taken for more of it */
#define REDRAW_M 0.0125 /* the graph may be off the published map by this before it is drawn anew */
#define REDRAW_RAD 0.003
#define REDRAW_NOW_M 0.04 /* and by this, before so many new keyframes for one old have come */
#define REDRAW_NOW_RAD 0.01
#define REDRAW_SHARE 8
#define REDRAW_QUIET 30 /* scans without a correction before it begins, as loops come in bursts, */
#define REDRAW_WAIT 100 /* but no longer than this */

/* As far from the robot as keyframes are drawn. */
static double radius_m(const struct cairn_mapper *m)
{
	return cairn_clamp(0.7 * m->cfg.map.range_use_m, 4.0, 12.0);
}

/* An empty sheet with room for rays around centre. */
static bool restart_sheet(
    const struct cairn_mapper *m, struct cairn_sheet *s, struct cairn_vec2 centre, double margin_m)
{
	double half_m =
	    0.5 * radius_m(m) + m->cfg.map.range_use_m + margin_m; /* what sticks out is of no use */
	int32_t cells = (int32_t)ceil(2.0 * half_m / s->grid.cell_m);
	s->centre = centre;
	s->valid = cells <= s->grid.limit_cells &&
		   cairn_grid_restart(&s->grid, cairn_grid_cell(&s->grid, centre.x_m - half_m),
		       cairn_grid_cell(&s->grid, centre.y_m - half_m), cells, cells);
	return s->valid;
}

/* Fills m->list with keyframes near centre (graph frame) that reach trusts, spaced out; skip: those that
 * another reach trusts are left out. */
static bool choose(struct cairn_mapper *m, const struct cairn_pose_uncertainty *reach,
    const struct cairn_pose_uncertainty *skip, struct cairn_vec2 centre, double spacing_m, uint32_t most)
{
	double radius = radius_m(m);
	for (;; spacing_m *= 1.4) {
		m->list_count = 0;
		for (uint32_t i = m->keyframe_count; i-- > 0 && m->list_count <= most;) {
			struct cairn_pose2 p = m->graph.nodes[i];
			if (i >= reach->count || i >= m->confirm_from ||
			    (m->keyframes[i].detached && !m->detached) ||
			    !(reach->nodes[i].cost <= CAIRN_TRUST_COST) ||
			    (skip != NULL && i < skip->count && skip->nodes[i].cost <= CAIRN_TRUST_COST) ||
			    hypot(p.x_m - centre.x_m, p.y_m - centre.y_m) > radius)
				continue;
			bool apart = true;
			for (uint32_t k = 0; k < m->list_count && apart; k++) {
				struct cairn_pose2 q = m->graph.nodes[m->list[k]];
				apart = hypot(p.x_m - q.x_m, p.y_m - q.y_m) >= spacing_m ||
					fabs(cairn_wrap_rad(p.yaw_rad - q.yaw_rad)) >= SPACING_RAD;
			}
			if (!apart)
				continue;
			if (!cairn_mapper_grow(
				&m->list, &m->list_capacity, m->list_count + 1, sizeof(*m->list)))
				return false;
			m->list[m->list_count++] = i;
		}
		if (m->list_count <= most)
			return true;
	}
}

static void draw_key(struct cairn_mapper *m, struct cairn_grid *grid, uint32_t key, struct cairn_pose2 pose)
{
	cairn_mapper_keyframe_rays(m, key, &m->drawn);
	cairn_grid_insert(grid, pose, &m->drawn);
}

void cairn_mapper_draw_local(struct cairn_mapper *m)
{
	struct cairn_drawing *d = &m->local_drawing;
	struct cairn_sheet *s = &m->sheets[!m->sheet];
	struct cairn_pose2 local_from_graph = cairn_pose_inverse(cairn_mapper_graph_from_local(m));
	if (!d->on) {
		uint32_t last = m->keyframe_count - 1;
		struct cairn_pose2 at = m->graph.nodes[last], local = m->keyframes[last].local;
		if (!cairn_pose_uncertainty_from(&m->reach, &m->graph, last, INFINITY) ||
		    !choose(m, &m->reach, NULL, (struct cairn_vec2){at.x_m, at.y_m}, SPACING_M, LOCAL_KEYS) ||
		    !restart_sheet(m, s, (struct cairn_vec2){local.x_m, local.y_m},
			m->cfg.map.match_window_m + LOCAL_MARGIN_M))
			return;
		*d = (struct cairn_drawing){true, m->list_count, m->keyframe_count};
		m->local_due = false;
	}
	/* The list has the newest first; the oldest is drawn first. */
	for (uint32_t rays = 0; d->at > 0 && rays < CALL_RAYS; rays += m->keyframes[m->list[d->at]].count) {
		uint32_t key = m->list[--d->at];
		draw_key(m, &s->grid, key, cairn_pose_compose(local_from_graph, m->graph.nodes[key]));
	}
	if (d->at > 0)
		return;
	for (uint32_t i = 0; i < d->until; i++)
		m->keyframes[i].in_local = false;
	for (uint32_t i = 0; i < m->list_count; i++) {
		struct cairn_keyframe *k = &m->keyframes[m->list[i]];
		k->in_local = true;
		k->drawn = cairn_pose_compose(local_from_graph, m->graph.nodes[m->list[i]]);
	}
	for (uint32_t i = d->until; i < m->keyframe_count; i++)
		draw_key(m, &s->grid, i, m->keyframes[i].drawn);
	d->on = false;
	s->valid = cairn_likelihood_field_update(&s->field, &s->grid);
	if (s->valid)
		m->sheet = !m->sheet;
}

void cairn_mapper_draw_local_now(struct cairn_mapper *m)
{
	m->local_drawing.on = false;
	do
		cairn_mapper_draw_local(m);
	while (m->local_drawing.on);
}

void cairn_mapper_clear_local(struct cairn_mapper *m, struct cairn_pose2 local)
{
	m->local_drawing.on = false;
	m->local_due = false;
	(void)restart_sheet(m, &m->sheets[m->sheet], (struct cairn_vec2){local.x_m, local.y_m},
	    m->cfg.map.match_window_m + LOCAL_MARGIN_M);
	for (uint32_t i = 0; i < m->keyframe_count; i++)
		m->keyframes[i].in_local = false;
}

bool cairn_mapper_draw_loop(struct cairn_mapper *m, uint32_t around)
{
	struct cairn_sheet *s = &m->loop;
	struct cairn_pose2 at = m->graph.nodes[around];
	if (m->local_drawing.on) /* the list is in use */
		return false;
	if (!cairn_pose_uncertainty_from(&m->loop_reach, &m->graph, around, CAIRN_TRUST_COST) ||
	    !choose(m, &m->loop_reach, &m->reach, (struct cairn_vec2){at.x_m, at.y_m}, LOOP_SPACING_M,
		LOOP_KEYS) ||
	    m->list_count == 0 || !restart_sheet(m, s, (struct cairn_vec2){at.x_m, at.y_m}, LOOP_MARGIN_M))
		return false;
	for (uint32_t i = m->list_count; i-- > 0;)
		draw_key(m, &s->grid, m->list[i], m->graph.nodes[m->list[i]]);
	s->around = around;
	s->valid = cairn_likelihood_field_update(&s->field, &s->grid);
	return s->valid;
}

void cairn_mapper_check_drawn(struct cairn_mapper *m)
{
	if (m->redraw_due)
		return;
	m->redraw_since = m->counts.scans;
	bool late = m->keyframe_count - m->drawn_count >= m->keyframe_count / REDRAW_SHARE;
	double most_m = late ? REDRAW_M : REDRAW_NOW_M, most_rad = late ? REDRAW_RAD : REDRAW_NOW_RAD;
	for (uint32_t i = 0; i < m->keyframe_count && !m->redraw_due; i++) {
		if (m->keyframes[i].detached)
			continue;
		struct cairn_pose2 a = m->keyframes[i].pose, b = m->graph.nodes[i];
		m->redraw_due = hypot(a.x_m - b.x_m, a.y_m - b.y_m) > most_m ||
				fabs(cairn_wrap_rad(a.yaw_rad - b.yaw_rad)) > most_rad;
	}
}

/* The path driven moves with the keyframes it was driven at, and the visits with it. */
static void move_driven(struct cairn_mapper *m)
{
	struct cairn_vec2 before = {0};
	for (uint32_t i = 0; i < m->driven_count; i++) {
		const struct cairn_keyframe *k = &m->keyframes[m->driven_key[i]];
		struct cairn_pose2 p = {(double)m->driven[2 * i], (double)m->driven[2 * i + 1], 0.0};
		p = cairn_pose_compose(k->next, cairn_pose_between(k->pose, p));
		m->driven[2 * i] = (float)p.x_m;
		m->driven[2 * i + 1] = (float)p.y_m;
		struct cairn_vec2 now = {p.x_m, p.y_m};
		cairn_grid_visit(
		    &m->spare, i == 0 ? now : before, now, m->cfg.robot.footprint_half_width_m, i == 0);
		before = now;
	}
	m->visit_pose = cairn_pose_compose(cairn_pose_compose(m->keyframes[m->keyframe_count - 1].next,
					       cairn_pose_inverse(m->keyframes[m->keyframe_count - 1].pose)),
	    m->visit_pose);
}

/* The new drawing takes the place of the old; the old one's arrays are kept for the next. */
static void swap_maps(struct cairn_mapper *m)
{
	const struct cairn_keyframe *last = &m->keyframes[m->keyframe_count - 1];
	move_driven(m);
	cairn_mapper_features_move(m);
	m->map_from_local = cairn_pose_compose(last->next, cairn_pose_inverse(last->local));
	for (uint32_t i = 0; i < m->keyframe_count; i++)
		m->keyframes[i].pose = m->keyframes[i].next;
	struct cairn_grid old = m->grid;
	m->grid = m->spare;
	m->grid.revision = (m->grid.revision > old.revision ? m->grid.revision : old.revision) + 1;
	m->grid.layout = (m->grid.layout > old.layout ? m->grid.layout : old.layout) + 1;
	m->grid.clipped = old.clipped;
	m->spare = old;
	m->drawn_count = m->keyframe_count;
	m->map_epoch++;
	m->changes++;
}

void cairn_mapper_redraw(struct cairn_mapper *m, bool all)
{
	struct cairn_drawing *d = &m->redrawing;
	if (m->keyframe_count == 0 || m->detached)
		return;
	if (!d->on) {
		const struct cairn_grid *g = &m->grid;
		bool quiet = m->counts.scans - m->corrected_at >= REDRAW_QUIET ||
			     m->counts.scans - m->redraw_since >= REDRAW_WAIT;
		if (!m->redraw_due || !(quiet || all) ||
		    !cairn_grid_restart(&m->spare, g->cx0, g->cy0, g->width, g->height))
			return;
		for (uint32_t i = 0; i < m->keyframe_count; i++)
			m->keyframes[i].next = m->graph.nodes[i];
		*d = (struct cairn_drawing){.on = true};
		m->redraw_due = false;
	}
	for (uint32_t rays = 0; d->at < m->keyframe_count && (all || rays < CALL_RAYS); d->at++) {
		if (!m->keyframes[d->at].detached)
			draw_key(m, &m->spare, d->at, m->keyframes[d->at].next);
		rays += m->keyframes[d->at].count;
	}
	if (d->at < m->keyframe_count)
		return;
	swap_maps(m);
	d->on = false;
}

/* The arrays of a sheet that has none yet. */
static void take_sheet(struct cairn_mapper *m, struct cairn_sheet *s, double margin_m)
{
	if (s->grid.width > 0)
		return;
	(void)(restart_sheet(m, s, (struct cairn_vec2){0.0, 0.0}, margin_m) &&
	       cairn_likelihood_field_update(&s->field, &s->grid));
	s->valid = false;
}

/* A sheet lies around a place in the house, so the house comes to lie on these of its rows. (Its frame is
 * hardly turned against that of the map: by what loops have corrected.) */
static void touch_sheet(struct cairn_sheet *s, int32_t reach)
{
	int32_t mid = s->grid.height / 2;
	cairn_grid_touch(&s->grid, mid - reach, mid + reach, false);
	cairn_likelihood_field_touch(&s->field, mid - reach - (1 << (s->field.levels - 1)), mid + reach);
}

void cairn_mapper_take_memory(struct cairn_mapper *m)
{
	const struct cairn_cell_box *k = &m->grid.known, *t = &m->taken;
	if (cairn_cell_box_empty(*k) ||
	    (!cairn_cell_box_empty(*t) && k->min_cx >= t->min_cx && k->min_cy >= t->min_cy &&
		k->max_cx <= t->max_cx && k->max_cy <= t->max_cy))
		return;
	m->taken = (struct cairn_cell_box){
	    k->min_cx - ROOM_CELLS, k->min_cy - ROOM_CELLS, k->max_cx + ROOM_CELLS, k->max_cy + ROOM_CELLS};
	const struct cairn_grid *g = &m->grid;
	if (!m->redrawing.on && (m->spare.width < g->width || m->spare.height < g->height))
		(void)cairn_grid_restart(&m->spare, g->cx0, g->cy0, g->width, g->height);
	cairn_grid_touch(g, 0, g->height, true);
	cairn_grid_touch(&m->spare, 0, m->spare.height, true);
	take_sheet(m, &m->sheets[!m->sheet], m->cfg.map.match_window_m + LOCAL_MARGIN_M);
	take_sheet(m, &m->loop, LOOP_MARGIN_M);
	int32_t reach = t->max_cy - t->min_cy;
	touch_sheet(&m->sheets[0], reach);
	touch_sheet(&m->sheets[1], reach);
	touch_sheet(&m->loop, reach);
}
