/* procstat.h - processor time and memory of a process, from /proc. */
#ifndef CAIRN_PROCS_LAUNCHER_PROCSTAT_H
#define CAIRN_PROCS_LAUNCHER_PROCSTAT_H

#include <stdbool.h>

struct cairn_procstat {
	double cpu_s;  /* user and system time so far */
	double rss_mb; /* resident, shared memory left out (RssAnon + RssFile) */
};

/* False when there is no such process any more. */
bool cairn_procstat_read(int pid, struct cairn_procstat *ret);
/* Open descriptors; 0 when there is no such process or it is not ours to look at. */
int cairn_procstat_fds(int pid);

#endif
