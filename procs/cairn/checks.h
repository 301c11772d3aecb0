/* checks.h - what is wrong is said before anything starts. One table (checks.def) for `cairn up` and `cairn doctor`.
 *
 * A failed check says in one line which key or file is meant, what is wrong with it, and what to do. */
#ifndef CAIRN_PROCS_CAIRN_CHECKS_H
#define CAIRN_PROCS_CAIRN_CHECKS_H

#include "common/base/error.h"
#include "common/config/config.h"

enum check_level {
	CHECK_OK,
	CHECK_SKIPPED, /* not looked at, or nothing to look at; the text says why */
	CHECK_WARNS,   /* a stack starts all the same */
	CHECK_FAILS    /* nothing is started */
};

enum check_when { CHECK_FILES, CHECK_HOST };

struct check_context {
	struct cairn_config *cfg; /* paths are made absolute where they are found */
	const char *share;        /* the folder that holds config/ */
	const char *run_dir;
	bool fresh;          /* what was learned of the home will be set aside */
	bool running;        /* a stack runs in the run directory: what it holds is no fault */
	char warnings[1200]; /* lines of those that warn, each with its newline, by check_all */
	char fallback[160];  /* by data-plane: what it falls back to; empty: as configured */
};

struct check_result {
	enum check_level level;
	char text[512]; /* one line: what was found; of a failure key, file, reason, remedy */
};

typedef void check_fn(struct check_context *ctx, struct check_result *ret);

struct check_row {
	const char *name;
	enum check_when when;
	check_fn *run;
	const char *doc;
};

extern const struct check_row check_rows[];
extern const int check_row_count;

/* One of the table; every result begins as CHECK_OK without text. */
void check_run(const struct check_row *row, struct check_context *ctx, struct check_result *ret);
/* Those of the table with this `when`; what warns is added to ctx->warnings. False at the first that fails, with its line
 * in err. */
bool check_all(struct check_context *ctx, enum check_when when, struct cairn_error *err);

#define CHECK(id, name, when, function, doc) check_fn function;
#include "procs/cairn/checks.def"

/* For the checks: sets level and text. */
__attribute__((format(printf, 3, 4))) void check_says(
    struct check_result *ret, enum check_level level, const char *fmt, ...);
/* A path as given, from here or else from the project's own files, made absolute, because the stages live elsewhere. False
 * with the result set: there is none, or it does not fit. */
bool check_path(
    struct check_context *ctx, char *path, size_t path_bytes, const char *key, struct check_result *ret);

/* The same for a regular file that can be read: a device or a FIFO would never end. */
bool check_file(
    struct check_context *ctx, char *path, size_t path_bytes, const char *key, struct check_result *ret);

/* The stages that use shared memory have a /tmp and a /dev/shm of their own, in which they see the host's folders. False with the
 * result set: what lies at this absolute path is hidden from them. */
bool check_visible(
    const struct check_context *ctx, const char *path, const char *key, struct check_result *ret);

/* The run directory, or the nearest folder above it that is there. */
void check_nearest_folder(const char *run_dir, char *path, size_t path_bytes);

#endif
