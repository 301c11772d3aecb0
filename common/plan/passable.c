#include "common/plan/passable.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELLS_MAX (1 << 28)
#define SIDE_MAX 65000 /* searches keep coordinates in 16 bits */

void cairn_passable_free(struct cairn_passable *o)
{
	free(o->rows);
	free(o->columns);
	free(o->region);
	free(o->parent);
	*o = (struct cairn_passable){0};
}

static int grow(void **p, size_t *capacity, size_t want, size_t item)
{
	if (want <= *capacity)
		return 0;
	size_t room = want + want / 4; /* a map grows by a little each time */
	void *grown = realloc(*p, room * item);
	if (grown == NULL)
		return -ENOMEM;
	*p = grown;
	*capacity = room;
	return 0;
}

static int reserve(struct cairn_passable *o, int width, int height)
{
	size_t row_words = ((size_t)width + 2 + 63) / 64, column_words = ((size_t)height + 2 + 63) / 64;
	size_t rows = row_words * ((size_t)height + 2), columns = column_words * ((size_t)width + 2);
	size_t words = rows > columns ? rows : columns, same = o->words_capacity;
	int rc = grow((void **)&o->rows, &same, words, sizeof(*o->rows));
	if (rc == 0)
		rc = grow((void **)&o->columns, &o->words_capacity, words, sizeof(*o->columns));
	if (rc == 0)
		rc = grow((void **)&o->region, &o->cells_capacity, (size_t)width * (size_t)height,
		    sizeof(*o->region));
	o->row_words = row_words;
	o->column_words = column_words;
	return rc;
}

/* Turns 64 x 64 bits over their diagonal by exchanging ever smaller squares (Warren, "Hacker's Delight",
 * transposing a bit matrix). */
static void turn_square(uint64_t a[64])
{
	uint64_t mask = UINT64_C(0x00000000ffffffff);
	for (int half = 32; half != 0; half >>= 1, mask ^= mask << half)
		for (int k = 0; k < 64; k = ((k | half) + 1) & ~half) {
			uint64_t swap = ((a[k] >> half) ^ a[k | half]) & mask;
			a[k] ^= swap << half;
			a[k | half] ^= swap;
		}
}

static void fill_rows(struct cairn_passable *o, const uint8_t *open_cell, size_t stride)
{
	memset(o->rows, 0xff, o->row_words * ((size_t)o->height + 2) * sizeof(*o->rows));
	for (int y = 0; y < o->height; y++) {
		const uint8_t *cell = open_cell + (size_t)y * stride;
		uint64_t *row = o->rows + ((size_t)y + 1) * o->row_words, word = 0;
		size_t bit = 1;
		for (int x = 0; x < o->width; x++, bit++) {
			word |= (uint64_t)(cell[x] != 0) << (bit & 63);
			if ((bit & 63) == 63) {
				row[bit / 64] = ~word;
				word = 0;
			}
		}
		if ((bit & 63) != 0)
			row[bit / 64] = ~word;
	}
}

static void fill_columns(struct cairn_passable *o)
{
	size_t rows = (size_t)o->height + 2, columns = (size_t)o->width + 2;
	uint64_t square[64];
	for (size_t wy = 0; wy < o->column_words; wy++)
		for (size_t wx = 0; wx < o->row_words; wx++) {
			for (size_t k = 0; k < 64; k++)
				square[k] = wy * 64 + k < rows ? o->rows[(wy * 64 + k) * o->row_words + wx]
							       : ~UINT64_C(0);
			turn_square(square);
			for (size_t k = 0; k < 64 && wx * 64 + k < columns; k++)
				o->columns[(wx * 64 + k) * o->column_words + wy] = square[k];
		}
}

/* ---- regions ---- */

static int32_t root(const struct cairn_passable *o, int32_t r)
{
	while (o->parent[r] != r) {
		o->parent[r] = o->parent[o->parent[r]];
		r = o->parent[r];
	}
	return r;
}

static void join(struct cairn_passable *o, int32_t a, int32_t b)
{
	a = root(o, a);
	b = root(o, b);
	if (a < b)
		o->parent[b] = a;
	else
		o->parent[a] = b;
}

/* Runs of open cells of a row take the region of a run above that they touch, or begin one. */
static int label_row(struct cairn_passable *o, const uint8_t *open_cell, int y)
{
	int32_t *at = o->region + (size_t)y * (size_t)o->width, run = -1;
	const int32_t *above = y > 0 ? at - o->width : NULL;
	int32_t above_before = -1;
	for (int x = 0; x < o->width; x++) {
		int32_t up = above != NULL ? above[x] : -1;
		if (!open_cell[x]) {
			at[x] = run = above_before = -1;
			continue;
		}
		if (run < 0) {
			if (up < 0) {
				if (grow((void **)&o->parent, &o->parents_capacity, (size_t)o->regions + 1,
					sizeof(*o->parent)) < 0)
					return -ENOMEM;
				o->parent[o->regions] = o->regions;
				run = o->regions++;
			} else {
				run = up;
			}
		} else if (up >= 0 && up != run && up != above_before) {
			join(o, run, up);
		}
		above_before = up;
		at[x] = run;
	}
	return 0;
}

static int label(struct cairn_passable *o, const uint8_t *open_cell, size_t stride)
{
	o->regions = 0;
	for (int y = 0; y < o->height; y++)
		if (label_row(o, open_cell + (size_t)y * stride, y) < 0)
			return -ENOMEM;
	int kept = 0;
	for (int32_t r = 0; r < o->regions; r++) /* the parent is never the larger one */
		o->parent[r] = o->parent[r] == r ? kept++ : o->parent[o->parent[r]];
	size_t cells = (size_t)o->width * (size_t)o->height;
	for (size_t i = 0; i < cells; i++)
		if (o->region[i] >= 0)
			o->region[i] = o->parent[o->region[i]];
	o->regions = kept;
	return 0;
}

int cairn_passable_set(
    struct cairn_passable *o, const uint8_t *open_cell, size_t stride, int width, int height)
{
	o->width = o->height = o->regions = 0;
	if (width <= 0 || height <= 0 || width > SIDE_MAX || height > SIDE_MAX ||
	    width > CELLS_MAX / height || stride < (size_t)width)
		return -EINVAL;
	int rc = reserve(o, width, height);
	if (rc == 0) {
		o->width = width;
		o->height = height;
		fill_rows(o, open_cell, stride);
		fill_columns(o);
		rc = label(o, open_cell, stride);
	}
	if (rc < 0)
		o->width = o->height = o->regions = 0;
	return rc;
}

int cairn_passable_nearest(const struct cairn_passable *o, int with, double x, double y, double reach)
{
	int best = -1;
	double best2 = reach * reach;
	if (!(fabs(x) < 1e9 && fabs(y) < 1e9) || (with >= 0 && o->region[with] < 0))
		return -1;
	int y0 = (int)fmax(ceil(y - reach), 0.0), y1 = (int)fmin(floor(y + reach), (double)(o->height - 1));
	for (int v = y0; v <= y1; v++) {
		double dy = (double)v - y, across = sqrt(fmax(best2 - dy * dy, 0.0));
		int u1 = (int)fmin(floor(x + across), (double)(o->width - 1));
		for (int u = (int)fmax(ceil(x - across), 0.0); u <= u1; u++) {
			int cell = v * o->width + u;
			double d2 = ((double)u - x) * ((double)u - x) + dy * dy;
			if (d2 > best2 || (best >= 0 && d2 == best2) || o->region[cell] < 0 ||
			    (with >= 0 && o->region[cell] != o->region[with]))
				continue;
			best = cell;
			best2 = d2;
		}
	}
	return best;
}
