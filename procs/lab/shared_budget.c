#include "procs/lab/shared_budget.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"

#define MAGIC UINT64_C(0x3145535250524943) /* "CIRPRSE1" */
#define NANO 1e9

/* Shared by all processes, and the whole of the file. All zero: nothing is spent. */
struct pages {
	uint64_t magic, key;
	_Atomic int64_t spent_nano_usd, dearest_nano_usd;
};

struct model_purse {
	int64_t max_nano_usd;
	struct pages *shared;
};

static void *map(int fd)
{
	int flags = MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0);
	void *at = mmap(NULL, sizeof(struct pages), PROT_READ | PROT_WRITE, flags, fd, 0);
	return at != MAP_FAILED ? at : NULL;
}

/* Of nobody, or of the same work; what is not is not touched. */
static struct pages *map_file(int fd, const char *path, uint64_t key, struct cairn_error *err)
{
	struct stat st;
	bool ok = flock(fd, LOCK_EX) == 0 && fstat(fd, &st) == 0;
	if (ok && st.st_size != 0 && st.st_size != (off_t)sizeof(struct pages)) {
		cairn_error_set(err, "%s: not a record of what was spent; remove it to begin anew", path);
		return NULL;
	}
	/* A page that has no room on the disk would end us when it is written. */
	if (ok && st.st_size == 0) {
		errno = posix_fallocate(fd, 0, sizeof(struct pages));
		ok = errno == 0;
	}
	struct pages *pages = ok ? map(fd) : NULL;
	if (pages == NULL) {
		cairn_error_set(err, "%s: %s", path, strerror(errno));
		return NULL;
	}
	if (pages->magic == 0 && pages->key == 0) {
		pages->key = key;
		pages->magic = MAGIC;
	}
	if (pages->magic == MAGIC && pages->key == key && pages->spent_nano_usd >= 0 &&
	    pages->dearest_nano_usd >= 0)
		return pages;
	cairn_error_set(
	    err, "%s: what another build or other options have spent; remove it to begin anew", path);
	munmap(pages, sizeof(*pages));
	return NULL;
}

struct model_purse *model_purse_new(double usd_max, const char *path, uint64_t key, struct cairn_error *err)
{
	struct model_purse *p = calloc(1, sizeof(*p));
	if (p == NULL) {
		cairn_error_set(err, "out of memory");
		return NULL;
	}
	p->max_nano_usd = llround(fmin(usd_max, 1e9) * NANO);
	if (path == NULL) {
		p->shared = map(-1);
		if (p->shared == NULL)
			cairn_error_set(err, "out of memory");
	} else {
		int fd = cairn_file_update(path, 0600, err);
		p->shared = fd >= 0 ? map_file(fd, path, key, err) : NULL;
		if (fd >= 0)
			close(fd);
	}
	if (p->shared == NULL)
		model_purse_destroy(&p);
	return p;
}

void model_purse_destroy(struct model_purse **budget_file_p)
{
	struct model_purse *p = *budget_file_p;
	*budget_file_p = NULL;
	if (p != NULL && p->shared != NULL)
		munmap(p->shared, sizeof(*p->shared));
	free(p);
}

int model_purse_reserve(struct model_purse *p, double *ret_usd, struct cairn_error *err)
{
	int64_t dearest = p->shared->dearest_nano_usd, spent = p->shared->spent_nano_usd;
	do {
		int64_t left = p->max_nano_usd - spent;
		if (left <= 0 || left < dearest) {
			cairn_error_set(err,
			    "nothing is left for a question: %.4f of %.4f USD, and one may cost %.4f",
			    model_purse_left_usd(p), (double)p->max_nano_usd / NANO, (double)dearest / NANO);
			return -EDQUOT;
		}
	} while (!atomic_compare_exchange_weak(&p->shared->spent_nano_usd, &spent, spent + dearest));
	*ret_usd = (double)dearest / NANO;
	/* Before the question: a machine that loses its power may not forget it either. */
	if (msync(p->shared, sizeof(*p->shared), MS_SYNC) == 0)
		return 0;
	int why = errno;
	cairn_error_set(err, "what is spent cannot be written down: %s", strerror(why));
	return -why;
}

void model_purse_settle(struct model_purse *p, double reserved_usd, double usd)
{
	int64_t cost = llround(usd * NANO), dearest = p->shared->dearest_nano_usd;
	p->shared->spent_nano_usd += cost - llround(reserved_usd * NANO);
	while (cost > dearest && !atomic_compare_exchange_weak(&p->shared->dearest_nano_usd, &dearest, cost))
		;
}

double model_purse_spent_usd(const struct model_purse *p)
{
	return (double)p->shared->spent_nano_usd / NANO;
}

double model_purse_left_usd(const struct model_purse *p)
{
	return fmax((double)(p->max_nano_usd - p->shared->spent_nano_usd) / NANO, 0.0);
}
