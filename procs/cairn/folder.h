/* folder.h - folders of plain files, and of one level of folders below. Links are not followed. */
#ifndef CAIRN_PROCS_CAIRN_FOLDER_H
#define CAIRN_PROCS_CAIRN_FOLDER_H

#include <dirent.h>
#include <stddef.h>

/* Removes the folder with what is in it and in the folders below it. */
void folder_remove(const char *path);
/* Of all files in it and in the folders below it. */
double folder_bytes(const char *path);
/* Its entries but hidden ones, by name; the count, each and the list to be freed; 0 when there is none. */
int folder_list(const char *path, struct dirent ***ret_list);
/* "20261126T032211Z"; with microseconds behind the seconds, so that names of one second stand in their order. */
void folder_time_name(double unix_s, int decimals, char *text, size_t bytes);

#endif
