/* bearing_name.h - a bearing in a word. */
#ifndef CAIRN_COMMON_BASE_BEARING_NAME_H
#define CAIRN_COMMON_BASE_BEARING_NAME_H

/* "ahead", "ahead left", "left", ...: the nearest of eight, counter-clockwise from straight ahead; "nearby" for what is
 * no bearing. */
const char *cairn_bearing_name(double bearing_rad);

#endif
