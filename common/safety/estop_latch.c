#include "common/safety/estop_latch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file.h"

#define RECORD_BYTES 128 /* "1 0 reason", blanks, end of line */

static void path_of(char path[400], const char *run_dir)
{
	snprintf(path, 400, "%s/state/" CAIRN_ESTOP_LATCH_NAME, run_dir);
}

static bool is_flag(char c)
{
	return c == '0' || c == '1';
}

static bool understand(char record[RECORD_BYTES], struct cairn_estop_latch *memory)
{
	if (!is_flag(record[0]) || !is_flag(record[2]) || record[RECORD_BYTES - 1] != '\n')
		return false;
	size_t end = RECORD_BYTES - 1;
	while (end > 4 && record[end - 1] == ' ')
		end--;
	record[end] = '\0';
	*memory =
	    (struct cairn_estop_latch){.reborn = true, .estop = record[0] == '1', .waits = record[2] == '1'};
	snprintf(memory->reason, sizeof(memory->reason), "%.79s", record + 4);
	return true;
}

bool cairn_estop_latch_load(const char *run_dir, struct cairn_estop_latch *memory, struct cairn_error *err)
{
	char path[400], record[RECORD_BYTES + 1];
	path_of(path, run_dir);
	*memory = (struct cairn_estop_latch){0};
	ssize_t n = cairn_file_read_into(path, CAIRN_FILE_OWN, record, sizeof(record), NULL);
	if (n == -ENOENT)
		return true;
	if (n == RECORD_BYTES && understand(record, memory))
		return true;
	cairn_error_set(err, "%s: cannot be read; taken for a latched emergency stop", path);
	*memory = (struct cairn_estop_latch){true, true, true, "state of the last motor stage is unreadable"};
	return false;
}

bool cairn_estop_latch_save(
    const char *run_dir, const struct cairn_estop_latch *memory, struct cairn_error *err)
{
	char path[400], record[RECORD_BYTES + 1];
	path_of(path, run_dir);
	snprintf(record, sizeof(record), "%d %d %-*.79s\n", memory->estop, memory->waits, RECORD_BYTES - 5,
	    memory->reason);
	int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	ssize_t n = fd >= 0 ? write(fd, record, RECORD_BYTES) : -1;
	int why = n < 0 ? errno : ENOSPC; /* a short write says nothing by itself */
	bool ok = n == RECORD_BYTES;
	if (fd >= 0 && close(fd) != 0 && ok) {
		why = errno;
		ok = false;
	}
	if (!ok)
		cairn_error_set(err, "%s: %s", path, strerror(why));
	return ok;
}

void cairn_estop_latch_end(const char *run_dir, bool by_operator)
{
	char path[400];
	struct cairn_estop_latch memory;
	struct cairn_error err;
	path_of(path, run_dir);
	if (!by_operator && (!cairn_estop_latch_load(run_dir, &memory, &err) || memory.estop || memory.waits))
		return;
	(void)unlink(path);
}
