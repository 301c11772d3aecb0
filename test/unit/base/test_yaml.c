/* YAML files: lines and places in errors, what is refused, values taken out. */
#include <math.h>
#include <string.h>

#include "common/base/yaml.h"
#include "test/support/runner.h"

static struct cairn_error err;

static struct cairn_yaml_node *parsed(const char *text)
{
	err.text[0] = '\0';
	return cairn_yaml_parse(text, strlen(text), "f.yaml", &err);
}

static void refused(const char *text, const char *why)
{
	struct cairn_yaml_node *root = parsed(text);
	ck_assert_msg(root == NULL, "accepted: %s", text);
	ck_assert_str_eq(err.text, why);
}

START_TEST(each_value_knows_the_line_of_its_key)
{
	struct cairn_yaml_node *root =
	    parsed("# first\na: 1\nb:\n  c: \"two\n    lines\"\n\n  d: [1,\n    2]\n");
	ck_assert_msg(root != NULL, "%s", err.text);
	ck_assert_uint_eq(root->count, 2);
	struct cairn_yaml_node *a = root->first, *b = a->next, *c = b->first, *d = c->next;
	ck_assert_uint_eq(a->line, 2);
	ck_assert_uint_eq(b->line, 3);
	ck_assert_uint_eq(c->line, 4);
	ck_assert_str_eq(c->text, "two lines");
	ck_assert_uint_eq(d->line, 7);
	ck_assert_uint_eq(d->last->line, 8); /* an entry of a list has its own */
	ck_assert_uint_eq(d->last->index, 2);
	ck_assert_ptr_eq(d->parent, b);
	cairn_yaml_destroy(&root);
	ck_assert_ptr_null(root);
}
END_TEST

START_TEST(what_is_no_plain_tree_is_refused_with_its_line)
{
	refused("a: 1\nb: *a\n", "f.yaml: line 2: b: aliases (*name) are not supported");
	refused("a: &x 1\nb: [1, *x]\n", "f.yaml: line 2: b[2]: aliases (*name) are not supported");
	refused("a: 1\nb: 2\na: 3\n", "f.yaml: line 3: a: given twice");
	refused("a:\n  ? [b]\n  : 2\n", "f.yaml: line 2: a: a key must be a plain word");
	refused(
	    "a: 1\n---\na: 2\n", "f.yaml: line 2: more than one YAML document (a line '---' in the middle)");
	refused("a: \"x\\0y\"\n", "f.yaml: line 1: a: a zero byte in a text");
	refused("a:\n\tb: 1\n", "f.yaml: line 2: a tab in the indentation; YAML wants spaces");
	refused("a: \xff\n", "f.yaml: line 1: not YAML: invalid leading UTF-8 octet");
	refused("a: [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]\n",
	    "f.yaml: line 1: a[1][1][1][1][1][1][1][1][1][1][1][1][1][1][1]: nested too deeply");
}
END_TEST

START_TEST(an_empty_file_is_a_mapping_without_keys)
{
	struct cairn_yaml_node *root = parsed("# nothing\n");
	struct cairn_yaml_reader r = {.file = "f.yaml", .err = &err};
	ck_assert_ptr_nonnull(root);
	ck_assert_ptr_null(cairn_yaml_get(&r, root, "a", CAIRN_YAML_TEXT, false));
	ck_assert(!r.failed && cairn_yaml_nothing_left(&r, root));
	ck_assert_ptr_null(cairn_yaml_get(&r, root, "a", CAIRN_YAML_TEXT, true));
	ck_assert_str_eq(err.text, "f.yaml: line 1: the file is empty");
	cairn_yaml_destroy(&root);
}
END_TEST

START_TEST(values_are_taken_with_their_bounds_and_fallbacks)
{
	struct cairn_yaml_node *root =
	    parsed("name: x\nspeed: 1.5\ncount: 18446744073709551615\non: Yes\nat: [1, -2]\nnone:\n");
	struct cairn_yaml_reader r = {.file = "f.yaml", .err = &err};
	double at[2];
	ck_assert_str_eq(cairn_yaml_text(&r, root, "name", 1, true), "x");
	ck_assert_double_eq(cairn_yaml_real(&r, root, "speed", 1.5, 1.5, NAN), 1.5);
	ck_assert_double_eq(cairn_yaml_real(&r, root, "absent", 0, 1, 7.0), 7.0);
	ck_assert_uint_eq(cairn_yaml_uint(&r, root, "count", UINT64_MAX, true), UINT64_MAX);
	ck_assert_uint_eq(cairn_yaml_uint(&r, root, "absent", 1, false), 0);
	ck_assert(cairn_yaml_flag(&r, root, "on", false));
	ck_assert(
	    cairn_yaml_numbers(&r, cairn_yaml_get(&r, root, "at", CAIRN_YAML_LIST, true), at, 2, -2.0, 1.0));
	ck_assert(at[0] == 1.0 && at[1] == -2.0);
	ck_assert_uint_eq(cairn_yaml_list(&r, root, "none", 0, 3, true)->count, 0);
	ck_assert_msg(!r.failed && cairn_yaml_nothing_left(&r, root), "%s", err.text);
	cairn_yaml_destroy(&root);
}
END_TEST

/* What a reader says of "list: [{at: VALUE}]", asked for with the call. */
#define SAYS(value, call, want)                                                                              \
	do {                                                                                                 \
		struct cairn_yaml_node *root = parsed("\nlist:\n- at: " value "\n");                         \
		struct cairn_yaml_reader r = {.file = "f.yaml", .err = &err};                                \
		struct cairn_yaml_node *entry = cairn_yaml_list(&r, root, "list", 1, 1, true)->first;        \
		(void)entry;                                                                                 \
		(void)(call);                                                                                \
		ck_assert(r.failed);                                                                         \
		ck_assert_str_eq(err.text, "f.yaml: line 3: list[1]" want);                                  \
		cairn_yaml_destroy(&root);                                                                   \
	} while (0)

START_TEST(wrong_values_are_told_with_file_line_place_and_reason)
{
	double two[2];
	SAYS("2m", cairn_yaml_real(&r, entry, "at", 0, 9, NAN), ".at: '2m' is not a number");
	SAYS(".nan", cairn_yaml_real(&r, entry, "at", 0, 9, NAN), ".at: '.nan' is not a number");
	SAYS("nan", cairn_yaml_real(&r, entry, "at", 0, 9, NAN), ".at: 'nan' is not a number");
	SAYS("1e999", cairn_yaml_real(&r, entry, "at", 0, 9, NAN), ".at: '1e999' is not a number");
	SAYS("9.5", cairn_yaml_real(&r, entry, "at", 0, 9, NAN), ".at: 9.5 is outside 0 .. 9");
	SAYS("[1]", cairn_yaml_real(&r, entry, "at", 0, 9, NAN), ".at: one plain value is expected");
	SAYS("-1", cairn_yaml_uint(&r, entry, "at", 9, true), ".at: '-1' is not a whole number of 0 to 9");
	SAYS("10", cairn_yaml_uint(&r, entry, "at", 9, true), ".at: '10' is not a whole number of 0 to 9");
	SAYS("99999999999999999999", cairn_yaml_uint(&r, entry, "at", UINT64_MAX, true),
	    ".at: '99999999999999999999' is not a whole number of 0 to 18446744073709551615");
	SAYS("maybe", cairn_yaml_flag(&r, entry, "at", true), ".at: 'maybe' is neither true nor false");
	SAYS("toolong", cairn_yaml_text(&r, entry, "at", 6, true),
	    ".at: text of 7 bytes; 1 to 6 are expected");
	SAYS("''", cairn_yaml_text(&r, entry, "at", 6, true), ".at: text of 0 bytes; 1 to 6 are expected");
	SAYS("1", cairn_yaml_list(&r, entry, "at", 0, 1, true), ".at: a list is expected");
	SAYS("[1, 2]", cairn_yaml_list(&r, entry, "at", 0, 1, true), ".at: 2 values; 0 to 1 are expected");
	SAYS("1", cairn_yaml_get(&r, entry, "at", CAIRN_YAML_MAPPING, true),
	    ".at: keys are expected below it, not a value");
	SAYS("1", cairn_yaml_get(&r, entry, "by", CAIRN_YAML_TEXT, true), ": 'by' is missing");
	SAYS("1", cairn_yaml_nothing_left(&r, root), ".at: unknown key");
	SAYS("[1, x]", cairn_yaml_numbers(&r, entry->first, two, 2, 0, 9), ".at[2]: 'x' is not a number");
	SAYS("[1]", cairn_yaml_numbers(&r, entry->first, two, 2, 0, 9), ".at: 2 numbers are expected");
}
END_TEST

START_TEST(only_the_first_error_is_kept)
{
	struct cairn_yaml_node *root = parsed("a: x\nb: y\n");
	struct cairn_yaml_reader r = {.file = "f.yaml", .err = &err};
	ck_assert_double_eq(cairn_yaml_real(&r, root, "a", 0, 1, 0.25), 0.25);
	ck_assert_double_eq(cairn_yaml_real(&r, root, "b", 0, 1, 0.5), 0.5);
	ck_assert_str_eq(err.text, "f.yaml: line 1: a: 'x' is not a number");
	cairn_yaml_destroy(&root);
}
END_TEST

CAIRN_TEST_MAIN("yaml", each_value_knows_the_line_of_its_key, what_is_no_plain_tree_is_refused_with_its_line,
    an_empty_file_is_a_mapping_without_keys, values_are_taken_with_their_bounds_and_fallbacks,
    wrong_values_are_told_with_file_line_place_and_reason, only_the_first_error_is_kept)
