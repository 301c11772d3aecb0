/* report.h - one page about many runs: a self-contained HTML file with its figures in it, and each figure as
 * SVG and PNG beside it.
 *
 * What is handed in is drawn or copied at once, nothing is kept of the caller's; the page has it in the order
 * it came, except the runs, which come last, the worst first. Figures number themselves. Nothing is loaded
 * from elsewhere and nothing is a script, so that the page can be mailed, printed and kept. The same calls
 * give the same bytes.
 *
 * Errors are remembered: draw everything, then ask cairn_report_write once. Numbers that are not finite are
 * gaps in series, and never reach the page. Texts are UTF-8 and are escaped here. */
#ifndef CAIRN_COMMON_EVAL_REPORT_H
#define CAIRN_COMMON_EVAL_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/geom.h"

struct cairn_world;
struct cairn_grid;
struct cairn_report;

enum cairn_report_mark { CAIRN_REPORT_PLAIN, CAIRN_REPORT_GOOD, CAIRN_REPORT_WEAK, CAIRN_REPORT_BAD };

struct cairn_report_fact {
	const char *name, *value;
};

struct cairn_report_head {
	const char *title;
	const char *summary;                   /* a sentence or two below the title; may be NULL */
	const char *command;                   /* that makes this page again, as typed */
	const struct cairn_report_fact *facts; /* versions, machine, time, seeds */
	uint32_t fact_count;
	enum cairn_report_mark mark; /* of the verdict */
	const char *verdict;         /* a few words; may be NULL */
};

/* NULL: out of memory. */
struct cairn_report *cairn_report_new(const struct cairn_report_head *head);
void cairn_report_destroy(struct cairn_report **report_p);

/* A heading with a paragraph below it; text may be NULL. */
void cairn_report_heading(struct cairn_report *report, const char *title, const char *text);

struct cairn_report_column {
	const char *title; /* with its unit */
	bool number;       /* set to the right */
};

struct cairn_report_table {
	const char *caption; /* may be NULL */
	const struct cairn_report_column *columns;
	uint32_t column_count, row_count;
	const char *const *cells; /* row after row; NULL: an empty cell */
	const uint8_t *marks;     /* enum cairn_report_mark a row; may be NULL */
};
void cairn_report_table(struct cairn_report *report, const struct cairn_report_table *table);

/* ---- charts; file names the picture's files, without an ending: letters, digits, '-' and '_' ---- */

struct cairn_report_series {
	const char *name;
	const double *x, *y;
	const double *low, *high; /* a band around y; both NULL: none */
	uint32_t count;
	bool broken; /* a broken line */
};

struct cairn_report_line {
	const char *name; /* written beside it */
	double y;
};

struct cairn_report_chart {
	const char *file, *title, *caption, *x_label, *y_label; /* title and caption may be NULL */
	const struct cairn_report_series *series;
	uint32_t series_count;
	const struct cairn_report_line *lines; /* marks across the chart */
	uint32_t line_count;
	bool y_given; /* y_min and y_max hold; else what fits the values, and 0 */
	double y_min, y_max;
};
void cairn_report_chart(struct cairn_report *report, const struct cairn_report_chart *chart);

struct cairn_report_interval {
	const char *name;
	double mean, low, high;
	enum cairn_report_mark mark;
};

/* Means with their intervals below each other, on one axis: differences, ratios, shares. */
struct cairn_report_intervals {
	const char *file, *title, *caption, *x_label;
	const struct cairn_report_interval *items;
	uint32_t count;
	bool has_reference; /* a line that an interval may or may not touch */
	double reference;
};
void cairn_report_intervals(struct cairn_report *report, const struct cairn_report_intervals *intervals);

/* ---- maps ---- */

struct cairn_report_path {
	const char *name;      /* in the legend; NULL: not there */
	const float *points_m; /* x0 y0 x1 y1 ... */
	uint32_t point_count;
	uint32_t colour; /* 0 .. 7, as the series of charts are coloured in their order */
	bool broken;
};

enum cairn_report_spot_kind {
	CAIRN_REPORT_START,   /* heading_rad is drawn */
	CAIRN_REPORT_END,     /* of a path, heading_rad is drawn */
	CAIRN_REPORT_GOAL,    /* a ring of radius_m */
	CAIRN_REPORT_CONTACT, /* something was touched */
	CAIRN_REPORT_PLACE    /* a small disc */
};

struct cairn_report_spot {
	enum cairn_report_spot_kind kind;
	const char *name; /* written beside it; may be NULL */
	double x_m, y_m, radius_m, heading_rad;
};

/* Everything in one frame, x right and y up, but for the grid. */
struct cairn_report_map {
	const char *file, *title, *caption;
	const struct cairn_world *world; /* what is solid at height_m, and where it is free; may be NULL */
	double height_m;                 /* of the cut through the world */
	const struct cairn_grid *grid;   /* what the robot knew, below everything; may be NULL */
	struct cairn_pose2 grid_at;      /* of the grid's own frame */
	const struct cairn_report_path *paths;
	const struct cairn_report_spot *spots;
	uint32_t path_count, spot_count;
	double x_min_m, y_min_m, x_max_m, y_max_m; /* shown; all 0: what there is */
	uint32_t size_px;                          /* of the longer side; 0: 440 */
};
void cairn_report_map(struct cairn_report *report, const struct cairn_report_map *map);

/* ---- runs ---- */

struct cairn_report_run {
	const char *name;
	double badness; /* larger is worse and comes first; equal ones stay in the order they came */
	enum cairn_report_mark mark;
	const char *verdict; /* one line: why */
	const struct cairn_report_fact *facts;
	uint32_t fact_count;
	const struct cairn_report_map *map; /* may be NULL */
};
void cairn_report_run(struct cairn_report *report, const struct cairn_report_run *run);

/* A figure of a run, made where the run was (in another process): the drawing goes into files below dir, and
 * stands in the page by the name alone. The map's file must be set. */
bool cairn_report_draw_map(const struct cairn_report_map *map, const char *dir, struct cairn_error *err);
/* The same as cairn_report_run with a figure drawn before by cairn_report_draw_map; map is not looked at. */
void cairn_report_run_drawn(
    struct cairn_report *report, const struct cairn_report_run *run, const char *dir, const char *file);

/* Makes the folder where it is missing and writes index.html and the figures. False with the first error of
 * this or any call before. */
bool cairn_report_write(struct cairn_report *report, const char *dir, struct cairn_error *err);

#endif
