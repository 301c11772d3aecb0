#include "common/percept/annotate.h"

#include <math.h>

#include <turbojpeg.h>

#include "common/base/geom.h"
#include "common/base/rng.h"
#include "test/support/runner.h"

#define W 640
#define H 480

static uint16_t depth[H][W];
static uint8_t picture[H][W][3], drawn[H][W][3];
static const struct cairn_canvas canvas = {&drawn[0][0][0], W, H, W * 3};

static struct cairn_annotate *annotate_new(int width, int height)
{
	struct cairn_error err = {""};
	struct cairn_annotate *annotate = cairn_annotate_new(CAIRN_FONT_FILE, width, height, &err);
	ck_assert_msg(annotate != NULL, "%s", err.text);
	return annotate;
}

static struct cairn_depth_reading read_all(void)
{
	struct cairn_depth_reading out;
	cairn_depth_read(&out, depth, W, H, sizeof(depth[0]), 42);
	return out;
}

/* ---- depth ---- */

START_TEST(the_seven_points_lie_where_the_prompt_says)
{
	static const int at[CAIRN_DEPTH_POINTS][2] = {
	    {320, 240}, {160, 240}, {480, 240}, {320, 400}, {160, 120}, {480, 120}, {320, 100}};
	for (int p = 0; p < CAIRN_DEPTH_POINTS; p++) {
		int x, y;
		cairn_depth_point_px((enum cairn_depth_point)p, W, H, &x, &y);
		ck_assert_int_eq(x, at[p][0]);
		ck_assert_int_eq(y, at[p][1]);
		cairn_depth_point_px((enum cairn_depth_point)p, W / 2, H / 2, &x, &y);
		ck_assert_int_eq(x, at[p][0] / 2);
		ck_assert_int_eq(y, at[p][1] / 2);
		memset(depth, 0, sizeof(depth));
		depth[at[p][1]][at[p][0]] = 1234;
		struct cairn_depth_reading out = read_all();
		for (int q = 0; q < CAIRN_DEPTH_POINTS; q++)
			ck_assert_int_eq(out.mm[q], p == q ? 1234 : 0);
	}
}
END_TEST

START_TEST(the_window_is_five_by_five)
{
	memset(depth, 0, sizeof(depth));
	depth[240 - 3][320] = depth[240 + 3][320] = depth[240][320 - 3] = depth[240][320 + 3] = 2000;
	ck_assert_int_eq(read_all().mm[CAIRN_DEPTH_CENTRE], 0);
	depth[240 - 2][320 + 2] = 2100;
	ck_assert_int_eq(read_all().mm[CAIRN_DEPTH_CENTRE], 2100);
	depth[240 + 2][320 - 2] = 2500;
	depth[240 + 2][320 + 2] = 2600;
	ck_assert_int_eq(read_all().mm[CAIRN_DEPTH_CENTRE], 2500);
}
END_TEST

START_TEST(depth_is_the_median_of_the_valid_pixels)
{
	static const uint16_t invalid[] = {0, 1, 99, 10001, 65535};
	memset(depth, 0, sizeof(depth));
	for (int i = 0; i < 5; i++)
		depth[238 + i][318] = invalid[i];
	ck_assert_int_eq(read_all().mm[CAIRN_DEPTH_CENTRE], 0);
	depth[240][320] = 100; /* both limits are valid */
	ck_assert_int_eq(read_all().mm[CAIRN_DEPTH_CENTRE], 100);
	depth[240][321] = 10000;
	ck_assert_int_eq(read_all().mm[CAIRN_DEPTH_CENTRE], 100); /* of two the lower */
	depth[239][321] = 9000;
	ck_assert_int_eq(read_all().mm[CAIRN_DEPTH_CENTRE], 9000);
	for (int y = -2; y <= 2; y++)
		for (int x = -2; x <= 2; x++)
			depth[240 + y][320 + x] = (uint16_t)(1000 + (y + 2) * 500 + (x + 2) * 100);
	ck_assert_int_eq(read_all().mm[CAIRN_DEPTH_CENTRE], 2200);
}
END_TEST

START_TEST(depth_near_a_border_is_clipped)
{
	uint16_t tiny[3][4]; /* every point's window reaches over the border */
	struct cairn_depth_reading out;
	for (int i = 0; i < 12; i++)
		tiny[i / 4][i % 4] = 3000;
	cairn_depth_read(&out, tiny, 4, 3, sizeof(tiny[0]), 0);
	for (int p = 0; p < CAIRN_DEPTH_POINTS; p++)
		ck_assert_int_eq(out.mm[p], 3000);
}
END_TEST

START_TEST(depth_rows_may_be_padded_and_unaligned)
{
	static uint8_t raw[H * (W * 2 + 6) + 1];
	uint16_t mm = 4321;
	struct cairn_depth_reading out;
	memset(raw, 0, sizeof(raw));
	memcpy(raw + 1 + 400 * (W * 2 + 6) + 320 * 2, &mm, 2);
	cairn_depth_read(&out, raw + 1, W, H, W * 2 + 6, 7);
	ck_assert_int_eq(out.mm[CAIRN_DEPTH_FLOOR], 4321);
	ck_assert_int_eq(out.t_ns, 7);
}
END_TEST

START_TEST(depth_text_is_rounded_to_a_decimetre)
{
	static const struct {
		uint16_t mm;
		const char *text;
	} cases[] = {{0, "--"}, {100, "0.1m"}, {149, "0.1m"}, {150, "0.2m"}, {949, "0.9m"}, {950, "1.0m"},
	    {2300, "2.3m"}, {2349, "2.3m"}, {2350, "2.4m"}, {9949, "9.9m"}, {9950, "10.0m"}, {10000, "10.0m"},
	    {65535, "65.5m"}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[8];
		cairn_depth_text(text, cases[i].mm);
		ck_assert_str_eq(text, cases[i].text);
	}
}
END_TEST

/* ---- drawing ---- */

static void fill(uint8_t r, uint8_t g, uint8_t b)
{
	for (int i = 0; i < W * H; i++) {
		uint8_t *p = &picture[0][0][0] + 3 * i;
		p[0] = r;
		p[1] = g;
		p[2] = b;
	}
	memcpy(drawn, picture, sizeof(drawn));
}

struct box {
	int x0, y0, x1, y1, changed;
};

/* Smallest box around what was changed within a region. */
static struct box changed_in(int x0, int y0, int x1, int y1)
{
	struct box box = {x1, y1, x0 - 1, y0 - 1, 0};
	for (int y = y0; y < y1; y++) {
		for (int x = x0; x < x1; x++) {
			if (memcmp(picture[y][x], drawn[y][x], 3) == 0)
				continue;
			box.changed++;
			box.x0 = x < box.x0 ? x : box.x0;
			box.x1 = x > box.x1 ? x : box.x1;
			box.y0 = y < box.y0 ? y : box.y0;
			box.y1 = y > box.y1 ? y : box.y1;
		}
	}
	return box;
}

START_TEST(labels_stand_centred_on_their_points)
{
	static const int at[CAIRN_DEPTH_POINTS][2] = {
	    {320, 240}, {160, 240}, {480, 240}, {320, 400}, {160, 120}, {480, 120}, {320, 100}};
	struct cairn_annotate *annotate = annotate_new(W, H);
	struct cairn_depth_reading reading = {.mm = {2000, 2000, 2000, 2000, 2000, 2000, 2000}};
	int total = 0;
	fill(120, 120, 120);
	cairn_annotate_depths(annotate, &canvas, &reading);
	for (int p = 0; p < CAIRN_DEPTH_POINTS; p++) {
		struct box box = changed_in(at[p][0] - 70, at[p][1] - 50, at[p][0] + 70, at[p][1] + 50);
		ck_assert_int_gt(box.changed, 400);
		ck_assert_int_le(abs(box.x0 + box.x1 - 2 * at[p][0]), 4);
		ck_assert_int_le(abs(box.y0 + box.y1 - 2 * at[p][1]), 4);
		ck_assert_int_ge(box.y1 - box.y0, 20); /* capitals of 17 px and the rim */
		total += box.changed;
	}
	ck_assert_int_eq(changed_in(0, 0, W, H).changed, total); /* and nowhere else */
	cairn_annotate_destroy(&annotate);
}
END_TEST

START_TEST(letters_are_white_with_a_black_rim_on_any_ground)
{
	static const uint8_t grounds[] = {0, 128, 255};
	struct cairn_annotate *annotate = annotate_new(W, H);
	struct cairn_depth_reading reading = {.mm = {8888}};
	for (int g = 0; g < 3; g++) {
		int white = 0, black = 0;
		fill(grounds[g], grounds[g], grounds[g]);
		cairn_annotate_depths(annotate, &canvas, &reading);
		for (int y = 220; y < 260; y++) {
			for (int x = 270; x < 370; x++) {
				white +=
				    drawn[y][x][0] == 255 && drawn[y][x][1] == 255 && drawn[y][x][2] == 255;
				black += drawn[y][x][0] == 0 && drawn[y][x][1] == 0 && drawn[y][x][2] == 0;
			}
		}
		ck_assert_int_gt(white, 300);
		ck_assert_int_gt(black, 200);
	}
	cairn_annotate_destroy(&annotate);
}
END_TEST

START_TEST(nothing_is_drawn_outside_of_a_small_picture)
{
	static uint8_t guarded[64 * 48 * 3 + 64];
	struct cairn_annotate *annotate = annotate_new(64, 48);
	struct cairn_canvas small = {guarded + 32, 64, 48, 64 * 3};
	struct cairn_depth_reading reading = {.mm = {10000, 10000, 10000, 10000, 10000, 10000, 10000}};
	memset(guarded, 77, sizeof(guarded));
	cairn_annotate_depths(annotate, &small, &reading);
	cairn_annotate_heading(annotate, &small, 2.0);
	for (int i = 0; i < 32; i++) {
		ck_assert_int_eq(guarded[i], 77);
		ck_assert_int_eq(guarded[sizeof(guarded) - 1 - (size_t)i], 77);
	}
	ck_assert_int_ne(memcmp(guarded + 32, guarded + 33, 64 * 48 * 3 - 1), 0);
	cairn_annotate_destroy(&annotate);
}
END_TEST

/* Middle of the amber pixels of the arrow, relative to the middle of the dial at (598, 48). */
static struct cairn_vec2 arrow_middle(struct cairn_annotate *annotate, double yaw_rad)
{
	double sx = 0.0, sy = 0.0;
	int n = 0;
	fill(60, 60, 60);
	cairn_annotate_heading(annotate, &canvas, yaw_rad);
	for (int y = 0; y < H; y++) {
		for (int x = 0; x < W; x++) {
			if (drawn[y][x][0] == 255 && drawn[y][x][1] == 196 && drawn[y][x][2] == 0) {
				sx += x - 598;
				sy += y - 48;
				n++;
			}
		}
	}
	ck_assert_int_gt(n, 150);
	return (struct cairn_vec2){sx / n, sy / n};
}

/* The arrowhead is wider at its tail: its middle lies on the axis, behind the dial's middle by the same
 * amount. */
START_TEST(the_arrow_turns_clockwise_with_the_compass)
{
	struct cairn_annotate *annotate = annotate_new(W, H);
	struct cairn_vec2 north = arrow_middle(annotate, 0.0);
	ck_assert_double_eq_tol(north.x_m, 0.0, 0.5);
	ck_assert_double_eq_tol(north.y_m, arrow_middle(annotate, M_PI).y_m * -1.0, 0.7);
	struct cairn_vec2 east = arrow_middle(annotate, -M_PI / 2.0);
	ck_assert_double_eq_tol(east.x_m, -north.y_m, 0.7);
	ck_assert_double_eq_tol(east.y_m, 0.0, 0.5);
	struct cairn_vec2 west = arrow_middle(annotate, M_PI / 2.0);
	ck_assert_double_eq_tol(west.x_m, -east.x_m, 0.7);
	/* Its tip: straight up there is amber far from the middle, straight down there is not. */
	arrow_middle(annotate, 0.0);
	ck_assert_int_eq(drawn[48 - 20][598][1], 196);
	ck_assert_int_ne(drawn[48 + 20][598][1], 196);
	arrow_middle(annotate, -M_PI / 2.0);
	ck_assert_int_eq(drawn[48][598 + 20][1], 196);
	ck_assert_int_ne(drawn[48][598 - 20][1], 196);
	cairn_annotate_destroy(&annotate);
}
END_TEST

START_TEST(the_heading_stays_in_its_corner)
{
	struct cairn_annotate *annotate = annotate_new(W, H);
	for (int deg = 0; deg < 360; deg += 15) {
		fill(90, 100, 110);
		cairn_annotate_heading(annotate, &canvas, cairn_deg_to_rad(deg));
		struct box box = changed_in(0, 0, W, H);
		ck_assert_int_gt(box.x0, 420);
		ck_assert_int_lt(box.y1, 90); /* the upper labels begin at 108 */
		ck_assert_int_lt(box.x1, W - 8);
		ck_assert_int_gt(box.y0, 2);
	}
	fill(90, 100, 110);
	cairn_annotate_heading(annotate, &canvas, NAN);
	ck_assert_int_eq(changed_in(0, 0, W, H).changed, 0);
	cairn_annotate_destroy(&annotate);
}
END_TEST

START_TEST(a_missing_font_is_named)
{
	struct cairn_error err = {""};
	ck_assert_ptr_null(cairn_annotate_new("/nowhere/font.ttf", W, H, &err));
	ck_assert_str_eq(err.text, "/nowhere/font.ttf: cannot be read as a font (package fonts-dejavu-core)");
	ck_assert_ptr_null(cairn_annotate_new("/dev/null", W, H, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "/dev/null"));
}
END_TEST

START_TEST(text_width_is_the_sum_of_its_letters)
{
	struct cairn_error err = {""};
	struct cairn_font *font = cairn_font_new(CAIRN_FONT_FILE, 24.0, 2.0, &err);
	ck_assert_ptr_nonnull(font);
	int zero = cairn_font_width_px(font, "0"), degree = cairn_font_width_px(font, "\u00b0");
	ck_assert_int_eq(zero, 17);   /* 0.696 em */
	ck_assert_int_eq(degree, 12); /* 0.5 em: one sign, not two bytes */
	ck_assert_int_eq(cairn_font_width_px(font, "00\u00b0"), 2 * zero + degree);
	ck_assert_int_eq(cairn_font_width_px(font, ""), 0);
	ck_assert_int_eq(cairn_font_width_px(font, "\xff\xc2"), 2 * cairn_font_width_px(font, "?"));
	ck_assert_int_eq(cairn_font_cap_height_px(font), 18); /* 0.729 em, hinted */
	cairn_font_destroy(&font);
	ck_assert_ptr_null(font);
	cairn_font_destroy(&font);
}
END_TEST

START_TEST(what_was_drawn_is_taken_back)
{
	static const int sizes[][2] = {{640, 480}, {320, 240}, {64, 48}, {1280, 960}};
	static uint8_t before[1280 * 960 * 3], after[1280 * 960 * 3];
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 7, 1);
	for (size_t i = 0; i < sizeof(before); i++)
		before[i] = (uint8_t)cairn_rng_u32(&rng);
	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		int width = sizes[k][0], height = sizes[k][1];
		struct cairn_annotate *annotate = annotate_new(width, height);
		struct cairn_depth_reading reading = {.width_px = width, .height_px = height};
		struct cairn_canvas on = {after, width, height, width * 3};
		size_t bytes = (size_t)width * (size_t)height * 3;
		memcpy(after, before, bytes);
		for (int round = 0; round < 24; round++) {
			for (int p = 0; p < CAIRN_DEPTH_POINTS; p++)
				reading.mm[p] = (uint16_t)(cairn_rng_u32(&rng) % 2 == 0 ? 65535 : 0);
			cairn_annotate_depths(annotate, &on, &reading);
			cairn_annotate_heading(annotate, &on, 0.27 * round);
			ck_assert_int_ne(memcmp(after, before, bytes), 0);
			cairn_annotate_undo(annotate, &on);
			ck_assert_int_eq(memcmp(after, before, bytes), 0);
		}
		memset(after, 1, bytes); /* nothing drawn since: nothing comes back */
		cairn_annotate_undo(annotate, &on);
		size_t untouched = 0;
		for (size_t i = 0; i < bytes; i++)
			untouched += after[i] == 1;
		ck_assert_uint_eq(untouched, bytes);
		cairn_annotate_destroy(&annotate);
	}
}
END_TEST

/* ---- JPEG ---- */

START_TEST(the_jpeg_holds_the_picture)
{
	static uint8_t decoded[H][W][3];
	struct cairn_annotate *annotate = annotate_new(W, H);
	struct cairn_error err = {""};
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++) {
			drawn[y][x][0] = (uint8_t)(x * 255 / W);
			drawn[y][x][1] = (uint8_t)(y * 255 / H);
			drawn[y][x][2] = 90;
		}
	size_t bytes = 0;
	const uint8_t *jpeg = cairn_annotate_jpeg(annotate, &canvas, 80, &bytes, &err);
	ck_assert_msg(jpeg != NULL, "%s", err.text);
	tjhandle tj = tjInitDecompress();
	int width, height, sampling, space;
	ck_assert_int_eq(tjDecompressHeader3(tj, jpeg, bytes, &width, &height, &sampling, &space), 0);
	ck_assert_int_eq(width, W);
	ck_assert_int_eq(height, H);
	ck_assert_int_eq(sampling, TJSAMP_420);
	ck_assert_int_eq(tjDecompress2(tj, jpeg, bytes, &decoded[0][0][0], W, W * 3, H, TJPF_RGB, 0), 0);
	tjDestroy(tj);
	double error = 0.0;
	for (int i = 0; i < W * H * 3; i++)
		error += abs((&decoded[0][0][0])[i] - (&drawn[0][0][0])[i]);
	ck_assert_double_lt(error / (W * H * 3), 3.0);
	cairn_annotate_destroy(&annotate);
}
END_TEST

START_TEST(noise_fits_the_jpeg_memory_at_any_quality)
{
	struct cairn_annotate *annotate = annotate_new(W, H);
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 5, 5);
	for (int i = 0; i < W * H * 3; i++)
		(&drawn[0][0][0])[i] = (uint8_t)cairn_rng_u32(&rng);
	size_t small = 0, large = 0;
	ck_assert_ptr_nonnull(cairn_annotate_jpeg(annotate, &canvas, 1, &small, NULL));
	ck_assert_ptr_nonnull(cairn_annotate_jpeg(annotate, &canvas, 100, &large, NULL));
	ck_assert_uint_lt(small, large);
	cairn_annotate_destroy(&annotate);
}
END_TEST

CAIRN_TEST_MAIN("annotate", the_seven_points_lie_where_the_prompt_says, the_window_is_five_by_five,
    depth_is_the_median_of_the_valid_pixels, depth_near_a_border_is_clipped,
    depth_rows_may_be_padded_and_unaligned, depth_text_is_rounded_to_a_decimetre,
    labels_stand_centred_on_their_points, letters_are_white_with_a_black_rim_on_any_ground,
    nothing_is_drawn_outside_of_a_small_picture, the_arrow_turns_clockwise_with_the_compass,
    the_heading_stays_in_its_corner, a_missing_font_is_named, text_width_is_the_sum_of_its_letters,
    what_was_drawn_is_taken_back, the_jpeg_holds_the_picture, noise_fits_the_jpeg_memory_at_any_quality)
