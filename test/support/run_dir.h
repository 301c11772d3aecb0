/* run_dir.h - a run directory of the test's own in /tmp, with the folder of the bus, and its end.
 *
 *   char dir[CAIRN_RUN_DIR_BYTES];
 *   cairn_run_dir_make(dir, "bus");    makes /tmp/cairn-bus-XXXXXX and bus in it
 *   cairn_run_dir_remove(dir);         with all that is in it */
#ifndef CAIRN_TEST_SUPPORT_RUN_DIR_H
#define CAIRN_TEST_SUPPORT_RUN_DIR_H

#include <check.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define CAIRN_RUN_DIR_BYTES 48

static inline void cairn_run_dir_folder(const char *dir, const char *name)
{
	char path[CAIRN_RUN_DIR_BYTES + 16];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	ck_assert_int_eq(mkdir(path, 0700), 0);
}

static inline void cairn_run_dir_make(char dir[CAIRN_RUN_DIR_BYTES], const char *what)
{
	snprintf(dir, CAIRN_RUN_DIR_BYTES, "/tmp/cairn-%s-XXXXXX", what);
	ck_assert_ptr_nonnull(mkdtemp(dir));
	cairn_run_dir_folder(dir, "bus");
}

static inline int cairn_run_dir_entry(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static inline void cairn_run_dir_remove(const char *dir)
{
	nftw(dir, cairn_run_dir_entry, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
