/* The page: escapes what it is given, holds its figures itself, puts the worst run first, says what failed.
 */
#include "test/support/runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/eval/report.h"
#include "common/eval/report_private.h"
#include "common/sim/world/world.h"

static char dir[64], page_path[128];

static void setup(void)
{
	snprintf(dir, sizeof(dir), "/tmp/cairn-report-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(page_path, sizeof(page_path), "%s/index.html", dir);
}

static void teardown(void)
{
	char command[128];
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	ck_assert_int_eq(system(command), 0);
}

static char *read_page(const char *path)
{
	FILE *in = fopen(path, "rb");
	ck_assert_ptr_nonnull(in);
	char *text = calloc(1, 1 << 20);
	ck_assert_ptr_nonnull(text);
	ck_assert_uint_gt(fread(text, 1, (1 << 20) - 1, in), 0);
	fclose(in);
	return text;
}

static struct cairn_report *blank(void)
{
	struct cairn_report_head head = {.title = "A <b> & \"c\"",
	    .command = "cairn eval x",
	    .verdict = "passed",
	    .mark = CAIRN_REPORT_GOOD};
	struct cairn_report *r = cairn_report_new(&head);
	ck_assert_ptr_nonnull(r);
	return r;
}

static bool exists(const char *name)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return access(path, R_OK) == 0;
}

START_TEST(texts_are_escaped_and_nothing_is_loaded_from_elsewhere)
{
	setup();
	struct cairn_error err = {""};
	struct cairn_report *r = blank();
	static const struct cairn_report_column columns[] = {{"name", false}, {"m", true}};
	static const char *const cells[] = {"<script>alert(1)</script>", "1.5", "x", NULL};
	cairn_report_table(r, &(struct cairn_report_table){
				  .columns = columns, .column_count = 2, .row_count = 2, .cells = cells});
	ck_assert_msg(cairn_report_write(r, dir, &err), "%s", err.text);
	cairn_report_destroy(&r);
	char *page = read_page(page_path);
	ck_assert_ptr_null(strstr(page, "<script"));
	ck_assert_ptr_nonnull(strstr(page, "&lt;script&gt;alert(1)&lt;/script&gt;"));
	ck_assert_ptr_nonnull(strstr(page, "A &lt;b&gt; &amp; &quot;c&quot;"));
	ck_assert_ptr_null(strstr(page, "http"));
	free(page);
	teardown();
}
END_TEST

START_TEST(a_chart_is_in_the_page_and_beside_it_as_svg_and_png)
{
	setup();
	struct cairn_error err = {""};
	struct cairn_report *r = blank();
	const double x[] = {0, 1, 2, 3}, y[] = {0, 2, NAN, 4}, low[] = {0, 1, NAN, 3},
		     high[] = {0, 3, NAN, 5};
	const struct cairn_report_series series[] = {{"one", x, y, low, high, 4, false}};
	cairn_report_chart(r, &(struct cairn_report_chart){.file = "cover",
				  .title = "Coverage",
				  .x_label = "min",
				  .y_label = "m2",
				  .series = series,
				  .series_count = 1});
	ck_assert_msg(cairn_report_write(r, dir, &err), "%s", err.text);
	cairn_report_destroy(&r);
	char *page = read_page(page_path);
	ck_assert_ptr_nonnull(strstr(page, "data:image/svg+xml;base64,"));
	free(page);
	ck_assert(exists("cover.svg") && exists("cover.png"));
	char path[128];
	snprintf(path, sizeof(path), "%s/cover.svg", dir);
	char *svg = read_page(path);
	ck_assert_ptr_null(strstr(svg, "nan"));
	free(svg);
	teardown();
}
END_TEST

START_TEST(the_worst_run_comes_first_and_equals_keep_their_order)
{
	setup();
	struct cairn_error err = {""};
	struct cairn_report *r = blank();
	static const char *const names[] = {"fair-a", "worst", "fair-b", "best", "unjudged"};
	static const double badness[] = {1.0, 9.0, 1.0, 0.0, NAN};
	for (int i = 0; i < 5; i++)
		cairn_report_run(r, &(struct cairn_report_run){.name = names[i], .badness = badness[i]});
	ck_assert_msg(cairn_report_write(r, dir, &err), "%s", err.text);
	cairn_report_destroy(&r);
	char *page = read_page(page_path);
	static const char *const order[] = {"unjudged", "worst", "fair-a", "fair-b", "best"};
	const char *at = page;
	for (int i = 0; i < 5; i++) {
		const char *next = strstr(at, order[i]);
		ck_assert_msg(next != NULL, "%s is not behind the ones before", order[i]);
		at = next;
	}
	free(page);
	teardown();
}
END_TEST

START_TEST(a_map_drawn_elsewhere_stands_in_the_page)
{
	setup();
	struct cairn_error err = {""};
	char path[512];
	snprintf(path, sizeof(path), "%s/config/worlds/studio.yaml", CAIRN_SOURCE_ROOT);
	struct cairn_world *world = cairn_world_load(path, &err);
	ck_assert_msg(world != NULL, "%s", err.text);
	const float way[] = {1.0f, 1.0f, 2.0f, 2.0f};
	const struct cairn_report_path paths[] = {{"driven", way, 2, 0, false}};
	const struct cairn_report_spot spots[] = {{CAIRN_REPORT_START, "start", 1.0, 1.0, 0.0, 0.5},
	    {CAIRN_REPORT_GOAL, "goal", 2.0, 2.0, 0.3, 0.0}};
	struct cairn_report_map map = {.file = "run-1",
	    .world = world,
	    .height_m = 0.18,
	    .paths = paths,
	    .path_count = 1,
	    .spots = spots,
	    .spot_count = 2};
	ck_assert_msg(cairn_report_draw_map(&map, dir, &err), "%s", err.text);
	struct cairn_report *r = blank();
	cairn_report_run_drawn(r, &(struct cairn_report_run){.name = "run 1"}, dir, "run-1");
	ck_assert_msg(cairn_report_write(r, dir, &err), "%s", err.text);
	cairn_report_destroy(&r);
	cairn_world_destroy(&world);
	char *page = read_page(page_path);
	ck_assert_ptr_nonnull(strstr(page, "data:image/svg+xml;base64,"));
	free(page);
	teardown();
}
END_TEST

START_TEST(the_same_calls_give_the_same_bytes)
{
	setup();
	char *pages[2];
	for (int i = 0; i < 2; i++) {
		struct cairn_error err = {""};
		struct cairn_report *r = blank();
		const struct cairn_report_interval items[] = {{"a", 1.0, 0.5, 1.5, CAIRN_REPORT_GOOD}};
		cairn_report_intervals(
		    r, &(struct cairn_report_intervals){
			   .file = "paired", .items = items, .count = 1, .has_reference = true});
		ck_assert_msg(cairn_report_write(r, dir, &err), "%s", err.text);
		cairn_report_destroy(&r);
		pages[i] = read_page(page_path);
	}
	ck_assert(strcmp(pages[0], pages[1]) == 0);
	free(pages[0]);
	free(pages[1]);
	teardown();
}
END_TEST

START_TEST(a_figure_whose_name_leads_elsewhere_is_refused)
{
	setup();
	struct cairn_error err = {""};
	struct cairn_report *r = blank();
	cairn_report_map(r, &(struct cairn_report_map){.file = "../up"});
	ck_assert(!cairn_report_write(r, dir, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "../up"));
	cairn_report_destroy(&r);
	ck_assert(!exists("index.html"));
	teardown();
}
END_TEST

START_TEST(a_folder_that_cannot_be_made_is_said)
{
	setup();
	struct cairn_error err = {""};
	struct cairn_report *r = blank();
	ck_assert(!cairn_report_write(r, "/dev/null/report", &err));
	ck_assert_ptr_nonnull(strstr(err.text, "/dev/null/report"));
	cairn_report_destroy(&r);
	teardown();
}
END_TEST

/* By hand: 0 .. 10 in about six numbers is every 2; 0 .. 1 every 0.2; nothing to show is one number. */
START_TEST(a_page_that_cannot_be_put_in_place_leaves_nothing_behind)
{
	setup();
	struct cairn_error err = {""};
	ck_assert_int_eq(mkdir(page_path, 0700), 0); /* a folder stands where it should go */
	struct cairn_report *r = blank();
	ck_assert(!cairn_report_write(r, dir, &err));
	ck_assert_msg(strstr(err.text, "a folder") != NULL, "%s", err.text);
	ck_assert(!exists("index.html.tmp"));
	cairn_report_destroy(&r);
	teardown();
}
END_TEST

START_TEST(ticks_are_round_numbers_inside_the_range)
{
	struct report_ticks t = report_ticks_for(0.0, 10.0, 6);
	ck_assert_double_eq_tol(t.step, 2.0, 1e-12);
	ck_assert_int_eq(t.count, 6);
	ck_assert_int_eq(t.places, 0);
	t = report_ticks_for(0.0, 1.0, 6);
	ck_assert_double_eq_tol(t.step, 0.2, 1e-12);
	ck_assert_int_eq(t.places, 1);
	t = report_ticks_for(-0.3, 0.3, 4);
	ck_assert_double_eq_tol(t.first, -0.2, 1e-12);
	ck_assert_int_eq(report_ticks_for(1.0, 1.0, 6).count, 1);
	ck_assert_int_eq(report_ticks_for(0.0, INFINITY, 6).count, 1);
}
END_TEST

CAIRN_TEST_MAIN("eval-report", texts_are_escaped_and_nothing_is_loaded_from_elsewhere,
    a_chart_is_in_the_page_and_beside_it_as_svg_and_png,
    the_worst_run_comes_first_and_equals_keep_their_order, a_map_drawn_elsewhere_stands_in_the_page,
    the_same_calls_give_the_same_bytes, a_page_that_cannot_be_put_in_place_leaves_nothing_behind,
    a_figure_whose_name_leads_elsewhere_is_refused, a_folder_that_cannot_be_made_is_said,
    ticks_are_round_numbers_inside_the_range)
