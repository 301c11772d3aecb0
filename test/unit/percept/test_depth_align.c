/* Depth of one camera laid onto the pictures of another. */
#include <math.h>
#include <unistd.h>

#include "common/base/geom.h"
#include "common/base/rng.h"
#include "common/percept/depth_align.h"
#include "test/support/runner.h"

#define W 20
#define H 10

static uint16_t depth[H][W], out[H][W];

/* Two equal cameras of 20 x 10 pixels and 200 pixels of focal length, the colour camera 15 mm to the left: what it sees lies 15 mm
 * more to its right. */
static struct cairn_depth_alignment side_by_side(void)
{
	const struct cairn_pinhole camera = {W, H, 200.0, 200.0, 9.0, 5.0};
	return (struct cairn_depth_alignment){.depth = camera,
	    .color = camera,
	    .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1},
	    .translation_m = {0.015, 0.0, 0.0},
	    .depth_unit_m = 0.001};
}

static int seen(void)
{
	int n = 0;
	for (int i = 0; i < W * H; i++)
		n += out[i / W][i % W] != 0;
	return n;
}

static void align(const struct cairn_depth_alignment *a)
{
	memset(out, 0xAA, sizeof(out));
	cairn_depth_align(a, (const uint8_t *)depth, sizeof(depth[0]), &out[0][0]);
}

/* 1 m away 15 mm are 200 * 0.015 / 1 = 3 pixels, at 0.5 m they are 6. */
START_TEST(two_pixels_lie_where_they_do_by_hand)
{
	struct cairn_depth_alignment a = side_by_side();
	memset(depth, 0, sizeof(depth));
	depth[5][10] = 1000;
	depth[3][4] = 500;
	align(&a);
	ck_assert_uint_eq(out[5][13], 1000);
	ck_assert_uint_eq(out[3][10], 500);
	ck_assert_int_eq(seen(), 2); /* all else stays unknown */
	a.translation_m[2] =
	    0.25; /* and the colour camera 25 cm farther back: 1.25 m and 2.4 pixels, 0.75 m and 4 */
	align(&a);
	ck_assert_uint_eq(out[5][12], 1250); /* u = 200 * (0.005 + 0.015) / 1.25 + 9 = 12.2 */
	ck_assert_uint_eq(
	    out[4][10], 750); /* u = 200 * (-0.0125 + 0.015) / 0.75 + 9 = 9.67, v = 5 - 1 / 0.75 = 3.67 */
	ck_assert_int_eq(seen(), 2);
	a = side_by_side();
	a.depth_unit_m = 0.0001; /* 0.1 mm a step: a metre is a tenth, 30 pixels aside, out of the picture */
	align(&a);
	ck_assert_int_eq(seen(), 0);
	a.translation_m[0] = 0.0015;
	align(&a);
	ck_assert_uint_eq(out[5][13], 100);
}
END_TEST

START_TEST(of_two_depths_at_one_place_the_nearer_stays)
{
	struct cairn_depth_alignment a = side_by_side();
	memset(depth, 0, sizeof(depth));
	depth[5][10] = 1000;
	depth[5][7] = 500; /* both at 13, the nearer laid first */
	align(&a);
	ck_assert_uint_eq(out[5][13], 500);
	ck_assert_int_eq(seen(), 1);
	a.translation_m[0] = -0.015; /* both at 7, the nearer laid last */
	memset(depth, 0, sizeof(depth));
	depth[5][10] = 1000;
	depth[5][13] = 500;
	align(&a);
	ck_assert_uint_eq(out[5][7], 500);
	ck_assert_int_eq(seen(), 1);
}
END_TEST

/* A near thing hides from the depth camera what the colour camera sees beside it: there nothing is known. */
START_TEST(what_the_depth_camera_cannot_see_stays_unknown)
{
	struct cairn_depth_alignment a = side_by_side();
	for (int i = 0; i < W * H; i++)
		depth[i / W][i % W] = i % W >= 2 && i % W < 6 ? 500 : 1000;
	align(&a);
	for (int u = 0; u < W; u++) {
		/* The wall lies 3 pixels to the right and the thing 6; the wall behind the thing was not seen. */
		uint16_t want = u < 3 || (u >= 5 && u < 8) ? 0 : u >= 8 && u < 12 ? 500 : 1000;
		ck_assert_msg(out[5][u] == want, "%d: %u, not %u", u, out[5][u], want);
	}
}
END_TEST

START_TEST(a_colour_camera_with_more_pixels_has_no_gaps_and_one_with_fewer_loses_nothing)
{
	struct cairn_depth_alignment a = side_by_side();
	static uint16_t fine[2 * H][2 * W], coarse[H / 5][W / 4];
	a.translation_m[0] = 0.0;
	for (int i = 0; i < W * H; i++)
		depth[i / W][i % W] = 1000;
	a.color = (struct cairn_pinhole){2 * W, 2 * H, 400.0, 400.0, 18.5, 10.5};
	cairn_depth_align(&a, (const uint8_t *)depth, sizeof(depth[0]), &fine[0][0]);
	for (int i = 0; i < 4 * W * H; i++)
		ck_assert_uint_eq(fine[i / (2 * W)][i % (2 * W)], 1000);
	a.color = (struct cairn_pinhole){W / 4, H / 5, 50.0, 40.0, 1.875, 0.6};
	for (int i = 0; i < W * H; i++) { /* a thing as wide as a pixel, wherever it is */
		depth[i / W][i % W] = 300;
		cairn_depth_align(&a, (const uint8_t *)depth, sizeof(depth[0]), &coarse[0][0]);
		ck_assert_uint_eq(coarse[i / W / 5][i % W / 4], 300);
		depth[i / W][i % W] = 1000;
	}
}
END_TEST

static double between(struct cairn_rng *rng, double low, double high)
{
	return low + (high - low) * cairn_rng_uniform(rng);
}

/* Small turns about the three axes, one after the other. */
static void turn(double m[9], double x, double y, double z)
{
	const double about_x[9] = {1, 0, 0, 0, cos(x), -sin(x), 0, sin(x), cos(x)},
		     about_y[9] = {cos(y), 0, sin(y), 0, 1, 0, -sin(y), 0, cos(y)},
		     about_z[9] = {cos(z), -sin(z), 0, sin(z), cos(z), 0, 0, 0, 1};
	const double *const all[3] = {about_x, about_y, about_z};
	double r[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
	for (int k = 0; k < 3; k++) {
		double p[9];
		for (int i = 0; i < 9; i++)
			p[i] = all[k][i / 3 * 3] * r[i % 3] + all[k][i / 3 * 3 + 1] * r[3 + i % 3] +
			       all[k][i / 3 * 3 + 2] * r[6 + i % 3];
		memcpy(r, p, sizeof(r));
	}
	memcpy(m, r, sizeof(r));
}

#define PW 160
#define PH 120

/* Depth of the plane n . p = d at pixel (u, v). */
static double plane_m(const struct cairn_pinhole *c, const double n[3], double d, double u, double v)
{
	return d / (n[0] * (u - c->cx) / c->fx + n[1] * (v - c->cy) / c->fy + n[2]);
}

START_TEST(a_plane_is_the_same_plane_in_the_other_camera)
{
	static uint16_t from[PH][PW], to[PH][PW];
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 11, 0);
	for (int round = 0; round < CAIRN_ROUNDS(200); round++) {
		struct cairn_depth_alignment a = {.depth_unit_m = 0.001};
		a.depth = (struct cairn_pinhole){PW, PH, between(&rng, 110, 140), between(&rng, 110, 140),
		    between(&rng, 75, 85), between(&rng, 55, 65)};
		a.color = (struct cairn_pinhole){PW, PH, between(&rng, 110, 140), between(&rng, 110, 140),
		    between(&rng, 75, 85), between(&rng, 55, 65)};
		turn(a.rotation, between(&rng, -0.05, 0.05), between(&rng, -0.05, 0.05),
		    between(&rng, -0.05, 0.05));
		for (int i = 0; i < 3; i++)
			a.translation_m[i] = between(&rng, -0.05, 0.05);
		const double n[3] = {between(&rng, -0.4, 0.4), between(&rng, -0.4, 0.4), 1.0},
			     d = between(&rng, 0.6, 4.0);
		for (int v = 0; v < PH; v++)
			for (int u = 0; u < PW; u++)
				from[v][u] = (uint16_t)lround(1000.0 * plane_m(&a.depth, n, d, u, v));
		cairn_depth_align(&a, (const uint8_t *)from, sizeof(from[0]), &to[0][0]);
		/* the plane seen from the other camera: R n . q = d + R n . t */
		double other[3], other_d = d;
		for (int i = 0; i < 3; i++) {
			other[i] = a.rotation[3 * i] * n[0] + a.rotation[3 * i + 1] * n[1] +
				   a.rotation[3 * i + 2] * n[2];
			other_d += other[i] * a.translation_m[i];
		}
		int known = 0, inner = 0;
		for (int v = 0; v < PH; v++)
			for (int u = 0; u < PW; u++) {
				double want_mm = 1000.0 * plane_m(&a.color, other, other_d, u, v);
				double slack_mm =
				    2.0 +
				    want_mm * 0.013; /* a pixel and a half of a plane that leans by 0.57 */
				bool middle = u > PW / 4 && u < PW * 3 / 4 && v > PH / 4 && v < PH * 3 / 4;
				inner += middle;
				known += middle && to[v][u] != 0;
				if (to[v][u] != 0 && fabs(to[v][u] - want_mm) >= slack_mm)
					ck_abort_msg("round %d, %d %d: %u, not %.1f mm", round, u, v,
					    to[v][u], want_mm);
			}
		ck_assert_msg(known == inner, "round %d: %d of %d", round, known, inner);
	}
}
END_TEST

START_TEST(whatever_the_values_and_the_cameras_nothing_is_written_outside)
{
	static uint16_t guarded[H * W + 2];
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 5, 0);
	for (int round = 0; round < CAIRN_ROUNDS(2000); round++) {
		struct cairn_depth_alignment a = side_by_side();
		turn(a.rotation, between(&rng, -3, 3), between(&rng, -3, 3), between(&rng, -3, 3));
		for (int i = 0; i < 3; i++)
			a.translation_m[i] = between(&rng, -1, 1);
		a.depth_unit_m = pow(10.0, between(&rng, -6, -1));
		a.color.fx = pow(10.0, between(&rng, 0, 5));
		a.color.cx = between(&rng, 0, 8192);
		for (int i = 0; i < W * H; i++)
			depth[i / W][i % W] = (uint16_t)cairn_rng_u32(&rng);
		guarded[0] = guarded[H * W + 1] = 0x5A5A;
		cairn_depth_align(&a, (const uint8_t *)depth, sizeof(depth[0]), guarded + 1);
		ck_assert(guarded[0] == 0x5A5A && guarded[H * W + 1] == 0x5A5A);
	}
}
END_TEST

START_TEST(a_picture_keeps_its_stamp_and_one_of_other_cameras_is_refused)
{
	struct cairn_depth_alignment a = side_by_side();
	struct cairn_camera_header laid,
	    hdr = {1, CAIRN_CAMERA_DEPTH16, W, H, sizeof(depth[0]), 77, 5, sizeof(depth)};
	const uint8_t *payload = (const uint8_t *)depth;
	memset(depth, 0, sizeof(depth));
	depth[5][10] = 1000;
	a.color.width = 2 * W;
	static uint16_t wide[H][2 * W];
	ck_assert_ptr_null(cairn_depth_align_picture(&a, &hdr, payload, 0, 0, &wide[0][0], &laid));
	ck_assert_uint_eq(wide[5][13], 1000);
	ck_assert(laid.format == CAIRN_CAMERA_DEPTH16 && laid.t_ns == 77 && laid.seq == 5);
	ck_assert(laid.width == 2 * W && laid.height == H && laid.stride_bytes == 4 * W &&
		  laid.payload_bytes == sizeof(wide));
	ck_assert_ptr_null(cairn_depth_align_picture(&a, &hdr, payload, 8 * W, 4 * H, &wide[0][0], &laid));
	ck_assert_str_eq(cairn_depth_align_picture(&a, &hdr, payload, W, H, &wide[0][0], &laid),
	    "robot.depth_alignment: its color has another shape than the camera's pictures");
	hdr.height = H - 1;
	ck_assert_str_eq(cairn_depth_align_picture(&a, &hdr, payload, 0, 0, &wide[0][0], &laid),
	    "robot.depth_alignment: its depth has another size than the camera gives");
}
END_TEST

/* ---- the file ---- */

static const char good[] =
    "depth_unit_m: 0.001\n"
    "depth: {width: 640, height: 480, fx: 383.2, fy: 383.2, cx: 320.1, cy: 237.7}\n"
    "color: {width: 640, height: 480, fx: 606.3, fy: 605.9, cx: 317.7, cy: 245.1}\n"
    "rotation: [0.99999, -0.0031, 0.0031, 0.0031, 0.99999, 0.0, -0.0031, 0.0, 0.99999]\n"
    "translation_m: [0.0148, 0.0002, 0.0003]\n";

static bool load(const char *text, struct cairn_depth_alignment *a, struct cairn_error *err)
{
	static char path[64];
	snprintf(path, sizeof(path), "/tmp/cairn-align-%d.yaml", (int)getpid());
	FILE *f = fopen(path, "we");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
	bool ok = cairn_depth_alignment_load(a, path, err);
	unlink(path);
	return ok;
}

START_TEST(a_file_is_read_and_what_is_wrong_in_it_is_named)
{
	static const struct {
		const char *what, *with, *said;
	} bad[] = {{"fx: 383.2, ", "", "line 2: depth: 'fx' is missing"},
	    {"width: 640", "width: 4", "line 2: depth.width"}, {"color:", "colour:", "color"},
	    {"0.99999, -0.0031", "0.9, -0.0031", "rotation: is no rotation"},
	    {"[0.99999, ", "[-0.99999, ", "rotation: is no rotation"},
	    {"[0.99999, -0.0031, 0.0031, 0.0031, 0.99999, 0.0, -0.0031, 0.0, 0.99999]",
		"[1, 0, 0, 0, 1, 0, 0, 0, -1]", "rotation: is no rotation"},
	    {"0.0148, ", "", "translation_m"}, {"0.0148", "14.8", "line 5: translation_m"},
	    {"depth_unit_m: 0.001", "depth_unit_m: 1", "depth_unit_m"}};
	struct cairn_depth_alignment a;
	struct cairn_error err = {""};
	ck_assert_msg(load(good, &a, &err), "%s", err.text);
	ck_assert_uint_eq(a.depth.width, 640);
	ck_assert_double_eq(a.color.fy, 605.9);
	ck_assert_double_eq(a.rotation[1], -0.0031);
	ck_assert_double_eq(a.translation_m[0], 0.0148);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char text[1024];
		const char *at = strstr(good, bad[i].what);
		ck_assert_ptr_nonnull(at);
		snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - good), good, bad[i].with,
		    at + strlen(bad[i].what));
		ck_assert_msg(!load(text, &a, &err), "%s", bad[i].said);
		ck_assert_msg(strstr(err.text, bad[i].said) != NULL, "%s: %s", bad[i].said, err.text);
	}
	ck_assert(!cairn_depth_alignment_load(&a, "/nowhere/at/all.yaml", &err));
}
END_TEST

CAIRN_TEST_MAIN("depth align", two_pixels_lie_where_they_do_by_hand,
    of_two_depths_at_one_place_the_nearer_stays, what_the_depth_camera_cannot_see_stays_unknown,
    a_colour_camera_with_more_pixels_has_no_gaps_and_one_with_fewer_loses_nothing,
    a_plane_is_the_same_plane_in_the_other_camera,
    whatever_the_values_and_the_cameras_nothing_is_written_outside,
    a_picture_keeps_its_stamp_and_one_of_other_cameras_is_refused,
    a_file_is_read_and_what_is_wrong_in_it_is_named)
