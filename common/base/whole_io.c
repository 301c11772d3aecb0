#include "common/base/whole_io.h"

#include <errno.h>
#include <unistd.h>

size_t cairn_read_whole(int fd, void *buf, size_t bytes)
{
	size_t have = 0;
	while (have < bytes) {
		ssize_t n = read(fd, (char *)buf + have, bytes - have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		have += (size_t)n;
	}
	return have;
}

bool cairn_write_whole(int fd, const void *data, size_t bytes)
{
	for (size_t done = 0; done < bytes;) {
		ssize_t n = write(fd, (const char *)data + done, bytes - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = EIO; /* nothing went, and nothing says why: going on could take for ever */
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}
