/* The system text as it is sent, facts of the configuration filled in, in both modes. */
#include "common/safety/safe_velocity.h"
#include "common/vlm/json_answer.h"
#include "common/vlm/prompt.h"
#include "test/support/runner.h"

static struct cairn_config cfg;
static struct cairn_text text;

static void write_text(void)
{
	struct cairn_error err = {""};
	snprintf(cfg.vlm.prompts, sizeof(cfg.vlm.prompts), "%s", CAIRN_SOURCE_ROOT "/config/prompts");
	ck_assert_msg(cairn_prompt_load(&cfg, &text, &err), "%s", err.text);
}

static void load(enum cairn_choice_vlm_mode mode)
{
	cairn_config_defaults(&cfg);
	cfg.vlm.mode = mode;
	write_text();
}

/* CAIRN_WRITE_GOLDEN=DIR writes them anew: read them then as a model would. */
static void expect_golden(const char *name)
{
	static char want[1 << 16];
	char path[400];
	const char *folder = getenv("CAIRN_WRITE_GOLDEN");
	snprintf(
	    path, sizeof(path), "%s/%s", folder != NULL ? folder : CAIRN_SOURCE_ROOT "/test/data/vlm", name);
	FILE *f = fopen(path, folder != NULL ? "we" : "re");
	ck_assert_msg(f != NULL, "%s", path);
	if (folder != NULL) {
		fwrite(text.data, 1, text.len, f);
	} else {
		want[fread(want, 1, sizeof(want) - 1, f)] = '\0';
		ck_assert_str_eq(text.data, want);
	}
	fclose(f);
}

START_TEST(the_system_text_is_the_golden_one_in_both_modes)
{
	load(CAIRN_CHOICE_VLM_MODE_TOOLS);
	expect_golden("system_tools.txt");
	load(CAIRN_CHOICE_VLM_MODE_JSON);
	expect_golden("system_json.txt");
	cairn_text_free(&text);
}
END_TEST

/* The end of what a line says of an argument: its values, then what they mean. */
START_TEST(without_schemas_each_argument_says_what_it_may_be_and_what_that_means)
{
	int arguments = 0;
	load(CAIRN_CHOICE_VLM_MODE_JSON);
	for (int t = 0; t < CAIRN_TOOL_COUNT; t++) {
		const struct cairn_tool_row *row = &cairn_tools[t];
		char name[80];
		snprintf(name, sizeof(name), "\n%s: %s\n", row->name, row->doc);
		const char *tool = strstr(text.data, name);
		if (t == CAIRN_TOOL_REPORT_DISCOVERY) {
			ck_assert_ptr_null(tool); /* it stands under "discovery" */
			continue;
		}
		ck_assert_msg(tool != NULL, "%s", row->name);
		for (int i = 0; i < row->param_count; i++) {
			const struct cairn_tool_param *p = &row->params[i];
			snprintf(name, sizeof(name), "\n- \"%s\": ", p->name);
			const char *line = strstr(tool, name);
			if (p->kind == CAIRN_PARAM_PLACE) {
				ck_assert_ptr_null(line); /* it stands under "fallback" */
				continue;
			}
			ck_assert_msg(line != NULL, "%s: %s", row->name, p->name);
			char said[400];
			snprintf(said, sizeof(said), "%.*s", (int)strcspn(line + 1, "\n"), line + 1);
			const char *values = said + strlen(name) - 1, *meaning = strstr(said, p->doc);
			ck_assert_msg(meaning != NULL && meaning > values + 2, "%s", said);
			ck_assert_msg((strstr(values, "null") != NULL) == p->optional, "%s", said);
			arguments++;
		}
	}
	ck_assert_int_gt(arguments, 15);
	cairn_text_free(&text);
}
END_TEST

/* The room that the text asks for before a turn, in metres. */
static double room_told_m(void)
{
	write_text();
	const char *at = strstr(text.data, "rotate to look around, with ");
	ck_assert_ptr_nonnull(at);
	return 0.01 * atof(at + strlen("rotate to look around, with "));
}

START_TEST(the_room_for_a_turn_is_that_of_the_body_and_a_turn_fits_into_it)
{
	static const struct {
		double front_m, rear_m, half_m, lidar_x_m, radius_m;
		bool in_place;
		double room_m; /* by hand, in steps of 0.05 */
	} bodies[] = {
	    {0.27, 0.08, 0.10, 0.10, 0.30, false,
		0.40}, /* hypot(0.175, 0.10) + 0.02 + 0.125 + 0.005 = 0.352 */
	    {0.60, 0.20, 0.20, 0.20, 0.60, false, 0.60}, /* hypot(0.4, 0.2) + 0.02 + 0.125 + 0 = 0.592 */
	    {0.15, 0.15, 0.13, 0.0, 0.20, true, 0.25},   /* hypot(0.15, 0.13) + 0.02 = 0.218 */
	};
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		static struct cairn_points points;
		cairn_config_defaults(&cfg);
		cfg.robot.footprint_front_m = bodies[i].front_m;
		cfg.robot.footprint_rear_m = bodies[i].rear_m;
		cfg.robot.footprint_half_width_m = bodies[i].half_m;
		cfg.robot.lidar_x_m = bodies[i].lidar_x_m;
		cfg.robot.turn_radius_min_m = bodies[i].radius_m;
		cfg.robot.kinematics = bodies[i].in_place ? CAIRN_CHOICE_KINEMATICS_DIFFERENTIAL
							  : CAIRN_CHOICE_KINEMATICS_ACKERMANN;
		double room_m = room_told_m();
		ck_assert_double_eq_tol(room_m, bodies[i].room_m, 1e-6);
		points.count = 0;
		for (int k = 0; k < 360; k++, points.count++) {
			points.x_m[k] = (float)(cfg.robot.lidar_x_m + room_m * cos(k * M_PI / 180.0));
			points.y_m[k] = (float)(room_m * sin(k * M_PI / 180.0));
		}
		struct cairn_footprint body = cairn_safe_footprint(&cfg);
		bool forward;
		double curvature = cairn_safe_curvature(&cfg, CAIRN_DIRECTION_LEFT, &forward);
		if (bodies[i].in_place) {
			ck_assert(!cairn_spin_clearance(&points, &body, cfg.safety.margin_m, true).hit);
			continue;
		}
		ck_assert_double_gt(
		    cairn_arc_clearance(&points, &body, cfg.safety.margin_m, curvature, true, 3.0).free_m,
		    cfg.safety.stop_distance_m);
	}
	cairn_text_free(&text);
}
END_TEST

START_TEST(the_distance_at_which_moves_become_slow_is_that_of_the_configuration)
{
	cairn_config_defaults(&cfg);
	cfg.safety.slow_clearance_m = 0.7;
	write_text();
	ck_assert_ptr_nonnull(strstr(text.data, "slowly within 70 of obstacles"));
	cairn_text_free(&text);
}
END_TEST

CAIRN_TEST_MAIN("prompt", the_system_text_is_the_golden_one_in_both_modes,
    without_schemas_each_argument_says_what_it_may_be_and_what_that_means,
    the_room_for_a_turn_is_that_of_the_body_and_a_turn_fits_into_it,
    the_distance_at_which_moves_become_slow_is_that_of_the_configuration)
