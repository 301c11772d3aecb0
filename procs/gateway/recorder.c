#include "procs/gateway/recorder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/file.h"
#include "procs/shell/stage.h"

struct recorder {
	int fd;
	double left_bytes;
	bool full;
	struct cairn_text line;
	char path[512];
};

/* What recordings in the folder take already. */
static double folder_bytes(const char *folder)
{
	DIR *dir = opendir(folder);
	double sum = 0.0;
	for (struct dirent *e = dir != NULL ? readdir(dir) : NULL; e != NULL; e = readdir(dir)) {
		struct stat st;
		if (strncmp(e->d_name, "exchanges-", 10) == 0 && fstatat(dirfd(dir), e->d_name, &st, 0) == 0)
			sum += (double)st.st_size;
	}
	if (dir != NULL)
		closedir(dir);
	return sum;
}

struct recorder *recorder_new(const char *folder, double quota_bytes, struct cairn_error *err)
{
	time_t now = time(NULL);
	struct tm at;
	char stamp[32];
	if (folder == NULL || folder[0] == '\0') {
		cairn_error_set(err, "vlm.record: no folder");
		return NULL;
	}
	struct recorder *r = calloc(1, sizeof(*r));
	if (r == NULL) {
		cairn_error_set(err, "out of memory");
		return NULL;
	}
	(void)mkdir(folder, 0700);
	gmtime_r(&now, &at);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &at);
	snprintf(r->path, sizeof(r->path), "%.400s/exchanges-%s-%d.jsonl", folder, stamp, (int)getpid());
	r->left_bytes = quota_bytes - folder_bytes(folder);
	struct cairn_error why = {""};
	r->fd = cairn_file_append_to(r->path, 0600, &why);
	if (r->fd < 0) {
		cairn_error_set(err, "vlm.record: %s", why.text);
		recorder_destroy(&r);
		return NULL;
	}
	cairn_log_info("exchanges are recorded to %s", r->path);
	return r;
}

void recorder_destroy(struct recorder **recorder_p)
{
	struct recorder *r = *recorder_p;
	*recorder_p = NULL;
	if (r == NULL)
		return;
	if (r->fd >= 0)
		close(r->fd);
	cairn_text_free(&r->line);
	free(r);
}

void recorder_line(struct recorder *r, const struct cairn_text *line)
{
	if (r->full)
		return;
	r->full = line->failed || (double)line->len > r->left_bytes;
	if (r->full) {
		cairn_log_warn("the recording ends here: the folder's quota (vlm.record_mb) is used up");
		return;
	}
	/* One write a line, so that a crash leaves whole lines and at most one half. */
	ssize_t n = write(r->fd, line->data, line->len);
	r->left_bytes -= (double)line->len;
	if (n != (ssize_t)line->len) {
		r->full = true;
		cairn_log_error("the recording ends here: %s", n < 0 ? strerror(errno) : "disk full");
	}
}

void recorder_add(struct recorder *r, const struct cairn_exchange *exchange)
{
	if (r->full)
		return;
	cairn_text_clear(&r->line);
	cairn_exchange_line(&r->line, exchange);
	recorder_line(r, &r->line);
}

const char *recorder_path(const struct recorder *r)
{
	return r->path;
}
