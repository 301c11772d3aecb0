#include "procs/motor/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

bool cairn_motor_memory_load(const char *run_dir, struct cairn_motor_memory *memory, struct cairn_error *err)
{
	char path[400];
	*memory = (struct cairn_motor_memory){0};
	snprintf(path, sizeof(path), "%s/state/motor", run_dir);
	FILE *file = fopen(path, "re");
	if (file == NULL && errno == ENOENT)
		return true;
	long parent = 0;
	int latched = 0, fields = 0;
	if (file != NULL) {
		fields = fscanf(file, "%ld %d %79[^\n]", &parent, &latched, memory->reason);
		fclose(file);
	}
	if (fields < 2) {
		cairn_error_set(err, "%s: cannot be read; taken for a latched emergency stop", path);
		*memory =
		    (struct cairn_motor_memory){true, true, "state of the last motor stage is unreadable"};
		return false;
	}
	memory->reborn = parent == (long)getppid();
	memory->estop = memory->reborn && latched != 0;
	return true;
}

bool cairn_motor_memory_save(const char *run_dir, bool estop, const char *reason, struct cairn_error *err)
{
	char path[400], fresh[410];
	snprintf(path, sizeof(path), "%s/state/motor", run_dir);
	snprintf(fresh, sizeof(fresh), "%s.new", path);
	FILE *file = fopen(fresh, "we");
	bool ok = file != NULL && fprintf(file, "%ld %d %s\n", (long)getppid(), estop, reason) > 0;
	if (file != NULL)
		ok &= fclose(file) == 0;
	if (!ok || rename(fresh, path) != 0) {
		cairn_error_set(err, "%s: %s", path, strerror(errno));
		return false;
	}
	return true;
}
