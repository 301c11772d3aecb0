/* `cairn ask --dry-run`: what would be sent, from a snapshot in a file, without a stack and without the key.
 */
#include "ipc/frame_layout.h"
#include "test/cli/harness.h"

#define KEY "sk-planted-90af"

static const uint8_t jpeg[] = {0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3, 4, 5, 6, 0xFF, 0xD9};

static void write_snapshot(void)
{
	char path[160];
	static const char text[] = "SENSORS\n0 2.4m CLEAR\nROBOT\n";
	struct cairn_snapshot_head head = {.snapshot_id = 1,
	    .image_needed = 1,
	    .trigger = CAIRN_TRIGGER_RESULT,
	    .text_bytes = sizeof(text) - 1,
	    .jpeg_bytes = sizeof(jpeg),
	    .version = CAIRN_SNAPSHOT_VERSION};
	snprintf(path, sizeof(path), "%s/s.snap", run_dir);
	FILE *out = fopen(path, "w");
	ck_assert_ptr_nonnull(out);
	fwrite(&head, sizeof(head), 1, out);
	fwrite(text, sizeof(text) - 1, 1, out);
	fwrite(jpeg, sizeof(jpeg), 1, out);
	ck_assert_int_eq(fclose(out), 0);
}

static const struct output *ask(const char *args)
{
	char line[400];
	snprintf(line, sizeof(line), "--dry-run --snapshot %s/s.snap %s", run_dir, args);
	return cairn("ask", line);
}

START_TEST(the_request_is_shown_with_its_headers_but_without_the_key)
{
	static const struct {
		const char *provider, *line, *key;
	} rows[] = {{"openai", "POST /v1/chat/completions HTTP/1.1\nHost: api.openai.com\n",
			"\nAuthorization: Bearer ***\n"},
	    {"anthropic", "POST /v1/messages HTTP/1.1\nHost: api.anthropic.com\n",
		"\nanthropic-version: 2023-06-01\nx-api-key: ***\n"},
	    {"gemini", "POST /v1beta/models/gemini-2.5-flash:generateContent HTTP/1.1\n",
		"\nx-goog-api-key: ***\n"}};
	make_run_dir();
	write_snapshot();
	setenv("OPENAI_API_KEY", KEY, 1);
	setenv("ANTHROPIC_API_KEY", KEY, 1);
	setenv("GEMINI_API_KEY", KEY, 1);
	for (size_t i = 0; i < 3; i++) {
		char args[80];
		snprintf(args, sizeof(args), "--provider %s", rows[i].provider);
		const struct output *o = ask(args);
		ck_assert_msg(o->status == 0, "%s", o->err);
		ck_assert_msg(strncmp(o->out, rows[i].line, strlen(rows[i].line)) == 0, "%.200s", o->out);
		ck_assert_ptr_nonnull(strstr(o->out, rows[i].key));
		ck_assert_ptr_null(strstr(o->out, KEY));
		const char *body = strstr(o->out, "\n\n") + 2, *length = strstr(o->out, "Content-Length: ");
		ck_assert_ptr_nonnull(length);
		ck_assert_uint_eq(strlen(body), (size_t)atol(length + 16) + 1); /* and the line end */
		json_decref(parsed(body));
		ck_assert_ptr_nonnull(strstr(body, "/9j/4AECAwQFBv/Z"));
		ck_assert_ptr_nonnull(strstr(body, "front 240"));
	}
	remove_run_dir();
}
END_TEST

START_TEST(pictures_and_headers_can_be_left_out)
{
	make_run_dir();
	write_snapshot();
	const struct output *o = ask("--body --strip-images");
	ck_assert_msg(o->status == 0, "%s", o->err);
	json_decref(parsed(o->out));
	ck_assert_ptr_nonnull(strstr(o->out, "(JPEG of 12 bytes, "));
	ck_assert_ptr_null(strstr(o->out, "/9j/"));
	remove_run_dir();
}
END_TEST

START_TEST(what_cannot_be_shown_is_said_in_one_line)
{
	make_run_dir();
	static const char both[] =
	    "cairn ask: give --dry-run to see the request, or --yes to send it once (a paid "
	    "provider charges for it)\n";
	expect("ask", "", 2, "", both);
	expect("ask", "--yes --dry-run", 2, "", both);
	expect("ask", "--dry-run --snapshot /nowhere/x", 1, "",
	    "cairn ask: /nowhere/x: No such file or directory\n");
	write_file("broken", "no snapshot", "w");
	char args[120];
	snprintf(args, sizeof(args), "--dry-run --snapshot %s/broken", run_dir);
	const struct output *o = cairn("ask", args);
	ck_assert_int_eq(o->status, 1);
	ck_assert_str_eq(o->out, "");
	write_snapshot();
	o = ask("--provider nobody");
	ck_assert_int_eq(o->status, 1);
	ck_assert_ptr_nonnull(strstr(o->err, "vlm.provider: 'nobody' is not a provider of vlm.providers"));
	remove_run_dir();
}
END_TEST

START_TEST(told_so_it_asks_once_and_tells_what_the_model_decides_and_what_it_cost)
{
	char args[300];
	make_run_dir();
	write_snapshot();
	snprintf(args, sizeof(args), "--yes --json --snapshot %s/s.snap", run_dir);
	const struct output *o =
	    cairn("ask", args); /* the scripted pilot, in that process; no stack, no network */
	ck_assert_msg(o->status == 0, "%s", o->err);
	json_t *json = parsed(o->out);
	ck_assert_int_ge(json_integer_value(json_object_get(json, "calls")), 1);
	ck_assert_str_eq(json_string_value(json_object_get(json, "provider")), "pilot");
	ck_assert(json_is_string(json_object_get(json, "tool")));
	json_decref(json);
	snprintf(args, sizeof(args),
	    "--yes --snapshot %s/s.snap --provider ollama --set vlm.base_url=http://127.0.0.1:9/v1", run_dir);
	o = cairn("ask", args); /* nobody is there, and nobody else is asked in its place */
	ck_assert_int_eq(o->status, 1);
	ck_assert_str_eq(o->out, "");
	ck_assert_msg(strstr(o->err, "ollama: no usable answer: ") != NULL, "%s", o->err);
	unsetenv("OPENAI_API_KEY");
	snprintf(args, sizeof(args), "--yes --snapshot %s/s.snap --provider openai", run_dir);
	o = cairn("ask", args);
	ck_assert_int_eq(o->status, 2);
	ck_assert_msg(strstr(o->err, "OPENAI_API_KEY") != NULL, "%s", o->err);
	remove_run_dir();
}
END_TEST

CAIRN_TEST_MAIN("ask dry run", told_so_it_asks_once_and_tells_what_the_model_decides_and_what_it_cost,
    the_request_is_shown_with_its_headers_but_without_the_key, pictures_and_headers_can_be_left_out,
    what_cannot_be_shown_is_said_in_one_line)
