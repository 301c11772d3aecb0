#include "procs/cairn/up_map.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "common/base/geom.h"
#include "common/base/whole_io.h"
#include "common/slam/mapper.h"

#define PERIOD_NS (3 * CAIRN_NS_PER_S)
#define OCCUPIED 65
#define UNKNOWN 255

/* What a block of cells is shown as: a wall of one cell must not vanish, a hole of one cell may. */
static char mark_of(const uint8_t *cells, int width, int height, int x0, int y0, int k)
{
	int free_cells = 0, unknown = 0;
	for (int y = y0; y < y0 + 2 * k; y++)
		for (int x = x0; x < x0 + k; x++) {
			bool inside = x >= 0 && x < width && y >= 0 && y < height;
			uint8_t c = inside ? cells[(size_t)y * (size_t)width + (size_t)x] : UNKNOWN;
			if (c >= OCCUPIED && c <= 100)
				return '#';
			unknown += c == UNKNOWN;
			free_cells += c < OCCUPIED;
		}
	return free_cells > 0 && free_cells >= unknown / 4 ? '.' : ' ';
}

void up_map_draw(const uint8_t *cells, int width, int height, double cell_m, double origin_x_m,
    double origin_y_m, int cols, int rows, struct up_map_picture *ret)
{
	*ret = (struct up_map_picture){0};
	cols = cols < UP_MAP_COLS ? cols : UP_MAP_COLS;
	rows = rows < UP_MAP_ROWS ? rows : UP_MAP_ROWS;
	if (width < 1 || height < 1 || cols < 1 || rows < 1)
		return;
	int k = 1;
	while ((width + k - 1) / k > cols || (height + 2 * k - 1) / (2 * k) > rows)
		k++;
	ret->cols = (width + k - 1) / k;
	ret->rows = (height + 2 * k - 1) / (2 * k);
	ret->col_m = k * cell_m;
	ret->left_m = origin_x_m;
	ret->top_m = origin_y_m + height * cell_m;
	for (int row = 0; row < ret->rows; row++)
		for (int col = 0; col < ret->cols; col++)
			ret->cells[row][col] =
			    mark_of(cells, width, height, col * k, height - (row + 1) * 2 * k, k);
}

bool up_map_place(const struct up_map_picture *p, double x_m, double y_m, int *ret_col, int *ret_row)
{
	double col = floor((x_m - p->left_m) / p->col_m), row = floor((p->top_m - y_m) / (2.0 * p->col_m));
	if (p->cols == 0 || !(col >= 0.0 && col < p->cols && row >= 0.0 && row < p->rows))
		return false;
	*ret_col = (int)col;
	*ret_row = (int)row;
	return true;
}

/* ---- the child ---- */

static void draw_checkpoint(const struct cairn_config *cfg, const char *run_dir, int cols, int rows, int fd)
{
	struct up_map_picture picture;
	char path[300];
	snprintf(path, sizeof(path), "%s/state/map.bin", run_dir);
	struct cairn_mapper *mapper = cairn_mapper_load(cfg, path, NULL);
	if (mapper == NULL)
		return;
	const struct cairn_grid *grid = cairn_mapper_grid(mapper);
	struct cairn_cell_box box = cairn_grid_published(grid);
	int width = box.max_cx - box.min_cx + 1, height = box.max_cy - box.min_cy + 1;
	uint8_t *cells = cairn_cell_box_empty(box) ? NULL : malloc((size_t)width * (size_t)height);
	if (cells == NULL)
		return;
	cairn_grid_bytes(grid, box, cells);
	up_map_draw(cells, width, height, grid->cell_m, box.min_cx * grid->cell_m, box.min_cy * grid->cell_m,
	    cols, rows, &picture);
	(void)cairn_write_whole(fd, &picture, sizeof(picture));
}

static int start_child(const struct cairn_config *cfg, const char *run_dir, int cols, int rows)
{
	int ends[2];
	pid_t us = getpid();
	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	pid_t pid = fork(); /* reaped with all the others */
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ends[0]);
		if (getppid() == us)
			draw_checkpoint(cfg, run_dir, cols, rows, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	if (pid < 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) {
		close(ends[0]);
		return -1;
	}
	return ends[0];
}

void up_map_init(struct up_map *map)
{
	memset(map, 0, sizeof(*map));
	map->fd = -1;
}

static void take(struct up_map *map)
{
	char *at = (char *)&map->coming + map->came;
	ssize_t n = read(map->fd, at, sizeof(map->coming) - map->came);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	map->came += n > 0 ? (size_t)n : 0;
	if (n > 0 && map->came < sizeof(map->coming))
		return;
	if (map->came == sizeof(map->coming))
		map->shown = map->coming;
	close(map->fd);
	map->fd = -1;
}

void up_map_tick(struct up_map *map, const struct cairn_config *cfg, const char *run_dir, int cols, int rows,
    int64_t now_ns)
{
	if (map->fd >= 0)
		take(map);
	if (map->fd >= 0 || now_ns < map->due_ns || cols < 1 || rows < 1)
		return;
	map->came = 0;
	map->fd = start_child(cfg, run_dir, cols, rows);
	map->due_ns = now_ns + PERIOD_NS;
}

void up_map_close(struct up_map *map)
{
	if (map->fd >= 0)
		close(map->fd);
	map->fd = -1;
}
