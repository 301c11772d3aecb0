#include "procs/lab/soak_meter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WARM_UP_SHARE (1.0 / 3.0)
#define WARM_UP_MAX_S 600.0
#define WINDOW_SHARE 0.1

void soak_meter_init(struct soak_meter *m, double total_s)
{
	*m = (struct soak_meter){.count = 0};
	m->begin_s[SOAK_FIRST] = fmin(WARM_UP_SHARE * total_s, WARM_UP_MAX_S);
	m->end_s[SOAK_FIRST] = m->begin_s[SOAK_FIRST] + WINDOW_SHARE * total_s;
	m->begin_s[SOAK_LAST] = (1.0 - WINDOW_SHARE) * total_s;
	m->end_s[SOAK_LAST] = total_s;
}

bool soak_meter_within(const struct soak_meter *m, enum soak_window w, double t_s)
{
	return t_s >= m->begin_s[w] && t_s < m->end_s[w];
}

static struct soak_row *row_of(struct soak_meter *m, const char *name, int pid)
{
	for (int i = 0; i < m->count; i++) {
		if (strcmp(m->rows[i].name, name) == 0)
			return &m->rows[i];
	}
	if (m->count == SOAK_ROWS_MAX)
		return NULL;
	struct soak_row *row = &m->rows[m->count++];
	snprintf(row->name, sizeof(row->name), "%s", name);
	row->pid = pid;
	return row;
}

void soak_meter_sample(
    struct soak_meter *m, const char *name, int pid, double t_s, const struct soak_sample *s)
{
	struct soak_row *row = row_of(m, name, pid);
	if (row == NULL)
		return;
	row->replaced = row->replaced || row->pid != pid;
	row->rss_max_mb = fmax(row->rss_max_mb, s->rss_mb);
	for (int w = 0; w < SOAK_WINDOWS; w++) {
		if (!soak_meter_within(m, (enum soak_window)w, t_s))
			continue;
		if (row->count[w]++ == 0) {
			row->cpu_begin_s[w] = s->cpu_s;
			row->t_begin_s[w] = t_s;
		}
		row->cpu_end_s[w] = s->cpu_s;
		row->t_end_s[w] = t_s;
		row->rss_sum_mb[w] += s->rss_mb;
		row->fds[w] = row->count[w] == 1 || s->fds < row->fds[w] ? s->fds : row->fds[w];
	}
}

struct soak_verdict soak_meter_judge(const struct soak_row *row)
{
	struct soak_verdict v = {.measured = !row->replaced};
	for (int w = 0; w < SOAK_WINDOWS; w++) {
		double span_s = row->t_end_s[w] - row->t_begin_s[w];
		v.measured = v.measured && row->count[w] > 1;
		v.rss_mb[w] = row->count[w] > 0 ? row->rss_sum_mb[w] / row->count[w] : 0.0;
		v.cpu_cores[w] = span_s > 0.0 ? (row->cpu_end_s[w] - row->cpu_begin_s[w]) / span_s : 0.0;
		v.fds[w] = row->fds[w];
	}
	double more_mb = v.rss_mb[SOAK_LAST] - v.rss_mb[SOAK_FIRST];
	v.rss_growth = v.rss_mb[SOAK_FIRST] > 0.0 ? more_mb / v.rss_mb[SOAK_FIRST] : 0.0;
	v.rss_ok = v.measured && (v.rss_growth <= SOAK_RSS_SHARE_MAX || more_mb <= SOAK_RSS_FLOOR_MB);
	v.fds_ok = v.measured && v.fds[SOAK_LAST] <= v.fds[SOAK_FIRST];
	return v;
}
