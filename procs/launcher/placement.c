#include "procs/launcher/placement.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define FIFO_MIN 1
#define FIFO_MAX 99
#define SEPARATORS " ,\t"

static const char *const stage_names[] = {
#define STAGE(id, name, program, plane, when, doc) name,
#include "procs/launcher/stages.def"
#undef STAGE
};

struct word {
	const char *name;
	size_t name_len;
	long number;
	bool well_formed;
};

/* The next word of *at; false at the end. */
static bool next_word(const char **at, struct word *ret)
{
	const char *p = *at + strspn(*at, SEPARATORS);
	size_t len = strcspn(p, SEPARATORS);
	if (len == 0)
		return false;
	const char *colon = memchr(p, ':', len);
	char *end = NULL;
	*ret = (struct word){.name = p, .name_len = colon != NULL ? (size_t)(colon - p) : len};
	if (colon != NULL && colon + 1 < p + len && colon[1] >= '0' && colon[1] <= '9') {
		ret->number = strtol(colon + 1, &end, 10);
		ret->well_formed = end == p + len;
	}
	*at = p + len;
	return true;
}

static bool is_stage(const struct word *word)
{
	for (size_t i = 0; i < sizeof(stage_names) / sizeof(stage_names[0]); i++) {
		if (strlen(stage_names[i]) == word->name_len &&
		    memcmp(stage_names[i], word->name, word->name_len) == 0)
			return true;
	}
	return false;
}

static bool same_name(const struct word *a, const struct word *b)
{
	return a->name_len == b->name_len && memcmp(a->name, b->name, a->name_len) == 0;
}

static bool check_list(const char *key, const char *list, long min, long max, struct cairn_error *err)
{
	const char *at = list;
	struct word word, later;
	while (next_word(&at, &word)) {
		int len = (int)word.name_len;
		if (!is_stage(&word)) {
			cairn_error_set(
			    err, "launcher.%s: '%.*s' is no stage; see 'cairn status'", key, len, word.name);
			return false;
		}
		if (!word.well_formed || word.number < min || word.number > max) {
			cairn_error_set(err,
			    "launcher.%s: %.*s: write stage:number with a number from %ld to %ld", key, len,
			    word.name, min, max);
			return false;
		}
		const char *rest = at;
		while (next_word(&rest, &later)) {
			if (same_name(&word, &later)) {
				cairn_error_set(
				    err, "launcher.%s: %.*s stands there twice", key, len, word.name);
				return false;
			}
		}
	}
	return true;
}

bool cairn_placement_check(const struct cairn_config_launcher *cfg, struct cairn_error *err)
{
	return check_list("fifo", cfg->fifo, FIFO_MIN, FIFO_MAX, err) &&
	       check_list("affinity", cfg->affinity, 0, CPU_SETSIZE - 1, err);
}

static int find(const char *list, const char *stage, int otherwise)
{
	struct word word;
	while (next_word(&list, &word)) {
		if (strlen(stage) == word.name_len && memcmp(stage, word.name, word.name_len) == 0)
			return (int)word.number;
	}
	return otherwise;
}

struct cairn_placement cairn_placement_of(const struct cairn_config_launcher *cfg, const char *stage)
{
	return (struct cairn_placement){find(cfg->fifo, stage, 0), find(cfg->affinity, stage, -1)};
}

int cairn_placement_apply(const struct cairn_placement *placement, int pid)
{
	int r = 0;
	if (placement->cpu >= 0) {
		cpu_set_t set;
		CPU_ZERO(&set);
		CPU_SET((size_t)placement->cpu, &set);
		if (sched_setaffinity(pid, sizeof(set), &set) != 0)
			r = -errno;
	}
	if (placement->fifo > 0) {
		struct sched_param param = {.sched_priority = placement->fifo};
		if (sched_setscheduler(pid, SCHED_FIFO, &param) != 0 && r == 0)
			r = -errno;
	}
	return r;
}
