#include "common/scene/assign.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Each row also has a column of its own at half the forbidden cost: to stay without a partner. */
static float cost_of(const float *cost, uint32_t columns, uint32_t r, uint32_t c)
{
	if (c < columns)
		return cost[r * columns + c];
	return c - columns == r ? 0.5f * CAIRN_ASSIGN_NEVER : CAIRN_ASSIGN_NEVER;
}

void cairn_assign(const float *cost, uint32_t rows, uint32_t columns, int32_t *ret)
{
	enum { MOST = CAIRN_ASSIGN_ROWS + CAIRN_ASSIGN_COLUMNS };
	uint32_t all = columns + rows;
	double row_price[CAIRN_ASSIGN_ROWS] = {0}, column_price[MOST] = {0}, best[MOST];
	int32_t row_of[MOST], from[MOST];
	bool done[MOST];
	for (uint32_t c = 0; c < all; c++)
		row_of[c] = -1;
	for (uint32_t start = 0; start < rows; start++) {
		/* The shortest way, by reduced costs, from this row to a column that is free. */
		int32_t r = (int32_t)start, end = -1, last = -1;
		double low = 0.0;
		for (uint32_t c = 0; c < all; c++) {
			best[c] = INFINITY;
			from[c] = -1;
			done[c] = false;
		}
		while (end < 0) {
			int32_t next = -1;
			for (uint32_t c = 0; c < all; c++) {
				if (done[c])
					continue;
				double d = low + (double)cost_of(cost, columns, (uint32_t)r, c) -
					   row_price[r] - column_price[c];
				if (d < best[c]) {
					best[c] = d;
					from[c] = last;
				}
				if (next < 0 || best[c] < best[next])
					next = (int32_t)c;
			}
			low = best[next];
			done[next] = true;
			last = next;
			if (row_of[next] < 0)
				end = next;
			else
				r = row_of[next];
		}
		row_price[start] += low;
		for (uint32_t c = 0; c < all; c++)
			if (done[c] && (int32_t)c != end) {
				row_price[row_of[c]] += low - best[c];
				column_price[c] -= low - best[c];
			}
		for (int32_t c = end; c >= 0; c = from[c])
			row_of[c] = from[c] >= 0 ? row_of[from[c]] : (int32_t)start;
	}
	for (uint32_t i = 0; i < rows; i++)
		ret[i] = -1;
	for (uint32_t c = 0; c < columns; c++)
		if (row_of[c] >= 0 && cost[(uint32_t)row_of[c] * columns + c] < 0.5f * CAIRN_ASSIGN_NEVER)
			ret[row_of[c]] = (int32_t)c;
}
