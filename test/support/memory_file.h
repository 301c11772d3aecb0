/* memory_file.h - bytes as a file that has a path, for readers that want one: nothing touches a disk. */
#ifndef CAIRN_TEST_SUPPORT_MEMORY_FILE_H
#define CAIRN_TEST_SUPPORT_MEMORY_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct memory_file {
	int fd;
	char path[40];
};

/* Ends the process where the kernel gives none: a fuzzer that reads nothing would pass everything. */
static inline struct memory_file memory_file_open(void)
{
	struct memory_file f = {.fd = memfd_create("input", MFD_CLOEXEC)};
	if (f.fd < 0) {
		perror("memfd_create");
		abort();
	}
	snprintf(f.path, sizeof(f.path), "/proc/self/fd/%d", f.fd);
	return f;
}

static inline void memory_file_write(const struct memory_file *f, const void *data, size_t bytes)
{
	if (ftruncate(f->fd, 0) != 0 || pwrite(f->fd, data, bytes, 0) != (ssize_t)bytes) {
		perror("memory file");
		abort();
	}
}

#endif
