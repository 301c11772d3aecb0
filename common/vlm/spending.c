#include "common/vlm/spending.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MINUTE_S 60
#define HOUR_S 3600
#define USD_MAX 1e6 /* more is no sum that anybody spent here */
#define LINE_MAX 96

/* The slot of an index, which may be negative before 1970. */
static struct cairn_spending_bucket *slot(struct cairn_spending_bucket *buckets, int count, int64_t index)
{
	return &buckets[(index % count + count) % count];
}

static void add(struct cairn_spending_bucket *buckets, int count, int64_t index, double usd)
{
	struct cairn_spending_bucket *b = slot(buckets, count, index);
	if (b->index != index)
		*b = (struct cairn_spending_bucket){.index = index};
	b->usd += usd;
}

void cairn_spending_add(struct cairn_spending *s, int64_t unix_s, double usd)
{
	if (!(usd > 0.0))
		return;
	s->session_usd += usd;
	add(s->minutes, CAIRN_SPENDING_MINUTES, unix_s / MINUTE_S, usd);
	add(s->hours, CAIRN_SPENDING_HOURS, unix_s / HOUR_S, usd);
}

void cairn_spending_count_task(struct cairn_spending *s, int64_t unix_s, uint64_t task, double usd)
{
	/* A task that costs less than it did is another one: ids begin anew with a new run. */
	double counted = task == s->task && usd >= s->task_usd ? s->task_usd : 0.0;
	if (usd > counted)
		add(s->hours, CAIRN_SPENDING_HOURS, unix_s / HOUR_S, usd - counted);
	s->task = task;
	s->task_usd = usd;
}

static double sum(const struct cairn_spending_bucket *buckets, int count, int64_t index)
{
	double usd = 0.0;
	for (int i = 0; i < count; i++) {
		if (buckets[i].index > index - count && buckets[i].index <= index)
			usd += buckets[i].usd;
	}
	return usd;
}

double cairn_spending_hour_usd(const struct cairn_spending *s, int64_t unix_s)
{
	return sum(s->minutes, CAIRN_SPENDING_MINUTES, unix_s / MINUTE_S);
}

double cairn_spending_day_usd(const struct cairn_spending *s, int64_t unix_s)
{
	return sum(s->hours, CAIRN_SPENDING_HOURS, unix_s / HOUR_S);
}

/* What lies in the future is moved to now. */
static void settle(struct cairn_spending_bucket *buckets, int count, int64_t index)
{
	double ahead_usd = 0.0;
	for (int i = 0; i < count; i++) {
		if (buckets[i].index <= index)
			continue;
		ahead_usd += buckets[i].usd;
		buckets[i] = (struct cairn_spending_bucket){0};
	}
	if (ahead_usd > 0.0)
		add(buckets, count, index, ahead_usd);
}

void cairn_spending_resume(struct cairn_spending *s, uint64_t session, int64_t unix_s)
{
	if (s->session != session) {
		s->session = session;
		s->session_usd = 0.0;
	}
	settle(s->minutes, CAIRN_SPENDING_MINUTES, unix_s / MINUTE_S);
	settle(s->hours, CAIRN_SPENDING_HOURS, unix_s / HOUR_S);
}

/* ---- as text ---- */

static void write_buckets(
    struct cairn_text *out, const char *name, const struct cairn_spending_bucket *buckets, int count)
{
	for (int i = 0; i < count; i++) {
		if (buckets[i].usd > 0.0)
			cairn_text_addf(out, "%s %" PRId64 " %.9g\n", name, buckets[i].index, buckets[i].usd);
	}
}

void cairn_spending_write(struct cairn_text *out, const struct cairn_spending *s)
{
	cairn_text_addf(out, "session %" PRIu64 " %.9g\n", s->session, s->session_usd);
	if (s->task_usd > 0.0)
		cairn_text_addf(out, "task %" PRIu64 " %.9g\n", s->task, s->task_usd);
	write_buckets(out, "minute", s->minutes, CAIRN_SPENDING_MINUTES);
	write_buckets(out, "hour", s->hours, CAIRN_SPENDING_HOURS);
}

static bool read_line(struct cairn_spending *s, const char *line)
{
	int64_t index;
	double usd;
	int used = 0;
	if (sscanf(line, "session %" SCNu64 " %lf%n", &s->session, &usd, &used) == 2 && line[used] == '\0') {
		s->session_usd = usd;
	} else if (sscanf(line, "task %" SCNu64 " %lf%n", &s->task, &usd, &used) == 2 && line[used] == '\0') {
		s->task_usd = usd;
	} else if (sscanf(line, "minute %" SCNd64 " %lf%n", &index, &usd, &used) == 2 && line[used] == '\0') {
		add(s->minutes, CAIRN_SPENDING_MINUTES, index, usd);
	} else if (sscanf(line, "hour %" SCNd64 " %lf%n", &index, &usd, &used) == 2 && line[used] == '\0') {
		add(s->hours, CAIRN_SPENDING_HOURS, index, usd);
	} else {
		return false;
	}
	return usd >= 0.0 && usd <= USD_MAX;
}

bool cairn_spending_read(struct cairn_spending *ret, const char *text, size_t count, struct cairn_error *err)
{
	struct cairn_spending s = {0};
	int number = 1;
	bool begun = false;
	for (const char *end = text + count; text < end; number++) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t n = stop != NULL ? (size_t)(stop - text) : 0;
		char line[LINE_MAX];
		if (n == 0 || n >= sizeof(line)) {
			cairn_error_set(err, "line %d is cut off, empty or too long", number);
			return false;
		}
		memcpy(line, text, n);
		line[n] = '\0';
		if (strlen(line) != n || !read_line(&s, line)) {
			cairn_error_set(err, "line %d is no 'session|task|minute|hour NUMBER USD'", number);
			return false;
		}
		begun = begun || strncmp(line, "session", 7) == 0;
		text = stop + 1;
	}
	if (!begun) {
		cairn_error_set(err, "no line of the session");
		return false;
	}
	*ret = s;
	return true;
}
