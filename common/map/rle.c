#include "common/map/rle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OCCUPIED 65
#define COARSEST_M 4.0
#define SIDE_MAX 4096u

struct extent {
	uint32_t x0, y0, x1, y1; /* known cells, both included */
};

static bool find_extent(const struct cairn_rle_map *m, struct extent *e)
{
	*e = (struct extent){m->width, m->height, 0, 0};
	for (uint32_t y = 0; y < m->height; y++) {
		for (uint32_t x = 0; x < m->width; x++) {
			if (m->cells[(size_t)y * m->stride_bytes + x] > 100)
				continue;
			e->x0 = x < e->x0 ? x : e->x0;
			e->x1 = x > e->x1 ? x : e->x1;
			e->y0 = y < e->y0 ? y : e->y0;
			e->y1 = y > e->y1 ? y : e->y1;
		}
	}
	return e->x0 <= e->x1 && e->y0 <= e->y1;
}

/* The letter of the square whose cells are [x0, x1] x [y0, y1]. */
static char letter_of(const struct cairn_rle_map *m, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1)
{
	uint32_t unknown = 0;
	for (uint32_t y = y0; y <= y1; y++) {
		for (uint32_t x = x0; x <= x1; x++) {
			uint8_t cell = m->cells[(size_t)y * m->stride_bytes + x];
			if (cell >= OCCUPIED && cell <= 100)
				return '#';
			unknown += cell > 100;
		}
	}
	return 2 * unknown > (x1 - x0 + 1) * (y1 - y0 + 1) ? '?' : '.';
}

struct out {
	char *buf;
	size_t bytes, used;
};

/* False when it is full. */
static bool put_run(struct out *o, uint32_t count, char letter)
{
	char run[16];
	int n = count > 1 ? snprintf(run, sizeof(run), "%u%c", count, letter)
			  : snprintf(run, sizeof(run), "%c", letter);
	if (o->used + (size_t)n + 2 > o->bytes)
		return false;
	memcpy(o->buf + o->used, run, (size_t)n);
	o->used += (size_t)n;
	return true;
}

static bool put_row(struct out *o, const char *row, uint32_t columns)
{
	for (uint32_t from = 0, to; from < columns; from = to) {
		for (to = from + 1; to < columns && row[to] == row[from];)
			to++;
		if (!put_run(o, to - from, row[from]))
			return false;
	}
	o->buf[o->used++] = '\n';
	return true;
}

static bool put_repeats(struct out *o, uint32_t repeats)
{
	if (repeats == 0)
		return true;
	char text[16];
	int n = repeats > 1 ? snprintf(text, sizeof(text), "=%u\n", repeats)
			    : snprintf(text, sizeof(text), "=\n");
	if (o->used + (size_t)n + 1 > o->bytes)
		return false;
	memcpy(o->buf + o->used, text, (size_t)n);
	o->used += (size_t)n;
	return true;
}

static void robot_square(
    const struct cairn_rle_map *m, const struct extent *e, uint32_t step, long *column, long *row)
{
	*column = *row = -1;
	if (m->robot == NULL || !(fabs(m->robot->x_m) < 1e5 && fabs(m->robot->y_m) < 1e5))
		return;
	*row = (long)floor((m->origin_x_m + (e->x1 + 1) * m->cell_m - m->robot->x_m) / (m->cell_m * step));
	*column = (long)floor((m->origin_y_m + (e->y1 + 1) * m->cell_m - m->robot->y_m) / (m->cell_m * step));
}

/* The text with squares of step cells; 0 when it does not fit. */
static size_t write_at(
    const struct cairn_rle_map *m, const struct extent *e, uint32_t step, char *buf, size_t bytes)
{
	static const char *const words = "x up, y left; # wall, . free, ? unknown";
	uint32_t rows = (e->x1 - e->x0) / step + 1, columns = (e->y1 - e->y0) / step + 1, repeats = 0;
	char line[2][SIDE_MAX];
	long robot_column, robot_row;
	if (columns > SIDE_MAX)
		return 0;
	robot_square(m, e, step, &robot_column, &robot_row);
	struct out o = {buf, bytes, 0};
	int n = snprintf(buf, bytes, "map %.4g m/cell, %u x %u, top left x %.4g y %.4g; %s%s\n",
	    m->cell_m * step, columns, rows, m->origin_x_m + (e->x1 + 1) * m->cell_m,
	    m->origin_y_m + (e->y1 + 1) * m->cell_m, words, m->robot != NULL ? ", R robot" : "");
	if (n < 0 || (size_t)n + 1 >= bytes)
		return 0;
	o.used = (size_t)n;
	for (uint32_t row = 0; row < rows; row++) {
		char *now = line[row % 2], *before = line[1 - row % 2];
		uint32_t x1 = e->x1 - row * step, x0 = x1 >= e->x0 + step - 1 ? x1 - step + 1 : e->x0;
		for (uint32_t c = 0; c < columns; c++) {
			uint32_t y1 = e->y1 - c * step, y0 = y1 >= e->y0 + step - 1 ? y1 - step + 1 : e->y0;
			bool robot = (long)row == robot_row && (long)c == robot_column;
			now[c] = robot ? 'R' : letter_of(m, x0, y0, x1, y1);
		}
		if (row > 0 && memcmp(now, before, columns) == 0) {
			repeats++;
			continue;
		}
		if (!put_repeats(&o, repeats) || !put_row(&o, now, columns))
			return 0;
		repeats = 0;
	}
	if (!put_repeats(&o, repeats))
		return 0;
	buf[o.used] = '\0';
	return o.used;
}

size_t cairn_rle_write(const struct cairn_rle_map *map, uint32_t tokens_max, char *buf, size_t bytes)
{
	struct extent e;
	if (map->cells == NULL || !(map->cell_m > 0.0) || bytes < 16 || !find_extent(map, &e))
		return 0;
	size_t most = (size_t)(tokens_max * CAIRN_RLE_BYTES_PER_TOKEN) + 1;
	most = most < bytes ? most : bytes;
	for (uint32_t step = 1; step * map->cell_m <= COARSEST_M; step++) {
		size_t used = write_at(map, &e, step, buf, most);
		if (used > 0)
			return used;
	}
	buf[0] = '\0';
	return 0;
}

/* One line into a row of squares; its end, or NULL when it is broken. */
static const char *read_row(const char *at, char *row, uint32_t columns)
{
	uint32_t filled = 0;
	while (*at != '\n' && *at != '\0') {
		uint32_t count = 0;
		bool counted = false;
		for (; *at >= '0' && *at <= '9' && count <= SIDE_MAX; at++, counted = true)
			count = count * 10 + (uint32_t)(*at - '0');
		count = counted ? count : 1;
		if (*at == '\0' || strchr("#.?R", *at) == NULL || count == 0 || count > columns - filled)
			return NULL;
		memset(row + filled, *at++, count);
		filled += count;
	}
	return filled == columns && *at == '\n' ? at + 1 : NULL;
}

static bool read_rows(const char *at, struct cairn_rle_read *r)
{
	for (uint32_t row = 0; row < r->rows;) {
		if (*at != '=') {
			at = read_row(at, r->squares + (size_t)row * r->columns, r->columns);
			if (at == NULL)
				return false;
			row++;
			continue;
		}
		char *end = NULL;
		unsigned long n = at[1] >= '0' && at[1] <= '9' ? strtoul(at + 1, &end, 10) : 1;
		at = end != NULL ? end : at + 1;
		if (row == 0 || n == 0 || n > r->rows - row || *at++ != '\n')
			return false;
		for (; n > 0; n--, row++)
			memcpy(r->squares + (size_t)row * r->columns,
			    r->squares + (size_t)(row - 1) * r->columns, r->columns);
	}
	return *at == '\0';
}

bool cairn_rle_read(const char *text, struct cairn_rle_read *ret, struct cairn_error *err)
{
	struct cairn_rle_read r = {0};
	const char *rows = strchr(text, '\n');
	if (sscanf(text, "map %lf m/cell, %u x %u, top left x %lf y %lf;", &r.cell_m, &r.columns, &r.rows,
		&r.top_x_m, &r.left_y_m) != 5 ||
	    rows == NULL || r.columns < 1 || r.rows < 1 || r.columns > SIDE_MAX || r.rows > SIDE_MAX ||
	    !(r.cell_m > 0.0)) {
		cairn_error_set(err, "map text: its first line is not that of a map");
		return false;
	}
	r.squares = malloc((size_t)r.columns * r.rows);
	if (r.squares == NULL || !read_rows(rows + 1, &r)) {
		cairn_error_set(err, r.squares == NULL ? "map text: no memory" : "map text: a row is broken");
		free(r.squares);
		return false;
	}
	*ret = r;
	return true;
}
