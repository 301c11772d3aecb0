#include "common/plan/cell_bits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN CAIRN_CELL_BITS_MARGIN
#define EACH UINT64_C(0x0101010101010101)

void cairn_cell_bits_free(struct cairn_cell_bits *b)
{
	free(b->rows);
	*b = (struct cairn_cell_bits){0};
}

/* One bit for each of eight cells. */
static uint64_t pack(const uint8_t *cell, uint8_t kind)
{
	uint64_t eight, any = 0;
	memcpy(&eight, cell, sizeof(eight));
	eight &= EACH * kind;
	if (eight == 0)
		return 0;
	for (int k = 0; k < 8; k++)
		any |= eight >> k;
	/* Moves the lowest bit of byte i to bit 56 + i; no two terms meet. */
	return (any & EACH) * UINT64_C(0x0102040810204080) >> 56;
}

static void fill_row(uint64_t *row, const uint8_t *cell, int width, uint8_t kind)
{
	int x = 0;
	for (; x + 8 <= width; x += 8) {
		size_t bit = (size_t)x + MARGIN, shift = bit % 64;
		uint64_t eight = pack(cell + x, kind);
		row[bit / 64] |= eight << shift;
		if (shift > 56)
			row[bit / 64 + 1] |= eight >> (64 - shift);
	}
	for (; x < width; x++) {
		size_t bit = (size_t)x + MARGIN;
		row[bit / 64] |= (uint64_t)((cell[x] & kind) != 0) << (bit % 64);
	}
}

int cairn_cell_bits_take(struct cairn_cell_bits *b, const struct cairn_costmap *cm, uint8_t kind)
{
	size_t row_words = ((size_t)cm->width + 2 * MARGIN + 63) / 64 + 1;
	size_t words = row_words * ((size_t)cm->height + 2 * MARGIN);
	if (words > b->capacity) {
		uint64_t *rows = malloc((words + words / 4) * sizeof(*rows));
		if (rows == NULL)
			return -ENOMEM;
		free(b->rows);
		b->rows = rows;
		b->capacity = words + words / 4;
	}
	b->row_words = row_words;
	memset(b->rows, 0, words * sizeof(*b->rows));
	for (int y = 0; y < cm->height; y++)
		fill_row(b->rows + ((size_t)y + MARGIN) * row_words,
		    cm->cells + (size_t)y * (size_t)cm->width, cm->width, kind);
	return 0;
}
