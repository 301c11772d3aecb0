#include "common/plan/cell_bits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN CAIRN_CELL_BITS_MARGIN
#define LEFT CAIRN_CELL_BITS_LEFT
#define EACH UINT64_C(0x0101010101010101)
#define TOP UINT64_C(0x8080808080808080)

void cairn_cell_bits_free(struct cairn_cell_bits *b)
{
	free(b->words);
	*b = (struct cairn_cell_bits){0};
}

/* One bit for each of eight cells. */
static uint64_t pack(const uint8_t *cell, uint8_t kind)
{
	uint64_t eight;
	memcpy(&eight, cell, sizeof(eight));
	eight &= EACH * kind;
	if (eight == 0)
		return 0;
	eight |= (eight & ~TOP) + ~TOP; /* the top bit of each byte that has any */
	/* Moves the lowest bit of byte i to bit 56 + i; no two terms meet. */
	return (eight >> 7 & EACH) * UINT64_C(0x0102040810204080) >> 56;
}

/* The cells of a row from x on, as far as they are of the map, as the bits of a word. */
static uint64_t pack_word(const uint8_t *row, int x, int width, uint8_t kind)
{
	uint64_t word = 0;
	int bit = x < 0 ? -x : 0;
	for (; bit < 64 && x + bit + 8 <= width; bit += 8)
		word |= pack(row + x + bit, kind) << bit;
	for (; bit < 64 && x + bit < width; bit++)
		word |= (uint64_t)((row[x + bit] & kind) != 0) << bit;
	return word;
}
_Static_assert(
    LEFT % 8 == 0 && LEFT >= MARGIN && LEFT <= 64, "rows begin with whole bytes of the first word");

/* Words a row, and one more to the right of it. */
static size_t columns_of(const struct cairn_costmap *cm)
{
	return ((size_t)cm->width + LEFT + MARGIN + 63) / 64 + 1;
}

static size_t rows_of(const struct cairn_costmap *cm)
{
	return (size_t)cm->height + 2 * MARGIN + CAIRN_CELL_BITS_SPARE;
}

int cairn_cell_bits_reserve(struct cairn_cell_bits *b, const struct cairn_costmap *cm)
{
	size_t want = columns_of(cm) * rows_of(cm);
	if (want <= b->capacity)
		return 0;
	uint64_t *words = malloc((want + want / 4) * sizeof(*words));
	if (words == NULL)
		return -ENOMEM;
	free(b->words);
	b->words = words;
	b->capacity = want + want / 4;
	return 0;
}

int cairn_cell_bits_take(struct cairn_cell_bits *b, const struct cairn_costmap *cm, uint8_t kind)
{
	if (cairn_cell_bits_reserve(b, cm) < 0)
		return -ENOMEM;
	const size_t columns = columns_of(cm), rows = b->rows = rows_of(cm), height = (size_t)cm->height;
	for (size_t i = 0; i < columns; i++) {
		uint64_t *column = b->words + i * rows;
		memset(column, 0, MARGIN * sizeof(*column));
		memset(column + MARGIN + height, 0, (rows - MARGIN - height) * sizeof(*column));
	}
	for (size_t y = 0; y < height; y++)
		for (size_t i = 0; i < columns; i++)
			b->words[i * rows + MARGIN + y] = pack_word(
			    cm->cells + y * (size_t)cm->width, (int)(64 * i) - LEFT, cm->width, kind);
	return 0;
}
