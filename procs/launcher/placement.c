#include "procs/launcher/placement.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIFO_MIN 1
#define FIFO_MAX 99
#define SLICE_NS 100000
#define SEPARATORS " ,\t"

static const char *const stage_names[] = {
#define STAGE(id, name, program, plane, when, without, doc) name,
#include "procs/launcher/stages.def"
};

struct word {
	const char *name;
	size_t name_len;
	const char *value; /* behind the colon; NULL = there is none */
	size_t value_len;
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
	if (colon != NULL) {
		ret->value = colon + 1;
		ret->value_len = (size_t)(p + len - ret->value);
	}
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

static bool check_names(const char *key, const char *list, struct cairn_error *err)
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

static bool check_list(const char *key, const char *list, long min, long max, struct cairn_error *err)
{
	const char *at = list;
	struct word word;
	while (next_word(&at, &word)) {
		if (word.name_len > 0 && word.well_formed && word.number >= min && word.number <= max)
			continue;
		if (!is_stage(&word))
			break; /* said below */
		cairn_error_set(err, "launcher.%s: %.*s: write stage:number with a number from %ld to %ld",
		    key, (int)word.name_len, word.name, min, max);
		return false;
	}
	return check_names(key, list, err);
}

/* ---- without a stage ---- */

static const enum cairn_without stage_without[] = {
#define STAGE(id, name, program, plane, when, without, doc) CAIRN_WITHOUT_##without,
#include "procs/launcher/stages.def"
};

/* -1: no such wish. */
static int wish_of(const struct word *word)
{
	for (int i = 0; i < cairn_enum_without.count; i++) {
		const char *name = cairn_enum_without.values[i].name;
		if (word->value != NULL && strlen(name) == word->value_len &&
		    memcmp(name, word->value, word->value_len) == 0)
			return i;
	}
	return -1;
}

static enum cairn_without by_table(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(stage_names) / sizeof(stage_names[0]); i++) {
		if (strlen(stage_names[i]) == len && memcmp(stage_names[i], name, len) == 0)
			return stage_without[i];
	}
	return CAIRN_WITHOUT_STAND;
}

static bool check_without(const char *list, struct cairn_error *err)
{
	struct word word;
	if (!check_names("without", list, err))
		return false;
	while (next_word(&list, &word)) {
		int wish = wish_of(&word), len = (int)word.name_len;
		if (wish < 0) {
			cairn_error_set(err,
			    "launcher.without: %.*s: write stage:word with stand, home, local or go_on", len,
			    word.name);
			return false;
		}
		if (by_table(word.name, word.name_len) == CAIRN_WITHOUT_STAND &&
		    wish != CAIRN_WITHOUT_STAND) {
			cairn_error_set(err,
			    "launcher.without: %.*s: the robot stands without it, that cannot be changed",
			    len, word.name);
			return false;
		}
	}
	return true;
}

enum cairn_without cairn_without_of(const struct cairn_config_launcher *cfg, const char *stage)
{
	const char *list = cfg->without;
	struct word word;
	while (next_word(&list, &word)) {
		int wish = wish_of(&word);
		if (wish >= 0 && strlen(stage) == word.name_len &&
		    memcmp(stage, word.name, word.name_len) == 0)
			return (enum cairn_without)wish;
	}
	return by_table(stage, strlen(stage));
}

bool cairn_placement_check(const struct cairn_config_launcher *cfg, struct cairn_error *err)
{
	return check_list("fifo", cfg->fifo, FIFO_MIN, FIFO_MAX, err) &&
	       check_list("affinity", cfg->affinity, 0, CPU_SETSIZE - 1, err) &&
	       check_without(cfg->without, err);
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

/* As the kernel has it (linux/sched/types.h); the C library has no name for it before 2.41. */
struct sched_attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime_ns, deadline_ns, period_ns;
};

/* What it would have got by itself, but in short slices. Older kernels take no notice. */
static void ask_for_short_slices(pid_t tid)
{
	struct sched_attributes a = {.size = sizeof(a), .policy = SCHED_OTHER, .runtime_ns = SLICE_NS};
	a.nice = getpriority(PRIO_PROCESS, (id_t)tid);
	(void)syscall(SYS_sched_setattr, tid, &a, 0u);
}

static int apply_to_thread(const struct cairn_placement *placement, pid_t tid)
{
	int r = 0;
	if (placement->cpu >= 0) {
		cpu_set_t set;
		CPU_ZERO(&set);
		CPU_SET((size_t)placement->cpu, &set);
		if (sched_setaffinity(tid, sizeof(set), &set) != 0)
			r = -errno;
	}
	if (placement->fifo > 0) {
		struct sched_param param = {.sched_priority = placement->fifo};
		if (sched_setscheduler(tid, SCHED_FIFO, &param) == 0)
			return r;
		r = r == 0 ? -errno : r;
		ask_for_short_slices(tid);
	}
	return r;
}

/* Calls fn for every thread but the first. One that was started before the first one was placed, on another
 * processor, has not inherited its place: the one that reads the sockets would leave a real-time stage
 * waiting for an ordinary thread. */
static void for_other_threads(int pid, void (*fn)(const void *ctx, pid_t tid), const void *ctx)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *tasks = opendir(path);
	struct dirent *entry;
	while (tasks != NULL && (entry = readdir(tasks)) != NULL) {
		int tid = atoi(entry->d_name);
		if (tid > 0 && tid != pid)
			fn(ctx, tid);
	}
	if (tasks != NULL)
		closedir(tasks);
}

static void place_thread(const void *ctx, pid_t tid)
{
	(void)apply_to_thread(ctx, tid);
}

static void slice_thread(const void *ctx, pid_t tid)
{
	(void)ctx;
	ask_for_short_slices(tid);
}

int cairn_placement_apply(const struct cairn_placement *placement, int pid)
{
	int r = apply_to_thread(placement, pid);
	for_other_threads(pid, place_thread, placement);
	return r;
}

void cairn_placement_short_slices(int pid)
{
	ask_for_short_slices(pid);
	for_other_threads(pid, slice_thread, NULL);
}
