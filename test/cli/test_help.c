/* What the tool says of itself: help, completion, manual, pages of reference. */
#include <stdbool.h>

#include "test/cli/harness.h"

#define COMMANDS_MAX 80
#define NAME_BYTES 40

/* Names of the commands, and of what is below `bench` and `eval`, as the tool lists them itself. */
static int all_commands(char names[][NAME_BYTES])
{
	static const char *const above[] = {"bench", "eval"};
	int n = 0;
	char name[24];
	for (const char *line = cairn("help", "")->out; line != NULL && n < COMMANDS_MAX;
	     line = strchr(line, '\n') != NULL ? strchr(line, '\n') + 1 : NULL)
		if (strncmp(line, "  ", 2) == 0 && sscanf(line, " %23s", name) == 1)
			snprintf(names[n++], NAME_BYTES, "%s", name);
	for (int k = 0; k < 2; k++)
		for (const char *line = cairn(above[k], "")->out; *line != '\0' && n < COMMANDS_MAX;
		     line = strchr(line, '\n') + 1)
			if (sscanf(line, "%23s", name) == 1)
				snprintf(names[n++], NAME_BYTES, "%s %s", above[k], name);
	return n;
}

/* The lines "      --name VALUE  what it is" of a help, each as "--name" or "--name 1". */
static int options_of(const char *help, char options[][NAME_BYTES], int max)
{
	int n = 0;
	for (const char *line = help; *line != '\0' && n < max; line = strchr(line, '\n') + 1) {
		char word[32], next[32] = "";
		const char *at = line + strspn(line, " ");
		const char *dashes = strncmp(at, "--", 2) == 0 ? at : at[0] == '-' ? strstr(at, "--") : NULL;
		if (at == line || dashes == NULL || sscanf(dashes, "%31s %31s", word, next) < 1)
			continue;
		bool value = next[0] >= 'A' && next[0] <= 'Z' && dashes[strlen(word) + 1] != ' ';
		snprintf(options[n++], NAME_BYTES, "%s%s", word, value ? " 1" : "");
	}
	return n;
}

/* What a line of the shell prints. */
static const char *printed_by(const char *line)
{
	static char text[256 * 1024];
	FILE *file = popen(line, "r");
	ck_assert_ptr_nonnull(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	ck_assert_int_eq(pclose(file), 0);
	return text;
}

/* Words that bash offers for a command line whose last word is being typed. */
static const char *completed(const char *line)
{
	char command[1024];
	snprintf(command, sizeof(command),
	    "bash -c 'source <(%s help --completion); COMP_WORDS=(%s); COMP_CWORD=$((${#COMP_WORDS[@]} - "
	    "1)); "
	    "_cairn; echo \"${COMPREPLY[*]}\"'",
	    CAIRN_PROGRAM, line);
	return printed_by(command);
}

START_TEST(bash_completes_commands_options_topics_and_stages)
{
	ck_assert_str_eq(completed("cairn ec"), "echo\n");
	ck_assert_str_eq(completed("cairn echo nav.v"), "nav.velocity\n");
	ck_assert_str_eq(completed("cairn restart ma"), "mapper\n");
	ck_assert_str_eq(completed("cairn up --head"), "--headless\n");
	ck_assert_str_eq(completed("cairn down --headless"), "\n");
}
END_TEST

/* Each command has its part with all its options; a line that begins like a request of the formatter is none. */
START_TEST(the_manual_has_every_command_and_option)
{
	static char names[COMMANDS_MAX][NAME_BYTES];
	static const char *const requests[] = {".TH ", ".SH ", ".SS ", ".TP", ".B ", ".I "};
	make_run_dir();
	int commands = all_commands(names), parts = 0;
	const char *page = printed_by(CAIRN_PROGRAM " help --man");
	for (int c = 0; c < commands; c++) {
		char part[80];
		snprintf(part, sizeof(part), "\n.SS cairn %.40s ", names[c]);
		if (strchr(names[c], ' ') == NULL)
			ck_assert_msg(strstr(page, part) != NULL, "%s", names[c]);
		parts += strstr(page, part) != NULL;
	}
	ck_assert_int_gt(parts, 30);
	ck_assert_ptr_nonnull(strstr(page, "\n\\fB\\-\\-headless\\fR\n"));
	for (const char *line = page; line != NULL;
	     line = strchr(line, '\n') != NULL ? strchr(line, '\n') + 1 : NULL) {
		bool known = line[0] != '.' && line[0] != '\'';
		for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
			known |= strncmp(line, requests[i], strlen(requests[i])) == 0;
		ck_assert_msg(known, "%.60s", line);
	}
	remove_run_dir();
}
END_TEST

START_TEST(every_option_that_a_help_lists_is_accepted_and_no_other)
{
	static char names[COMMANDS_MAX][NAME_BYTES], own[40][NAME_BYTES];
	static const char *const others[] = {"--seed 1", "--json", "--for 1s", "--verbose", "--provider x",
	    "--png x", "--connect x", "--kills 1"};
	make_run_dir();
	int commands = all_commands(names), refused = 0;
	ck_assert_int_gt(commands, 50);
	for (int c = 0; c < commands; c++) {
		char args[1024] = "--help", want[64];
		const struct output *o = cairn(names[c], args);
		snprintf(want, sizeof(want), "usage: cairn %.40s ", names[c]);
		ck_assert_msg(
		    o->status == 0 && strncmp(o->out, want, strlen(want)) == 0, "%s: %s", names[c], o->out);
		int n = options_of(o->out, own, 40);
		ck_assert_int_ge(n, 2);
		size_t used = strlen(args);
		for (int i = 0; i < n; i++)
			used += (size_t)snprintf(args + used, sizeof(args) - used, " %s", own[i]);
		o = cairn(names[c], args);
		ck_assert_msg(o->status == 0, "%s %s: %s", names[c], args, o->err);
		for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++) {
			bool listed = false;
			size_t len = strcspn(others[k], " ");
			for (int i = 0; i < n; i++)
				listed |= strncmp(own[i], others[k], len) == 0 && strcspn(own[i], " ") == len;
			if (listed ||
			    (c + (int)k) % 3 != 0) /* a third of them, a different one for each command */
				continue;
			snprintf(args, sizeof(args), "--help %s", others[k]);
			o = cairn(names[c], args);
			ck_assert_msg(o->status == 2, "%s %s: %s", names[c], args, o->out);
			refused++;
		}
	}
	ck_assert_int_gt(refused, 50);
	remove_run_dir();
}
END_TEST

static void compare_with_file(const char *command, const char *below)
{
	static char text[sizeof(((struct output *)NULL)->out)];
	char path[512];
	snprintf(path, sizeof(path), "%s/%s", CAIRN_SOURCE_ROOT, below);
	FILE *file = fopen(path, "r");
	ck_assert_msg(file != NULL, "%s is missing: scripts/docs.sh makes it", below);
	size_t n = fread(text, 1, sizeof(text) - 1, file);
	text[n] = '\0';
	fclose(file);
	ck_assert_msg(strcmp(cairn(command, "--markdown")->out, text) == 0,
	    "%s is out of date: run scripts/docs.sh", below);
}

START_TEST(reference_pages_are_up_to_date)
{
	make_run_dir();
	compare_with_file("topics", "docs/bus.md");
	compare_with_file("config", "docs/config.md");
	remove_run_dir();
}
END_TEST

CAIRN_TEST_MAIN("help", bash_completes_commands_options_topics_and_stages,
    the_manual_has_every_command_and_option, every_option_that_a_help_lists_is_accepted_and_no_other,
    reference_pages_are_up_to_date)
