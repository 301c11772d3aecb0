#include "common/sim/world/outline.h"

static double turn(struct cairn_vec2 a, struct cairn_vec2 b, struct cairn_vec2 c)
{
	return (b.x_m - a.x_m) * (c.y_m - a.y_m) - (b.y_m - a.y_m) * (c.x_m - a.x_m);
}

bool cairn_polygon_convex(const struct cairn_vec2 *corners, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (turn(corners[i], corners[(i + 1) % count], corners[(i + 2) % count]) < -1e-9)
			return false;
	return true;
}

static bool same(struct cairn_vec2 a, struct cairn_vec2 b)
{
	return a.x_m == b.x_m && a.y_m == b.y_m;
}

static bool ear(const struct cairn_vec2 *corners, const size_t *left, size_t n, size_t i)
{
	size_t ia = left[(i + n - 1) % n], ib = left[i], ic = left[(i + 1) % n];
	struct cairn_vec2 a = corners[ia], b = corners[ib], c = corners[ic];
	if (turn(a, b, c) <= 0.0)
		return false;
	for (size_t k = 0; k < n; k++) {
		if (left[k] == ia || left[k] == ib || left[k] == ic)
			continue;
		struct cairn_vec2 p = corners[left[k]];
		if (same(p, a) || same(p, b) || same(p, c))
			continue;
		if (turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0)
			return false;
	}
	return true;
}

size_t cairn_polygon_triangulate(
    const struct cairn_vec2 *corners, size_t count, size_t *scratch, size_t *ret_index)
{
	size_t n = count, made = 0, since_ear = 0, i = 0;
	for (size_t k = 0; k < count; k++)
		scratch[k] = k;
	while (n >= 3 && since_ear < n) {
		i %= n;
		if (!ear(corners, scratch, n, i) && n > 3) {
			since_ear++;
			i++;
			continue;
		}
		ret_index[3 * made] = scratch[(i + n - 1) % n];
		ret_index[3 * made + 1] = scratch[i];
		ret_index[3 * made + 2] = scratch[(i + 1) % n];
		made++;
		for (size_t k = i; k + 1 < n; k++)
			scratch[k] = scratch[k + 1];
		n--;
		since_ear = 0;
	}
	return made;
}
