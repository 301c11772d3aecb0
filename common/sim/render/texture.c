#include "common/sim/render/texture.h"

#include <stdlib.h>

#define SIDE CAIRN_TEXTURE_SIDE

struct colour {
	double r, g, b;
};

static uint32_t hash2(uint32_t x, uint32_t y)
{
	uint32_t h = x * 0x9E3779B1u ^ y * 0x85EBCA77u;
	h ^= h >> 15;
	h *= 0x2C1B3C6Du;
	h ^= h >> 12;
	h *= 0x297A2D39u;
	return h ^ (h >> 15);
}

/* 0 .. 1, the same for the same cell. */
static double chance(int x, int y, uint32_t salt)
{
	return hash2((uint32_t)x + salt * 7919u, (uint32_t)y) * (1.0 / 4294967296.0);
}

/* Smooth noise of cells_x by cells_y lattice cells over the whole picture; -1 .. 1, repeats. */
static double noise(double u, double v, int cells_x, int cells_y, uint32_t salt)
{
	double x = u * cells_x / SIDE, y = v * cells_y / SIDE;
	int ix = (int)floor(x), iy = (int)floor(y);
	double fx = x - ix, fy = y - iy;
	fx = fx * fx * (3.0 - 2.0 * fx);
	fy = fy * fy * (3.0 - 2.0 * fy);
	int x0 = ix % cells_x, y0 = iy % cells_y, x1 = (x0 + 1) % cells_x, y1 = (y0 + 1) % cells_y;
	double a = chance(x0, y0, salt), b = chance(x1, y0, salt), c = chance(x0, y1, salt),
	       d = chance(x1, y1, salt);
	double top = a + (b - a) * fx, low = c + (d - c) * fx;
	return 2.0 * (top + (low - top) * fy) - 1.0;
}

static double grain(int u, int v, uint32_t salt)
{
	return 2.0 * chance(u, v, salt) - 1.0;
}

static struct colour grey(double level)
{
	return (struct colour){level, level, level};
}

/* A colour of its own, for faces painted white. */
static struct colour own(double r, double g, double b)
{
	return (struct colour){0.5 * r, 0.5 * g, 0.5 * b};
}

static double clouds(int u, int v, uint32_t salt)
{
	return 0.6 * noise(u, v, 4, 4, salt) + 0.3 * noise(u, v, 11, 11, salt + 1) +
	       0.2 * noise(u, v, 31, 31, salt + 2);
}

static struct colour plain(int u, int v)
{
	return grey(128.0 + 2.0 * grain(u, v, 1) + 2.0 * clouds(u, v, 2));
}

static struct colour plaster(int u, int v)
{
	return grey(128.0 + 6.0 * clouds(u, v, 3) + 4.0 * grain(u, v, 4));
}

static struct colour wood(int u, int v)
{
	double wave = noise(u, v, 2, 6, 5) * 2.0;
	return grey(128.0 + 12.0 * sin(v * 0.20 + 3.0 * wave) * (0.6 + 0.4 * noise(u, v, 3, 9, 6)) +
		    7.0 * noise(u, v, 6, 80, 7) + 3.0 * grain(u, v, 8));
}

static struct colour planks(int u, int v)
{
	int row = v / 32, shift = (row * 97) % SIDE, piece = ((u + shift) % SIDE) / 128;
	int in_v = v % 32, in_u = (u + shift) % 128;
	double tone = 128.0 + 26.0 * (chance(row, piece, 9) - 0.5);
	tone +=
	    8.0 * noise(u, v, 5, 100, 10) + 5.0 * noise(u + row * 40, v, 9, 40, 11) + 3.0 * grain(u, v, 12);
	if (in_v == 0 || in_u == 0)
		tone *= 0.62;
	else if (in_v == 1 || in_u == 1)
		tone *= 0.90;
	return (struct colour){tone * 1.02, tone, tone * 0.97};
}

static struct colour tiles(int u, int v)
{
	int in_u = u % 64, in_v = v % 64;
	double tone = 128.0 + 12.0 * (chance(u / 64, v / 64, 13) - 0.5) + 4.0 * clouds(u, v, 14) +
		      2.0 * grain(u, v, 15);
	if (in_u < 2 || in_v < 2)
		return grey(92.0 + 4.0 * grain(u, v, 16));
	if (in_u == 2 || in_v == 2)
		tone += 14.0;
	return grey(tone);
}

static struct colour carpet(int u, int v)
{
	return grey(126.0 + 16.0 * grain(u, v, 17) + 8.0 * grain(u / 2, v / 2, 18) + 8.0 * clouds(u, v, 19));
}

static struct colour stone(int u, int v)
{
	int in_u = u % 128, in_v = v % 128;
	double vein = fabs(noise(u, v, 6, 6, 20) + 0.4 * noise(u, v, 17, 17, 21));
	double tone = 130.0 + 14.0 * (chance(u / 128, v / 128, 22) - 0.5) + 6.0 * clouds(u, v, 23);
	tone += vein < 0.06 ? -12.0 : 0.0;
	if (in_u < 2 || in_v < 2)
		tone = 98.0;
	return grey(tone + 3.0 * grain(u, v, 24));
}

static struct colour fabric(int u, int v)
{
	double weave = (((u >> 1) + (v >> 1)) & 1) != 0 ? 6.0 : -6.0;
	return grey(126.0 + weave + 6.0 * grain(u / 2, v / 2, 25) + 6.0 * clouds(u, v, 26));
}

static struct colour brick(int u, int v)
{
	int row = v / 21, in_v = v % 21, x = (u + (row & 1) * 32) % SIDE, in_u = x % 64;
	if (in_v < 3 || in_u < 3)
		return grey(150.0 + 6.0 * grain(u, v, 27));
	double tone = 116.0 + 24.0 * (chance(row, x / 64, 28) - 0.5) + 8.0 * grain(u, v, 29);
	return (struct colour){tone * 1.10, tone * 0.86, tone * 0.78};
}

static struct colour leaves(int u, int v)
{
	double blot = noise(u, v, 13, 13, 30) + 0.6 * noise(u, v, 29, 29, 31);
	double tone = 120.0 + 46.0 * blot + 8.0 * grain(u, v, 32);
	return (struct colour){tone * 0.9, tone * 1.05, tone * 0.85};
}

/* Raised or sunken frame lines of a panel between two corners: light on one side, dark on the other. */
static double bevel(int u, int v, int u0, int v0, int u1, int v1)
{
	if (u < u0 || u > u1 || v < v0 || v > v1)
		return 0.0;
	if (u - u0 < 4 || v1 - v < 4)
		return -34.0;
	if (u1 - u < 4 || v - v0 < 4)
		return 22.0;
	return 0.0;
}

static struct colour door(int u, int v)
{
	double tone = 128.0 + 6.0 * noise(u, v, 40, 4, 33) + 3.0 * grain(u, v, 34);
	tone += bevel(u, v, 36, 24, 220, 108) + bevel(u, v, 36, 132, 220, 236);
	if (u < 3 || u > 252 || v > 252)
		tone -= 40.0;
	if (u >= 224 && u < 246 && v >= 118 && v < 124)
		return grey(70.0);
	return grey(tone);
}

static struct colour books(int u, int v)
{
	int board = v % 51, level = v / 51;
	if (board < 5 || u < 6 || u > 249)
		return grey(86.0 + 6.0 * noise(u, v, 3, 40, 35));
	int spine = (u + level * 37) / 9, in = (u + level * 37) % 9;
	double top = 30.0 + 15.0 * chance(spine, level, 36);
	if (board - 5 > top || chance(spine, level, 37) < 0.07)
		return grey(34.0);
	static const struct colour spines[] = {{112, 40, 34}, {40, 62, 100}, {48, 90, 56}, {118, 96, 44},
	    {96, 92, 84}, {70, 44, 84}, {120, 66, 30}, {44, 92, 100}, {110, 106, 98}};
	struct colour c = spines[hash2((uint32_t)spine, (uint32_t)level + 99u) % 9];
	double side = in == 0 || in == 8 ? 0.6 : board - 5 > top - 6 && board - 5 < top - 3 ? 1.35 : 1.0;
	return (struct colour){c.r * side, c.g * side, c.b * side};
}

static struct colour drawers(int u, int v)
{
	int in = v % 85;
	double tone = 128.0 + 6.0 * noise(u, v, 4, 60, 38) + 3.0 * grain(u, v, 39);
	tone += bevel(u, in, 6, 5, 249, 80);
	if (in < 3)
		tone = 74.0;
	if (in >= 50 && in < 58 && abs(u - 128) < 22)
		return grey(in < 53 ? 60.0 : 88.0);
	return grey(tone);
}

static struct colour window(int u, int v)
{
	if (u < 12 || u > 243 || v < 12 || v > 243 || abs(u - 128) < 6)
		return grey(122.0);
	double hill = 74.0 + 26.0 * sin(u * 0.035) + 8.0 * sin(u * 0.11 + 1.0);
	if (v < hill)
		return own(
		    96.0 + 10.0 * noise(u, v, 20, 20, 40), 150.0 + 14.0 * noise(u, v, 30, 30, 41), 84.0);
	double cloud = fmax(0.0, noise(u, v, 5, 8, 42) + 0.4 * noise(u, v, 13, 17, 43)) * 60.0;
	return own(150.0 + cloud + 0.15 * v, 200.0 + 0.6 * cloud, 250.0);
}

static struct colour picture(int u, int v)
{
	if (u < 16 || u > 239 || v < 16 || v > 239)
		return grey(118.0);
	double peak = 60.0 + 110.0 * fmax(0.0, 1.0 - fabs(u - 96.0) / 90.0) + 6.0 * noise(u, v, 24, 3, 44);
	double peak2 = 50.0 + 80.0 * fmax(0.0, 1.0 - fabs(u - 190.0) / 70.0);
	if (hypot(u - 196.0, v - 200.0) < 18.0)
		return own(255, 214, 90);
	if (v < 62)
		return own(40.0 + 12.0 * sin(v * 0.9), 96.0 + 12.0 * sin(v * 0.9), 150.0);
	if (v < peak)
		return v > 138 ? own(240, 244, 250) : own(92, 84, 108);
	if (v < peak2)
		return own(70, 110, 86);
	return own(246.0 - 0.3 * v, 170.0 + 0.1 * v, 110.0 + 0.5 * v);
}

static struct colour screen(int u, int v)
{
	double glow = 40.0 + 60.0 * (1.0 - hypot(u - 150.0, v - 150.0) / 220.0);
	if (v > 40 && v < 90 && u > 30 && u < 130)
		return own(230, 150, 60);
	return own(0.35 * glow, 0.7 * glow, 1.6 * glow);
}

static struct colour oven(int u, int v)
{
	if (v > 208) {
		int in = u % 52;
		return hypot(in - 26.0, v - 230.0) < 10.0 ? grey(50.0) : grey(112.0);
	}
	if (u > 30 && u < 226 && v > 40 && v < 176)
		return own(40.0 + 0.2 * v, 42.0 + 0.2 * v, 50.0 + 0.25 * v);
	if (u > 36 && u < 220 && v > 188 && v < 198)
		return grey(80.0);
	return grey(126.0 + bevel(u, v, 6, 6, 249, 204));
}

static struct colour curtain(int u, int v)
{
	(void)v;
	return grey(114.0 + 26.0 * sin(u * 2.0 * M_PI / 36.0) + 8.0 * sin(u * 2.0 * M_PI / 21.0));
}

static const struct {
	struct colour (*at)(int u, int v);
	float texels_per_m;
} makers[CAIRN_TEXTURE_COUNT] = {
    [CAIRN_TEXTURE_PLAIN] = {plain, 256.0f},
    [CAIRN_TEXTURE_PLASTER] = {plaster, 200.0f},
    [CAIRN_TEXTURE_WOOD] = {wood, 256.0f},
    [CAIRN_TEXTURE_PLANKS] = {planks, 230.0f},
    [CAIRN_TEXTURE_TILES] = {tiles, 213.0f},
    [CAIRN_TEXTURE_CARPET] = {carpet, 256.0f},
    [CAIRN_TEXTURE_STONE] = {stone, 213.0f},
    [CAIRN_TEXTURE_FABRIC] = {fabric, 256.0f},
    [CAIRN_TEXTURE_BRICK] = {brick, 240.0f},
    [CAIRN_TEXTURE_LEAVES] = {leaves, 400.0f},
    [CAIRN_TEXTURE_DOOR] = {door, 0.0f},
    [CAIRN_TEXTURE_BOOKS] = {books, 0.0f},
    [CAIRN_TEXTURE_DRAWERS] = {drawers, 0.0f},
    [CAIRN_TEXTURE_WINDOW] = {window, 0.0f},
    [CAIRN_TEXTURE_PICTURE] = {picture, 0.0f},
    [CAIRN_TEXTURE_SCREEN] = {screen, 0.0f},
    [CAIRN_TEXTURE_OVEN] = {oven, 0.0f},
    [CAIRN_TEXTURE_CURTAIN] = {curtain, 0.0f},
};

static uint32_t pack(struct colour c)
{
	return (uint32_t)cairn_clamp(c.r, 0.0, 255.0) | (uint32_t)cairn_clamp(c.g, 0.0, 255.0) << 8 |
	       (uint32_t)cairn_clamp(c.b, 0.0, 255.0) << 16;
}

/* Mean of four texels, each channel for itself. */
static uint32_t mean4(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	uint32_t out = 0;
	for (int s = 0; s < 24; s += 8)
		out |= ((((a >> s) & 255u) + ((b >> s) & 255u) + ((c >> s) & 255u) + ((d >> s) & 255u) + 2u) /
			   4u)
		       << s;
	return out;
}

static void shrink(const uint32_t *from, uint32_t *to, int side)
{
	for (int v = 0; v < side; v++)
		for (int u = 0; u < side; u++) {
			const uint32_t *p = &from[2 * v * 2 * side + 2 * u];
			to[v * side + u] = mean4(p[0], p[1], p[2 * side], p[2 * side + 1]);
		}
}

bool cairn_texture_make(struct cairn_texture_map maps[CAIRN_TEXTURE_COUNT])
{
	size_t each = 0;
	for (int l = 0; l < CAIRN_TEXTURE_LEVELS; l++)
		each += (size_t)(SIDE >> l) * (size_t)(SIDE >> l);
	uint32_t *memory = malloc(each * CAIRN_TEXTURE_COUNT * sizeof(*memory));
	if (memory == NULL)
		return false;
	for (int k = 0; k < CAIRN_TEXTURE_COUNT; k++) {
		maps[k].texels_per_m = makers[k].texels_per_m;
		for (int l = 0; l < CAIRN_TEXTURE_LEVELS; l++) {
			maps[k].level[l] = memory;
			memory += (size_t)(SIDE >> l) * (size_t)(SIDE >> l);
		}
		for (int v = 0; v < SIDE; v++)
			for (int u = 0; u < SIDE; u++)
				maps[k].level[0][v * SIDE + u] = pack(makers[k].at(u, v));
		for (int l = 1; l < CAIRN_TEXTURE_LEVELS; l++)
			shrink(maps[k].level[l - 1], maps[k].level[l], SIDE >> l);
	}
	return true;
}

void cairn_texture_free(struct cairn_texture_map maps[CAIRN_TEXTURE_COUNT])
{
	free(maps[0].level[0]);
	for (int k = 0; k < CAIRN_TEXTURE_COUNT; k++)
		maps[k] = (struct cairn_texture_map){.texels_per_m = 0.0f};
}
