#include "common/percept/sectors.h"

#include <math.h>
#include <string.h>

#include "common/percept/gaps.h"

#define KEY_BITS 12 /* angular steps a sector when sorting: 2^12, 0.007 degrees each */
#define KEYS (CAIRN_SECTOR_COUNT << KEY_BITS)

struct cairn_percept_params cairn_percept_params_from_config(const struct cairn_config *cfg)
{
	return (struct cairn_percept_params){
	    .lidar = {cfg->robot.lidar_x_m, cfg->robot.lidar_y_m},
	    .body = {cfg->robot.footprint_front_m, cfg->robot.footprint_rear_m,
		cfg->robot.footprint_half_width_m},
	    .gap_jump_m = cfg->percept.gap_jump_m,
	    .gap_width_min_m = cfg->percept.gap_width_min_m,
	    .gap_width_max_m = cfg->percept.gap_width_max_m,
	};
}

/* True for a return from the robot's own body. reach_m: no point of the body is farther from the LiDAR. */
static bool on_body(const struct cairn_percept_params *params, float reach_m, float angle_rad, float range_m)
{
	if (range_m > reach_m)
		return false;
	double x = params->lidar.x_m + range_m * cos(angle_rad),
	       y = params->lidar.y_m + range_m * sin(angle_rad);
	return x <= params->body.front_m && x >= -params->body.rear_m && fabs(y) <= params->body.half_width_m;
}

static float body_reach_m(const struct cairn_percept_params *params)
{
	double x = fmax(params->body.front_m - params->lidar.x_m, params->body.rear_m + params->lidar.x_m);
	return (float)hypot(x, params->body.half_width_m + fabs(params->lidar.y_m));
}

/* Position in clockwise order, 0 at 15 degrees left of the front; the sector is its upper bits. */
static uint32_t clockwise_key(float angle_rad)
{
	double t = 0.5 - (double)angle_rad * (CAIRN_SECTOR_COUNT / (2.0 * M_PI));
	if (t < 0.0 || t >= CAIRN_SECTOR_COUNT) {
		t = fmod(t, CAIRN_SECTOR_COUNT);
		if (t < 0.0)
			t += CAIRN_SECTOR_COUNT;
	}
	uint32_t key = (uint32_t)(t * (1 << KEY_BITS));
	return key < KEYS ? key : KEYS - 1; /* -tiny + 12 rounds to 12 */
}

/* Stable radix sort by the 16 bit in the upper half, in two passes; the result is in items again. */
static void sort_by_key(uint32_t *items, uint32_t *scratch, uint32_t count)
{
	for (unsigned shift = 16; shift <= 24; shift += 8) {
		uint32_t begin[256] = {0};
		for (uint32_t i = 0; i < count; i++)
			begin[items[i] >> shift & 255u]++;
		uint32_t sum = 0;
		for (int b = 0; b < 256; b++) {
			uint32_t n = begin[b];
			begin[b] = sum;
			sum += n;
		}
		for (uint32_t i = 0; i < count; i++)
			scratch[begin[items[i] >> shift & 255u]++] = items[i];
		uint32_t *swap = items;
		items = scratch;
		scratch = swap;
	}
}

bool cairn_polar_from_scan(
    struct cairn_polar *out, const struct cairn_msg_scan *scan, const struct cairn_percept_params *params)
{
	uint32_t items[CAIRN_POINTS_MAX], scratch[CAIRN_POINTS_MAX]; /* key << 16 | index */
	uint32_t count = 0;
	bool well_formed =
	    scan->angle_rad_count == scan->range_m_count && scan->range_m_count <= CAIRN_POINTS_MAX;
	uint32_t points = well_formed ? scan->range_m_count : 0;
	float min_m = scan->range_min_m > 0.0f ? scan->range_min_m : 0.0f;
	float max_m = scan->range_max_m > 0.0f ? scan->range_max_m : INFINITY;
	float reach_m = body_reach_m(params);

	for (uint32_t i = 0; i < points; i++) {
		float angle = scan->angle_rad[i], range = scan->range_m[i];
		/* Comparisons are written so that not-a-number fails them. */
		if (!(range > 0.0f && range >= min_m && range <= max_m) || isinf(range) || !isfinite(angle))
			continue;
		if (on_body(params, reach_m, angle, range))
			continue;
		items[count++] = clockwise_key(angle) << 16 | i;
	}
	sort_by_key(items, scratch, count);

	out->count = count;
	memset(out->sector_begin, 0, sizeof(out->sector_begin));
	for (uint32_t i = 0; i < count; i++) {
		out->angle_rad[i] = scan->angle_rad[items[i] & 0xffffu];
		out->range_m[i] = scan->range_m[items[i] & 0xffffu];
		out->sector_begin[(items[i] >> (16 + KEY_BITS)) + 1]++;
	}
	for (int k = 0; k < CAIRN_SECTOR_COUNT; k++)
		out->sector_begin[k + 1] += out->sector_begin[k];
	return well_formed;
}

static void sift_down(float *heap, uint32_t size, uint32_t at)
{
	float value = heap[at];
	for (;;) {
		uint32_t child = 2 * at + 1;
		if (child >= size)
			break;
		if (child + 1 < size && heap[child + 1] > heap[child])
			child++;
		if (heap[child] <= value)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = value;
}

/* 10th percentile by nearest rank: the largest of the ceil(n / 10) smallest, kept in a max-heap. 0 for none.
 */
static float percentile_10(const float *values, uint32_t count, float *heap)
{
	uint32_t rank = (count + 9) / 10;
	if (rank == 0)
		return 0.0f;
	memcpy(heap, values, rank * sizeof(*heap));
	for (uint32_t i = rank / 2; i-- > 0;)
		sift_down(heap, rank, i);
	for (uint32_t i = rank; i < count; i++) {
		if (values[i] < heap[0]) {
			heap[0] = values[i];
			sift_down(heap, rank, 0);
		}
	}
	return heap[0];
}

enum cairn_sector_label cairn_sector_label_of(float distance_m)
{
	if (!(distance_m > 0.0f))
		return CAIRN_SECTOR_LABEL_EMPTY;
	if (distance_m < 0.5f)
		return CAIRN_SECTOR_LABEL_WALL;
	if (distance_m < 1.0f)
		return CAIRN_SECTOR_LABEL_OBSTACLE;
	return distance_m < 2.0f ? CAIRN_SECTOR_LABEL_NEAR : CAIRN_SECTOR_LABEL_CLEAR;
}

float cairn_feasibility_of(float distance_m)
{
	const float near_m = 0.5f, far_m = 2.0f;
	if (!(distance_m > near_m))
		return CAIRN_FEASIBILITY_MIN;
	if (distance_m >= far_m)
		return 1.0f;
	return CAIRN_FEASIBILITY_MIN +
	       (1.0f - CAIRN_FEASIBILITY_MIN) * (distance_m - near_m) / (far_m - near_m);
}

void cairn_feasibility(float feasibility[6], const float sector_m[CAIRN_SECTOR_COUNT], double half_width_m)
{
	static const struct {
		uint8_t first, last; /* needed, clockwise */
	} needs[6] = {
	    [CAIRN_DIRECTION_FORWARD] = {0, 0},
	    [CAIRN_DIRECTION_FORWARD_LEFT] = {11, 11},
	    [CAIRN_DIRECTION_FORWARD_RIGHT] = {1, 1},
	    [CAIRN_DIRECTION_LEFT] = {9, 10},
	    [CAIRN_DIRECTION_RIGHT] = {2, 3},
	    [CAIRN_DIRECTION_BACKWARD] = {6, 6},
	};
	const float beside_m = (float)(half_width_m / 0.25881904510252074); /* sin 15 degrees */
	for (int d = 0; d < 6; d++) {
		float smallest = INFINITY;
		for (int k = needs[d].first; k <= needs[d].last; k++)
			smallest = fminf(smallest, sector_m[k]); /* an empty one, 0, wins */
		int beside[2] = {(needs[d].first + CAIRN_SECTOR_COUNT - 1) % CAIRN_SECTOR_COUNT,
		    (needs[d].last + 1) % CAIRN_SECTOR_COUNT};
		for (int i = 0; i < 2; i++) {
			float distance = sector_m[beside[i]];
			if (distance > 0.0f && distance < beside_m)
				smallest = fminf(smallest, distance);
		}
		feasibility[d] = cairn_feasibility_of(smallest);
	}
}

bool cairn_percept_from_scan(struct cairn_msg_percept *out, const struct cairn_msg_scan *scan,
    const struct cairn_percept_params *params)
{
	struct cairn_polar polar;
	float heap[(CAIRN_POINTS_MAX + 9) / 10];
	bool well_formed = cairn_polar_from_scan(&polar, scan, params);

	memset(out, 0, sizeof(*out));
	out->sector_m_count = CAIRN_SECTOR_COUNT;
	out->feasibility_count = 6;
	out->nearest_m = -1.0;
	for (int k = 0; k < CAIRN_SECTOR_COUNT; k++)
		out->sector_m[k] = percentile_10(polar.range_m + polar.sector_begin[k],
		    polar.sector_begin[k + 1] - polar.sector_begin[k], heap);
	for (uint32_t i = 0; i < polar.count; i++) {
		if (out->nearest_m < 0.0 || polar.range_m[i] < out->nearest_m) {
			out->nearest_m = polar.range_m[i];
			out->nearest_bearing_rad = cairn_wrap_rad(polar.angle_rad[i]);
		}
	}
	cairn_feasibility(out->feasibility, out->sector_m, params->body.half_width_m);
	out->gaps_count = (uint32_t)cairn_gaps_find(
	    out->gaps, (int)(sizeof(out->gaps) / sizeof(out->gaps[0])), &polar, params);
	return well_formed;
}
