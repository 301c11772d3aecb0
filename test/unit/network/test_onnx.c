/* The way to ONNX Runtime, with a library that plays it (stub_onnxruntime.c). The real one: test real-network. */
#include "procs/network/onnx.h"

#include <dlfcn.h>

#include "test/support/runner.h"

static struct cairn_error err;

static struct onnx *open_model(const char *model)
{
	struct onnx_options options = {STUB_LIBRARY, model, 1, 16};
	err.text[0] = '\0';
	return onnx_open(&options, &err);
}

/* Everything that the library has handed out was given back. */
static void assert_nothing_kept(void)
{
	int (*alive)(void);
	void *library = dlopen(STUB_LIBRARY, RTLD_NOW | RTLD_LOCAL), *symbol;
	ck_assert_ptr_nonnull(library);
	ck_assert_ptr_nonnull(symbol = dlsym(library, "stub_alive"));
	memcpy(&alive, &symbol, sizeof(alive));
	ck_assert_int_eq(alive(), 0);
	dlclose(library);
}

/* The library stays loaded, so that what it counts is not lost between two uses. */
static void *hold_library(void)
{
	void *library = dlopen(STUB_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	ck_assert_ptr_nonnull(library);
	return library;
}

START_TEST(a_picture_goes_in_and_the_outputs_come_out)
{
	void *held = hold_library();
	struct onnx *o = open_model("some.onnx");
	ck_assert_msg(o != NULL, "%s", err.text);
	struct cairn_network_input in = onnx_input(o);
	ck_assert_uint_eq(in.width_px, 8);
	ck_assert_uint_eq(in.height_px, 8);
	ck_assert(!in.channels_last);
	ck_assert_str_eq(onnx_version(o), "1.0.0-stub");
	float picture[3 * 8 * 8];
	for (int round = 1; round <= 3; round++) {
		const struct cairn_network_tensor *out;
		uint32_t count;
		for (int i = 0; i < 3 * 64; i++)
			picture[i] = i < 64 ? 0.25f * (float)round : 9.0f;
		ck_assert_msg(onnx_run(o, picture, &out, &count, &err), "%s", err.text);
		ck_assert_uint_eq(count, 1);
		ck_assert_uint_eq(out[0].rank, 3);
		ck_assert_int_eq(out[0].dims[2], 6);
		ck_assert_float_eq_tol(out[0].data[4], 0.25f * (float)round, 1e-6f);
	}
	onnx_close(&o);
	assert_nothing_kept();
	dlclose(held);
}
END_TEST

START_TEST(sides_that_the_model_leaves_open_are_those_of_the_configuration)
{
	struct onnx *o = open_model("open-sides.onnx");
	ck_assert_msg(o != NULL, "%s", err.text);
	ck_assert_uint_eq(onnx_input(o).width_px, 16);
	ck_assert_uint_eq(onnx_input(o).height_px, 16);
	onnx_close(&o);
}
END_TEST

START_TEST(what_cannot_be_used_is_refused_with_the_reason_and_nothing_is_kept)
{
	static const struct {
		const char *model, *why;
	} cases[] = {{"refused.onnx", "no such file"}, {"two-inputs.onnx", "2 inputs"}};
	void *held = hold_library();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_ptr_null(open_model(cases[i].model));
		ck_assert_msg(strstr(err.text, cases[i].why) != NULL, "%s", err.text);
	}
	const struct cairn_network_tensor *out;
	uint32_t count;
	float picture[3 * 8 * 8] = {0};
	struct onnx *o = open_model("broken-run.onnx");
	ck_assert(o != NULL && !onnx_run(o, picture, &out, &count, &err));
	ck_assert_msg(strstr(err.text, "Non-zero status") != NULL, "%s", err.text);
	onnx_close(&o);
	o = open_model("integers.onnx");
	ck_assert(o != NULL && !onnx_run(o, picture, &out, &count, &err));
	ck_assert_msg(strstr(err.text, "32-bit reals") != NULL, "%s", err.text);
	onnx_close(&o);
	assert_nothing_kept();
	dlclose(held);
}
END_TEST

START_TEST(without_the_library_or_with_another_one_the_reason_is_told)
{
	struct onnx_options options = {"libno-such-thing.so.1", "some.onnx", 1, 16};
	ck_assert_ptr_null(onnx_open(&options, &err));
	ck_assert_msg(strstr(err.text, "libno-such-thing") != NULL, "%s", err.text);
	options.library = "libm.so.6";
	ck_assert_ptr_null(onnx_open(&options, &err));
	ck_assert_msg(strstr(err.text, "libm.so.6") != NULL, "%s", err.text);
}
END_TEST

CAIRN_TEST_MAIN("onnx", a_picture_goes_in_and_the_outputs_come_out,
    sides_that_the_model_leaves_open_are_those_of_the_configuration,
    what_cannot_be_used_is_refused_with_the_reason_and_nothing_is_kept,
    without_the_library_or_with_another_one_the_reason_is_told)
