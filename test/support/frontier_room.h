/* frontier_room.h - rooms drawn cell by cell, and the frontiers found in them. */
#ifndef CAIRN_TEST_SUPPORT_FRONTIER_ROOM_H
#define CAIRN_TEST_SUPPORT_FRONTIER_ROOM_H

#include "common/explore/frontier.h"
#include "test/support/runner.h"

static struct cairn_config cfg;
static struct cairn_grid grid;
static struct cairn_frontier_finder *finder;
static struct cairn_frontier_memory memory;
static struct cairn_msg_frontiers found;

/* All in cells of 5 cm; the robot is put at a cell too. */
static inline void begin(void)
{
	cairn_config_defaults(&cfg);
	cairn_grid_init(&grid, 0.05, 60.0);
	ck_assert(cairn_grid_reserve(&grid, (struct cairn_cell_box){-20, -20, 300, 300}));
	finder = cairn_frontier_finder_new();
	ck_assert_ptr_nonnull(finder);
	memset(&memory, 0, sizeof(memory));
}

static inline void end(void)
{
	cairn_frontier_finder_destroy(&finder);
	cairn_grid_free(&grid);
}

static inline void area(int32_t x0, int32_t y0, int32_t x1, int32_t y1, int8_t odds)
{
	for (int32_t y = y0; y <= y1; y++) {
		for (int32_t x = x0; x <= x1; x++) {
			int8_t *cell = &grid.odds[cairn_grid_index(&grid, x, y)];
			grid.free_cells += (uint32_t)cairn_odds_free(odds) - (uint32_t)cairn_odds_free(*cell);
			*cell = odds;
			cairn_cell_box_add(&grid.known, x, y);
		}
	}
}

#define FREE ((int8_t)-40)
#define WALL ((int8_t)40)

/* A closed room: free floor from (x0, y0) to (x1, y1) with a wall one cell thick around. */
static inline void room(int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
	area(x0 - 1, y0 - 1, x1 + 1, y1 + 1, WALL);
	area(x0, y0, x1, y1, FREE);
}

static inline void find(int32_t robot_x, int32_t robot_y, bool looking)
{
	struct cairn_pose2 pose = {(robot_x + 0.5) * 0.05, (robot_y + 0.5) * 0.05, 0.0};
	ck_assert(cairn_frontier_find(finder, &memory, &grid, pose, looking, &cfg, &found));
}

static inline int8_t at_m(double x_m, double y_m)
{
	return cairn_grid_odds(&grid, cairn_grid_cell(&grid, x_m), cairn_grid_cell(&grid, y_m));
}

#endif
