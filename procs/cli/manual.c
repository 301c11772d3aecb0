/* manual.c - the manual page and the completion of command lines, from the tables that the help comes from. */
#include <ctype.h>
#include <string.h>

#include "ipc/topics.h"
#include "procs/cli/cli.h"

/* ---- the manual page ---- */

/* Text as man's macros take it: no line begins as a request, '-' is the one that is typed. */
static void put_text(FILE *out, const char *text)
{
	bool first = true;
	for (const char *p = text; *p != '\0'; p++) {
		if (first && (*p == '.' || *p == '\''))
			fputs("\\&", out);
		if (*p == '-')
			fputs("\\-", out);
		else if (*p == '\\')
			fputs("\\e", out);
		else
			fputc(*p, out);
		first = *p == '\n';
	}
}

static void put_option(void *ctx, const struct cli_option *option)
{
	FILE *out = ctx;
	fputs(".TP\n\\fB", out);
	if (option->letter != '\0')
		fprintf(out, "\\-%c\\fR, \\fB", option->letter);
	fputs("\\-\\-", out);
	put_text(out, option->name);
	fputs("\\fR", out);
	if (option->value != NULL) {
		fputs(" \\fI", out);
		put_text(out, option->value);
		fputs("\\fR", out);
	}
	fputc('\n', out);
	put_text(out, option->help);
	fputc('\n', out);
}

static void put_command(FILE *out, const struct cli_program *program, const struct cli_command *command)
{
	fprintf(out, ".SS %s %s ", program->name, command->name);
	put_text(out, command->args != NULL ? command->args : "");
	fprintf(out, "\n%c", toupper((unsigned char)command->summary[0]));
	put_text(out, command->summary + 1);
	fputs(".\n", out);
	if (command->details != NULL) {
		put_text(out, command->details);
		fputc('\n', out);
	}
	if (command->program != NULL)
		fprintf(out, "See \\fB%s\\fR(1).\n", command->program);
	else
		cli_each_option(command, put_option, out);
	const struct cli_command *row;
	for (int i = 0; command->row != NULL && (row = command->row(i)) != NULL; i++)
		put_command(out, program, row);
}

void cli_print_manual(FILE *out, const struct cli_program *program)
{
	fprintf(out, ".TH ");
	for (const char *p = program->name; *p != '\0'; p++)
		fputc(toupper((unsigned char)*p), out);
	fprintf(out, " 1 \"\" \"cairn %s\" \"User Commands\"\n.SH NAME\n", CAIRN_VERSION);
	put_text(out, program->name);
	fputs(" \\- ", out);
	put_text(out, program->summary);
	fputs("\n.SH SYNOPSIS\n.B ", out);
	put_text(out, program->name);
	fputs("\n.I COMMAND\n[\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...\n", out);
	for (int g = 0; g < CLI_GROUP_COUNT; g++) {
		const char *heading = cli_group_heading(program, g);
		if (heading == NULL)
			continue;
		fprintf(out, ".SH \"%s\"\n", heading);
		for (int i = 0; i < program->count; i++)
			if ((int)program->commands[i].group == g)
				put_command(out, program, &program->commands[i]);
	}
	fputs(".SH \"EXIT STATUS\"\n0 done, 1 refused or failed, 2 wrong usage or configuration, 3 nothing "
	      "runs "
	      "there or no answer in time.\n",
	    out);
}

/* ---- completion ---- */

static void put_flag(void *ctx, const struct cli_option *option)
{
	fprintf(ctx, " --%s", option->name);
}

/* What the arguments of a command may be, as words for compgen; NULL: files. */
static const char *kind_of(const struct cli_command *command)
{
	const char *args = command->args != NULL ? command->args : "";
	if (strstr(args, "STAGE") != NULL)
		return "$stages";
	if (strstr(args, "TOPIC") != NULL)
		return "$topics";
	return NULL;
}

static void put_topics(FILE *out)
{
	fputs("\tlocal topics=\"", out);
	for (int i = 0; i < CAIRN_TOPIC_COUNT; i++)
		fprintf(out, "%s%s", i > 0 ? " " : "", cairn_topics[i].name);
	for (int i = 0; i < CAIRN_FRAME_COUNT; i++)
		fprintf(out, " %s", cairn_frame_topics[i].name);
	fputs("\"\n\tlocal stages=\"", out);
#define STAGE(id, name, program, uses_iceoryx, when, without, doc) fputs(name " ", out);
#include "procs/launcher/stages.def"
	fputs("\"\n", out);
}

void cli_print_completion(FILE *out, const struct cli_program *program)
{
	fprintf(out, "# bash completion of %s; made by '%s help --completion'\n_%s() {\n", program->name,
	    program->name, program->name);
	put_topics(out);
	fputs("\tlocal cur=${COMP_WORDS[COMP_CWORD]} flags='' words=''\n"
	      "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	      "\t\twords='",
	    out);
	for (int i = 0; i < program->count; i++)
		fprintf(out, "%s%s", i > 0 ? " " : "", program->commands[i].name);
	fputs("'\n\telse\n\t\tcase ${COMP_WORDS[1]} in\n", out);
	for (int i = 0; i < program->count; i++) {
		const struct cli_command *c = &program->commands[i];
		const char *kind = kind_of(c);
		if (c->program != NULL) {
			fprintf(out,
			    "\t\t%s) words=$(%s %s 2>/dev/null | cut -d' ' -f1); flags=$(%s %s "
			    "\"${COMP_WORDS[2]}\" --help 2>/dev/null | grep -oE -- '--[a-z-]+' | sort -u) "
			    ";;\n",
			    c->name, program->name, c->name, program->name, c->name);
			continue;
		}
		fprintf(out, "\t\t%s) flags='", c->name);
		cli_each_option(c, put_flag, out);
		fprintf(out, "'%s%s%s ;;\n", kind != NULL ? " words=\"" : "", kind != NULL ? kind : "",
		    kind != NULL ? "\"" : "");
	}
	fprintf(out,
	    "\t\tesac\n\tfi\n"
	    "\tif [[ $cur == -* ]]; then\n"
	    "\t\tmapfile -t COMPREPLY < <(compgen -W \"$flags\" -- \"$cur\")\n"
	    "\telif [ -n \"$words\" ]; then\n"
	    "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
	    "\telse\n"
	    "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
	    "\tfi\n}\ncomplete -F _%s %s\n",
	    program->name, program->name);
}
