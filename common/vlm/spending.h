/* spending.h - what was spent when, by the time of day, so that the limits of an hour and a day hold over restarts and
 * reboots. Pure, but for reading and writing a file.
 *
 * Hours and days are sliding windows made of 60 buckets of a minute and 24 of an hour, so a limit is kept to within one
 * bucket on the strict side: a bucket leaves the window only as a whole. What the clock says lies in the future was spent
 * before the clock was set back: it counts as spent now. */
#ifndef CAIRN_COMMON_VLM_SPENDING_H
#define CAIRN_COMMON_VLM_SPENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/text.h"

#define CAIRN_SPENDING_FILE_NAME "spending.txt" /* in RUN/state */
#define CAIRN_SPENDING_BYTES_MAX (64 * 1024)
#define CAIRN_SPENDING_MINUTES 61 /* 60 whole ones and the one being filled */
#define CAIRN_SPENDING_HOURS 25

struct cairn_spending_bucket {
	int64_t index; /* minute or hour since 1970; a stale index, and amount 0, is an empty bucket */
	double usd;
};

/* All zero: nothing was spent. */
struct cairn_spending {
	uint64_t session; /* whose session_usd is */
	double session_usd;
	uint64_t task; /* of the agent, and how much of what it has cost is in hours */
	double task_usd;
	struct cairn_spending_bucket minutes[CAIRN_SPENDING_MINUTES], hours[CAIRN_SPENDING_HOURS];
};

void cairn_spending_add(struct cairn_spending *spending, int64_t unix_s, double usd);
/* A task of the agent has cost so much until now: what of that was not counted yet is spent today. It is in no hour and no
 * session, which bound the exploration; a task has a limit of its own. */
void cairn_spending_count_task(struct cairn_spending *spending, int64_t unix_s, uint64_t task, double usd);
double cairn_spending_hour_usd(const struct cairn_spending *spending, int64_t unix_s);
double cairn_spending_day_usd(const struct cairn_spending *spending, int64_t unix_s);

/* Goes on at unix_s in this session: another session than that of before has spent nothing yet. */
void cairn_spending_resume(struct cairn_spending *spending, uint64_t session, int64_t unix_s);

/* One line each: "session ID USD", "task ID USD", "minute INDEX USD", "hour INDEX USD". */
void cairn_spending_write(struct cairn_text *out, const struct cairn_spending *spending);
/* False with the line and the reason; *ret untouched then. */
bool cairn_spending_read(struct cairn_spending *ret, const char *text, size_t count, struct cairn_error *err);

#endif
