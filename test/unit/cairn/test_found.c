/* What was found, written beside a saved map. */
#include "common/base/file.h"
#include "procs/cairn/found.h"
#include "test/support/run_dir.h"
#include "test/support/runner.h"

static char dir[CAIRN_RUN_DIR_BYTES];

static struct cairn_msg_discoveries found(void)
{
	struct cairn_msg_discoveries f = {.items_count = 2, .dropped = 3};
	f.items[0] = (struct cairn_msg_discovery){.id = 7,
	    .kind = CAIRN_SIGNIFICANCE_OBJECT,
	    .label = "red \"chair\"",
	    .room = "hall",
	    .notes = "by the door",
	    .picture = "7.jpg",
	    .x_m = 1.5,
	    .y_m = -0.25,
	    .unix_s = 1700000000.0};
	f.items[1] = (struct cairn_msg_discovery){.id = 8, .kind = CAIRN_SIGNIFICANCE_ROOM, .label = "hall"};
	return f;
}

START_TEST(what_was_found_lies_beside_the_saved_map_with_place_time_and_picture)
{
	static const char *const names[] = {"one", "two.yaml", "three.pgm"}, *const files[] = {
										 "one", "two", "three"};
	struct cairn_msg_discoveries f = found();
	struct cairn_error err = {""};
	cairn_run_dir_make(dir, "found");
	for (size_t i = 0; i < 3; i++) {
		char path[128], text[2048] = "";
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		ck_assert_msg(found_save(&f, path, &err), "%s", err.text);
		snprintf(path, sizeof(path), "%s/%s.discoveries.yaml", dir, files[i]);
		ck_assert_int_gt(cairn_file_read_into(path, 0, text, sizeof(text), &err), 0);
		ck_assert_msg(
		    strstr(text,
			"dropped: 3\ndiscoveries:\n"
			"- id: 7\n  kind: object\n  label: \"red \\\"chair\\\"\"\n  x_m: 1.50\n  y_m: -0.25\n"
			"  unix_s: 1700000000\n  room: \"hall\"\n  notes: \"by the door\"\n  picture: "
			"\"7.jpg\"\n"
			"- id: 8\n  kind: room\n") != NULL,
		    "%s", text);
	}
	cairn_run_dir_remove(dir);
}
END_TEST

START_TEST(where_it_cannot_be_written_the_file_is_named)
{
	struct cairn_msg_discoveries f = found();
	struct cairn_error err = {""};
	ck_assert(!found_save(&f, "/nowhere/map.yaml", &err));
	ck_assert_msg(strstr(err.text, "/nowhere/map.discoveries.yaml") != NULL, "%s", err.text);
}
END_TEST

CAIRN_TEST_MAIN("found", what_was_found_lies_beside_the_saved_map_with_place_time_and_picture,
    where_it_cannot_be_written_the_file_is_named)
