/* soak_meter.h - does a process grow or slow down? Two windows of a long run compared. Pure.
 *
 * The run is cut into warm-up, first window, middle, last window. What a process uses is averaged within a
 * window, so that a peak in one sample decides nothing; growth is last mean over first mean, minus one. */
#ifndef CAIRN_PROCS_LAB_SOAK_METER_H
#define CAIRN_PROCS_LAB_SOAK_METER_H

#include <stdbool.h>
#include <stdint.h>

#define SOAK_ROWS_MAX 24
#define SOAK_RSS_SHARE_MAX 0.01
/* A process of a few megabytes is judged no finer than this: single pages come and go with every library
 * call. */
#define SOAK_RSS_FLOOR_MB 0.125

enum soak_window { SOAK_FIRST, SOAK_LAST, SOAK_WINDOWS };

struct soak_sample {
	double rss_mb; /* without shared memory */
	double cpu_s;  /* since the process began */
	int fds;
};

struct soak_row {
	char name[32];
	int pid;
	bool replaced; /* another process took its place: not one life any more */
	uint32_t count[SOAK_WINDOWS];
	double rss_sum_mb[SOAK_WINDOWS], rss_max_mb;
	double cpu_begin_s[SOAK_WINDOWS], cpu_end_s[SOAK_WINDOWS], t_begin_s[SOAK_WINDOWS],
	    t_end_s[SOAK_WINDOWS];
	int fds[SOAK_WINDOWS]; /* fewest: a connection, or a file being read, comes and goes; a leak stays */
};

struct soak_meter {
	double begin_s[SOAK_WINDOWS], end_s[SOAK_WINDOWS];
	struct soak_row rows[SOAK_ROWS_MAX];
	int count;
};

struct soak_verdict {
	double rss_mb[SOAK_WINDOWS], rss_growth, cpu_cores[SOAK_WINDOWS];
	int fds[SOAK_WINDOWS]; /* fewest in the window */
	bool measured, rss_ok, fds_ok;
};

/* total_s: of the run. A third of it, ten minutes at most, is warm-up; each window is a tenth. */
void soak_meter_init(struct soak_meter *m, double total_s);
/* t_s since the start of the run. Rows are made as names appear. */
void soak_meter_sample(
    struct soak_meter *m, const char *name, int pid, double t_s, const struct soak_sample *s);
struct soak_verdict soak_meter_judge(const struct soak_row *row);
/* True when t_s lies in window w. */
bool soak_meter_within(const struct soak_meter *m, enum soak_window w, double t_s);

#endif
