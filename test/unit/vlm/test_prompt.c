/* The system text as it is sent, facts of the configuration filled in, in both modes. */
#include "common/vlm/json_answer.h"
#include "common/vlm/prompt.h"
#include "test/support/runner.h"

static struct cairn_config cfg;
static struct cairn_text text;

static void load(enum cairn_choice_vlm_mode mode)
{
	struct cairn_error err = {""};
	cairn_config_defaults(&cfg);
	snprintf(cfg.vlm.prompts, sizeof(cfg.vlm.prompts), "%s", CAIRN_SOURCE_ROOT "/config/prompts");
	cfg.vlm.mode = mode;
	ck_assert_msg(cairn_prompt_load(&cfg, &text, &err), "%s", err.text);
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

CAIRN_TEST_MAIN("prompt", the_system_text_is_the_golden_one_in_both_modes,
    without_schemas_each_argument_says_what_it_may_be_and_what_that_means)
