/* colour_word.h - what people call a colour. */
#ifndef CAIRN_COMMON_PERCEPT_COLOUR_WORD_H
#define CAIRN_COMMON_PERCEPT_COLOUR_WORD_H

#include <stdint.h>

/* One of the eleven basic words or "turquoise". */
const char *cairn_colour_word(uint8_t r, uint8_t g, uint8_t b);

#endif
