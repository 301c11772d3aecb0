/* Packs by the voltage that they have when they are full. */
#include "test/support/runner.h"

#include "common/calibration/battery_pack.h"
#include "common/device/battery.h"

static char curve[CAIRN_BATTERY_CURVE_BYTES];
static struct cairn_error err;

/* Three cells at 4.2 V: 12.6 V. Half is at 3.8 V a cell: 11.4 V. */
START_TEST(a_full_pack_gives_its_cells_and_its_curve)
{
	struct cairn_battery_curve c;
	ck_assert_int_eq(cairn_battery_pack_found(12.6, curve, &err), 3);
	ck_assert(cairn_battery_curve_parse(&c, curve, &err));
	ck_assert_double_eq(cairn_battery_percent(&c, 12.6), 100.0);
	ck_assert_double_eq_tol(cairn_battery_percent(&c, 11.4), 50.0, 1e-9);
	ck_assert_double_eq(cairn_battery_percent(&c, 9.6), 0.0);
	for (int cells = 1; cells <= 8; cells++) {
		ck_assert_int_eq(cairn_battery_pack_found(4.2 * cells, curve, &err), cells);
		ck_assert_msg(cairn_battery_curve_parse(&c, curve, &err), "%s: %s", curve, err.text);
		ck_assert_int_eq(cairn_battery_pack_found(4.1 * cells, curve, &err), cells);
	}
}
END_TEST

START_TEST(a_pack_that_is_not_full_is_refused_with_what_to_do)
{
	static const double volts[] = {0.0, -1.0, NAN, INFINITY, 11.9, 7.4, 14.8, 50.0};
	for (size_t i = 0; i < sizeof(volts) / sizeof(volts[0]); i++) {
		ck_assert_int_eq(cairn_battery_pack_found(volts[i], curve, &err), 0);
		ck_assert_ptr_nonnull(strstr(err.text, "charge it, or leave this out"));
	}
}
END_TEST

CAIRN_TEST_MAIN("battery-pack", a_full_pack_gives_its_cells_and_its_curve,
    a_pack_that_is_not_full_is_refused_with_what_to_do)
