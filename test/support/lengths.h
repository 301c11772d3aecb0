/* lengths.h - shortest lengths on a grid by sweeping until nothing changes (Bellman-Ford): slow, and shares
 * nothing with the searches under test. */
#ifndef CAIRN_TEST_SUPPORT_LENGTHS_H
#define CAIRN_TEST_SUPPORT_LENGTHS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Lengths from start, INFINITY where there is no way. factor may be NULL. */
static inline void test_lengths(
    const uint8_t *open, const float *factor, int width, int height, int start, double *dist)
{
	for (int i = 0; i < width * height; i++)
		dist[i] = INFINITY;
	dist[start] = 0.0;
	for (bool changed = true; changed;) {
		changed = false;
		for (int at = 0; at < width * height; at++)
			for (int k = 0; k < 9; k++) {
				int x = at % width, y = at / width, u = x + k % 3 - 1, v = y + k / 3 - 1;
				int to = v * width + u;
				if (u < 0 || v < 0 || u >= width || v >= height || !open[to] || !open[at] ||
				    !open[y * width + u] || !open[v * width + x])
					continue;
				double c = hypot(u - x, v - y);
				if (factor != NULL)
					c *= 0.5 * ((double)factor[at] + (double)factor[to]);
				if (dist[at] + c < dist[to] - 1e-12) {
					dist[to] = dist[at] + c;
					changed = true;
				}
			}
	}
}

#endif
