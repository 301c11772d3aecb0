/* cmd_config.c - the configuration, checked and printed. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/config/config.h"
#include "common/config/config_text.h"
#include "common/rules/config_check.h"
#include "procs/cairn/commands.h"
#include "procs/cli/rundir.h"

static void print_value(const struct cairn_config *cfg, const struct cairn_config_row *row)
{
	char value[CAIRN_CONFIG_TEXT_CAP];
	cairn_config_value_text(cfg, row, value, sizeof(value));
	if (row->kind == CAIRN_CONFIG_TEXT || row->kind == CAIRN_CONFIG_CHOICE)
		cli_print_json_string(stdout, value); /* also a YAML string */
	else
		fputs(value, stdout);
}

static void print_yaml(const struct cairn_config *cfg)
{
	const char *section = "";
	for (int i = 0; i < cairn_config_row_count; i++) {
		const struct cairn_config_row *row = &cairn_config_rows[i];
		if (strcmp(section, row->section) != 0)
			printf("%s%s:\n", i > 0 ? "\n" : "", row->section);
		section = row->section;
		printf("  %s: ", row->key);
		print_value(cfg, row);
		printf(" # %s\n", row->doc);
	}
}

static void print_json(const struct cairn_config *cfg)
{
	const char *section = "";
	for (int i = 0; i < cairn_config_row_count; i++) {
		const struct cairn_config_row *row = &cairn_config_rows[i];
		if (strcmp(section, row->section) != 0)
			printf("%s\"%s\":{", i > 0 ? "}," : "{", row->section);
		else
			putchar(',');
		section = row->section;
		printf("\"%s\":", row->key);
		print_value(cfg, row);
	}
	printf("}}\n");
}

void cli_print_config_markdown(FILE *out)
{
	fprintf(out,
	    "# Configuration\n\n"
	    "<!-- Made by `cairn config --markdown` from common/config/config.def; do not edit. -->\n\n"
	    "YAML, `section:` with its keys below. Layers, later ones win: the defaults of this page,\n"
	    "`config/robots/<robot.name>.yaml`, `config/cairn.yaml`, `cairn up --config FILE`, `--set "
	    "section.key=value`.\n"
	    "A unit is part of a key's name, the value is a plain number: `speed_mps: 0.3`. Unknown keys, "
	    "wrong words and\n"
	    "values out of range are refused with file, line, key and reason, before anything moves (exit "
	    "status 2).\n"
	    "`cairn config --set ...` shows what a run would get, `cairn config --effective` what a running "
	    "stack has.\n"
	    "API keys are never in here: `vlm.api_key_env` names the environment variable that holds the "
	    "key.\n");
	struct cairn_config defaults;
	cairn_config_defaults(&defaults);
	const char *section = "";
	int sections = 0;
	for (int i = 0; i < cairn_config_row_count; i++) {
		const struct cairn_config_row *row = &cairn_config_rows[i];
		if (strcmp(section, row->section) != 0) {
			fprintf(out,
			    "\n## %s\n\n%s.\n\n| key | default | allowed | meaning |\n|---|---|---|---|\n",
			    row->section, cairn_config_sections[sections++].doc);
		}
		section = row->section;
		char value[CAIRN_CONFIG_TEXT_CAP];
		cairn_config_value_text(&defaults, row, value, sizeof(value));
		fprintf(out, value[0] != '\0' ? "| `%s` | `%s` | " : "| `%s` | %s | ", row->key, value);
		switch (row->kind) {
		case CAIRN_CONFIG_REAL:
			fprintf(out, "%.10g to %.10g", row->min, row->max);
			break;
		case CAIRN_CONFIG_INT:
			fprintf(out, "%.10g to %.10g, whole", row->min, row->max);
			break;
		case CAIRN_CONFIG_FLAG:
			fprintf(out, "true, false");
			break;
		case CAIRN_CONFIG_TEXT:
			fprintf(out, "text");
			break;
		case CAIRN_CONFIG_CHOICE:
			for (int k = 0; row->words[k] != NULL; k++)
				fprintf(out, "%s%s", k > 0 ? ", " : "", row->words[k]);
			break;
		}
		fprintf(out, " | %s |\n", row->doc);
	}
}

static bool merged(const struct cli *cli, struct cairn_config *cfg, struct cairn_error *err)
{
	char share[4096];
	struct cairn_config_layers layers = cli_layers(cli);
	layers.share_dir = share;
	return cairn_share_dir(share, sizeof(share), err) && cairn_config_merge(cfg, &layers, err) &&
	       cairn_config_check(cfg, err);
}

int cli_config(const struct cli *cli)
{
	struct cairn_config cfg;
	struct cairn_error err = {""};
	if (cli_value(cli, "markdown") != NULL) {
		cli_print_config_markdown(stdout);
		return CLI_OK;
	}
	cairn_config_defaults(&cfg);
	if (cli_value(cli, "effective") != NULL) {
		char path[CLI_RUN_DIR_MAX + 32];
		int status = cli_need_stack(cli);
		if (status != CLI_OK)
			return status;
		snprintf(path, sizeof(path), "%s/config.yaml", cli->run_dir);
		if (!cairn_config_load(&cfg, path, &err))
			return cli_fail(cli, CLI_FAILED, "%s", err.text);
	} else if (cli_value(cli, "defaults") == NULL && !merged(cli, &cfg, &err)) {
		return cli_fail(cli, CLI_USAGE, "%s", err.text);
	}
	if (cli->json)
		print_json(&cfg);
	else
		print_yaml(&cfg);
	return CLI_OK;
}
