/* side.h - a bearing in a word. */
#ifndef CAIRN_COMMON_BASE_SIDE_H
#define CAIRN_COMMON_BASE_SIDE_H

/* "ahead", "ahead left", "left", ...: the nearest of eight, counter-clockwise from straight ahead; "nearby" for what is
 * no bearing. */
const char *cairn_side_word(double bearing_rad);

#endif
