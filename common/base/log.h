/* log.h - levelled lines on standard error, one per event.
 *
 * The launcher gives each stage a pipe as standard error and keeps the files, so a line is all a process has to
 * make. "12.345 W mapper grid.c:88 text": seconds since boot, level, process, place, text. Colour only on a terminal.
 * Library code under common/ does not log; it returns errors. Rate: say a state change once, not every cycle. */
#ifndef CAIRN_COMMON_BASE_LOG_H
#define CAIRN_COMMON_BASE_LOG_H

#include <stdbool.h>

enum cairn_log_level { CAIRN_LOG_ERROR, CAIRN_LOG_WARN, CAIRN_LOG_INFO, CAIRN_LOG_DEBUG };

/* name is borrowed and must stay. */
void cairn_log_init(const char *name, enum cairn_log_level level);
/* "error", "warn", "info", "debug"; false if it is none of them. */
bool cairn_log_level_parse(const char *text, enum cairn_log_level *ret_level);

__attribute__((format(printf, 4, 5))) void cairn_log_write(
    enum cairn_log_level level, const char *file, int line, const char *fmt, ...);

#define cairn_log_error(...) cairn_log_write(CAIRN_LOG_ERROR, __FILE__, __LINE__, __VA_ARGS__)
#define cairn_log_warn(...) cairn_log_write(CAIRN_LOG_WARN, __FILE__, __LINE__, __VA_ARGS__)
#define cairn_log_info(...) cairn_log_write(CAIRN_LOG_INFO, __FILE__, __LINE__, __VA_ARGS__)
#define cairn_log_debug(...) cairn_log_write(CAIRN_LOG_DEBUG, __FILE__, __LINE__, __VA_ARGS__)

#endif
