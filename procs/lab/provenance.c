#include "procs/lab/provenance.h"

#include <stdio.h>
#include <string.h>

#include "cairn_commit.h"
#include "common/base/hash.h"
#include "procs/lab/jobs.h"

static void put_word(FILE *out, const char *word)
{
	static const char plain[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
	if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
		fputs(word, out);
		return;
	}
	fputc('\'', out);
	for (const char *at = word; *at != '\0'; at++)
		fputs(*at == '\'' ? "'\\''" : (char[]){*at, '\0'}, out);
	fputc('\'', out);
}

char *cairn_provenance_command(const struct cli *cli)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (out == NULL)
		return NULL;
	fprintf(out, "cairn %s", cli->command->name);
	/* "eval explore": the name of the command ends with its first argument */
	for (int i = strchr(cli->command->name, ' ') != NULL; i < cli->arg_count; i++) {
		fputc(' ', out);
		put_word(out, cli->args[i]);
	}
	for (int i = 0; cli->command->options != NULL && cli->command->options[i].name != NULL; i++)
		for (int k = 0; k < cli->counts[i]; k++) {
			fprintf(out, " --%s", cli->command->options[i].name);
			if (cli->command->options[i].value == NULL)
				continue;
			fputc(' ', out);
			put_word(out, cli->values[i][k]);
		}
	fclose(out);
	return text;
}

const char *cairn_provenance_commit(void)
{
	return CAIRN_COMMIT;
}

uint64_t cairn_provenance_config(const struct cairn_config *cfg)
{
	uint64_t hash = 0;
	for (int i = 0; i < cairn_config_row_count; i++) {
		char value[CAIRN_CONFIG_TEXT_CAP + 64];
		const struct cairn_config_row *row = &cairn_config_rows[i];
		cairn_config_value_text(cfg, row, value, sizeof(value));
		hash = cairn_hash_bytes(hash, row->section, strlen(row->section) + 1);
		hash = cairn_hash_bytes(hash, row->key, strlen(row->key) + 1);
		hash = cairn_hash_bytes(hash, value, strlen(value) + 1);
	}
	return hash;
}
