#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "common/base/file.h"
#include "procs/lab/bench_planner.h"

#define SIDE_MAX 16384
#define LINE_MAX_BYTES (SIDE_MAX + 16)

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL ? slash + 1 : path;
}

/* One row of letters into passable cells: . G and S may be entered, S (swamp) at the cost of the others. */
static bool take_row(struct bench_map *map, int y, const char *line)
{
	if (strcspn(line, "\r\n") != (size_t)map->width)
		return false;
	uint8_t *row = map->passable + (size_t)y * (size_t)map->width;
	for (int x = 0; x < map->width; x++) {
		if (strchr(".GS@OTW", line[x]) == NULL)
			return false;
		row[x] = line[x] == '.' || line[x] == 'G' || line[x] == 'S';
	}
	return true;
}

static bool read_map(struct bench_map *map, gzFile f, char *line, const char *path, struct cairn_error *err)
{
	bool grid = false;
	while (!grid && gzgets(f, line, LINE_MAX_BYTES) != NULL) {
		if (sscanf(line, "height %d", &map->height) == 1 ||
		    sscanf(line, "width %d", &map->width) == 1)
			continue;
		grid = strncmp(line, "map", 3) == 0;
	}
	if (!grid || map->width < 1 || map->height < 1 || map->width > SIDE_MAX || map->height > SIDE_MAX) {
		cairn_error_set(err, "%s: not a map of the benchmark (type, height, width, map)", path);
		return false;
	}
	map->passable = malloc((size_t)map->width * (size_t)map->height);
	if (map->passable == NULL) {
		cairn_error_set(err, "%s: out of memory", path);
		return false;
	}
	for (int y = 0; y < map->height; y++)
		if (gzgets(f, line, LINE_MAX_BYTES) == NULL || !take_row(map, y, line)) {
			cairn_error_set(err, "%s: row %d is not %d letters of .GS@OTW", path, y, map->width);
			return false;
		}
	return true;
}

static bool find_map(struct bench_scenario *s, const char *scenario_path, const char *map_dir, char *line,
    struct cairn_error *err)
{
	char path[1024];
	const char *end = base_name(scenario_path);
	int dir = map_dir != NULL ? (int)strlen(map_dir) : (int)(end - scenario_path);
	const char *from = map_dir != NULL ? map_dir : scenario_path;
	for (int zipped = 0; zipped < 2; zipped++) {
		snprintf(path, sizeof(path), "%.*s%s%s%s", dir, from, map_dir != NULL ? "/" : "", s->map_name,
		    zipped ? ".gz" : "");
		if (access(path, R_OK) != 0)
			continue;
		gzFile f = cairn_file_gzip(path, err);
		bool ok = f != NULL && read_map(&s->map, f, line, path, err);
		if (f != NULL)
			gzclose(f);
		return ok;
	}
	cairn_error_set(
	    err, "%s: its map %s is neither there nor as .gz; see --map-dir", scenario_path, s->map_name);
	return false;
}

struct raw_problem {
	char map_name[128];
	int width, height, sx, sy, gx, gy;
	double optimal;
};

static bool parse_problem(const char *line, struct raw_problem *p)
{
	char map_path[512];
	if (sscanf(line, "%*d %511s %d %d %d %d %d %d %lf", map_path, &p->width, &p->height, &p->sx, &p->sy,
		&p->gx, &p->gy, &p->optimal) != 8)
		return false;
	const char *name = base_name(map_path);
	size_t n = strlen(name);
	if (n == 0 || n >= sizeof(p->map_name) - 4)
		return false;
	memcpy(p->map_name, name, n + 1);
	return true;
}

/* A scenario may name a scaled map; only the map's own size can be checked against its lengths. */
static bool take_problem(struct bench_scenario *s, const struct raw_problem *p, const char *path, int number,
    struct cairn_error *err)
{
	const struct bench_map *m = &s->map;
	if (strcmp(p->map_name, s->map_name) != 0 || p->width != m->width || p->height != m->height) {
		cairn_error_set(err, "%s, line %d: %s of %d x %d, but the map is %s of %d x %d", path, number,
		    p->map_name, p->width, p->height, s->map_name, m->width, m->height);
		return false;
	}
	if (p->sx < 0 || p->sy < 0 || p->gx < 0 || p->gy < 0 || p->sx >= m->width || p->gx >= m->width ||
	    p->sy >= m->height || p->gy >= m->height || !(p->optimal >= 0.0)) {
		cairn_error_set(err, "%s, line %d: outside the map", path, number);
		return false;
	}
	if ((s->count & (s->count - 1)) == 0) {
		size_t room = s->count == 0 ? 1 : 2 * (size_t)s->count;
		struct bench_problem *grown = realloc(s->problems, room * sizeof(*grown));
		if (grown == NULL) {
			cairn_error_set(err, "%s: out of memory", path);
			return false;
		}
		s->problems = grown;
	}
	s->problems[s->count++] =
	    (struct bench_problem){p->sy * m->width + p->sx, p->gy * m->width + p->gx, p->optimal};
	return true;
}

static bool read_problems(struct bench_scenario *s, gzFile f, const char *path, const char *map_dir,
    char *line, struct cairn_error *err)
{
	if (gzgets(f, line, LINE_MAX_BYTES) == NULL || strncmp(line, "version 1", 9) != 0) {
		cairn_error_set(err, "%s: not a scenario (the first line is not \"version 1\")", path);
		return false;
	}
	for (int number = 2; gzgets(f, line, LINE_MAX_BYTES) != NULL; number++) {
		struct raw_problem p;
		if (line[strspn(line, " \t\r\n")] == '\0')
			continue;
		if (!parse_problem(line, &p)) {
			cairn_error_set(err, "%s, line %d: not a problem of nine columns", path, number);
			return false;
		}
		if (s->map_name[0] == '\0') {
			memcpy(s->map_name, p.map_name, sizeof(s->map_name));
			if (!find_map(s, path, map_dir, line, err))
				return false;
		}
		if (!take_problem(s, &p, path, number, err))
			return false;
	}
	if (s->count == 0)
		cairn_error_set(err, "%s: no problems", path);
	return s->count > 0;
}

bool bench_scenario_read(
    struct bench_scenario *s, const char *path, const char *map_dir, struct cairn_error *err)
{
	*s = (struct bench_scenario){.count = 0};
	char *line = malloc(LINE_MAX_BYTES);
	gzFile f = cairn_file_gzip(path, err);
	bool ok = line != NULL && f != NULL && read_problems(s, f, path, map_dir, line, err);
	if (f != NULL)
		gzclose(f);
	free(line);
	if (!ok)
		bench_scenario_free(s);
	return ok;
}

void bench_scenario_free(struct bench_scenario *s)
{
	free(s->map.passable);
	free(s->problems);
	*s = (struct bench_scenario){.count = 0};
}
