/* checks.c - the table of checks, and how it is gone through. */
#include "procs/cairn/checks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file.h"
#include "procs/launcher/namespace.h"

const struct check_row check_rows[] = {
#define FILES CHECK_FILES
#define HOST CHECK_HOST
#define CHECK(id, name, when, function, doc) {name, when, function, doc},
#include "procs/cairn/checks.def"
#undef FILES
#undef HOST
};
const int check_row_count = sizeof(check_rows) / sizeof(check_rows[0]);

void check_run(const struct check_row *row, struct check_context *ctx, struct check_result *ret)
{
	*ret = (struct check_result){.level = CHECK_OK};
	row->run(ctx, ret);
}

bool check_all(struct check_context *ctx, enum check_when when, struct cairn_error *err)
{
	for (int i = 0; i < check_row_count; i++) {
		struct check_result result;
		if (check_rows[i].when != when)
			continue;
		check_run(&check_rows[i], ctx, &result);
		size_t used = strlen(ctx->warnings);
		if (result.level == CHECK_WARNS)
			snprintf(ctx->warnings + used, sizeof(ctx->warnings) - used, "%s\n", result.text);
		if (result.level != CHECK_FAILS)
			continue;
		cairn_error_set(err, "%s", result.text);
		return false;
	}
	return true;
}

void check_says(struct check_result *ret, enum check_level level, const char *fmt, ...)
{
	va_list ap;
	ret->level = level;
	va_start(ap, fmt);
	vsnprintf(ret->text, sizeof(ret->text), fmt, ap);
	va_end(ap);
}

bool check_path(
    struct check_context *ctx, char *path, size_t path_bytes, const char *key, struct check_result *ret)
{
	char shared[4400], *found = realpath(path, NULL);
	snprintf(shared, sizeof(shared), "%s/%s", ctx->share, path);
	if (found == NULL && path[0] != '/')
		found = realpath(shared, NULL);
	if (found == NULL) {
		check_says(ret, CHECK_FAILS, "%s: %s: %s", key, path, strerror(errno));
		return false;
	}
	bool fits = strlen(found) < path_bytes;
	if (fits)
		strcpy(path, found);
	else
		check_says(ret, CHECK_FAILS, "%s: the path is longer than %zu bytes", key, path_bytes - 1);
	free(found);
	return fits;
}

bool check_file(
    struct check_context *ctx, char *path, size_t path_bytes, const char *key, struct check_result *ret)
{
	struct cairn_error err = {""};
	if (!check_path(ctx, path, path_bytes, key, ret))
		return false;
	int fd = cairn_file_open(path, 0, &err);
	if (fd < 0) {
		check_says(ret, CHECK_FAILS, "%s: %s", key, err.text);
		return false;
	}
	close(fd);
	return true;
}

bool check_visible(
    const struct check_context *ctx, const char *path, const char *key, struct check_result *ret)
{
	if (!cairn_namespace_hides(path) || ctx->cfg->launcher.isolation == CAIRN_CHOICE_ISOLATION_HOST)
		return true;
	check_says(ret, CHECK_FAILS,
	    "%s: %s: the stages do not see what lies in /tmp or /dev/shm directly; move it into a folder "
	    "(or launcher.isolation: host)",
	    key, path);
	return false;
}
