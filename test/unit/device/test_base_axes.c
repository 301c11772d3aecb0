/* Signs and scales between robot and base. */
#include "common/device/base_axes.h"
#include "test/support/runner.h"

START_TEST(the_command_and_what_the_base_makes_of_it_cancel_whatever_is_reversed)
{
	for (int k = 0; k < 12; k++) {
		struct cairn_base_axes a = {.drive_reversed = k & 1,
		    .steer_scale = ((const double[]){1.0, -1.0, 0.7, -1.4, 1.2, 0.5})[k / 2]};
		struct cairn_twist told = cairn_base_axes_command(&a, (struct cairn_twist){0.3, 0.2});
		/* The base steers by the bicycle model and drives as it is told. */
		double steer_rad = cairn_base_axes_steer_rad(&a, atan(0.229 * told.w_radps / told.v_mps));
		double v_mps = cairn_base_axes_wheels_mps(&a, told.v_mps);
		ck_assert_double_eq_tol(v_mps, 0.3, 1e-12);
		ck_assert_double_eq_tol(v_mps * tan(steer_rad) / 0.229, 0.2, 1e-12);
		ck_assert_double_eq_tol(
		    cairn_base_axes_steer_rad(&a, cairn_base_axes_base_steer_rad(&a, 0.25)), 0.25, 1e-12);
	}
}
END_TEST

START_TEST(the_axis_that_points_up_is_found_again_for_every_word_of_the_key)
{
	for (int axis = 0; axis < 6; axis++) {
		struct cairn_base_axes a = {
		    .steer_scale = 1.0, .gyro_axis = (enum cairn_choice_gyro_axis)axis};
		double board[3];
		cairn_base_axes_from_up(&a, 0.5, board);
		ck_assert_double_eq(fabs(board[0]) + fabs(board[1]) + fabs(board[2]), 0.5);
		ck_assert_double_eq(cairn_base_axes_up(&a, board), 0.5);
	}
	struct cairn_base_axes down = {.gyro_axis = CAIRN_CHOICE_GYRO_AXIS_MINUS_Z};
	ck_assert_double_eq(cairn_base_axes_up(&down, (const double[3]){0.1, 0.2, 0.3}), -0.3);
	struct cairn_base_axes left = {.gyro_axis = CAIRN_CHOICE_GYRO_AXIS_Y};
	ck_assert_double_eq(cairn_base_axes_up(&left, (const double[3]){0.1, 0.2, 0.3}), 0.2);
}
END_TEST

START_TEST(reversed_encoders_turn_counts_and_speed_round)
{
	struct cairn_base_axes a = {.encoder_reversed = true, .steer_scale = 1.0};
	ck_assert_double_eq(cairn_base_axes_speed_mps(&a, -0.2), 0.2);
	ck_assert_double_eq(cairn_base_axes_ticks_per_m(&a, 6464.0), -6464.0);
}
END_TEST

CAIRN_TEST_MAIN("base-axes", the_command_and_what_the_base_makes_of_it_cancel_whatever_is_reversed,
    the_axis_that_points_up_is_found_again_for_every_word_of_the_key,
    reversed_encoders_turn_counts_and_speed_round)
