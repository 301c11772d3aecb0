/* A key file and a list of those who may, as somebody may have edited them: what was understood is written
 * and understood again to the same, and nobody is let in under a name, key or right that is none. */
#include <stdlib.h>
#include <string.h>

#include "ipc/keyring.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

static void try_key(const char *text)
{
	struct cairn_key key = {.name = "before"}, again;
	struct cairn_error err = {""};
	char buf[CAIRN_KEY_FILE_MAX];
	if (!cairn_key_parse(text, &key, &err)) {
		if (err.text[0] == '\0' || strcmp(key.name, "before") != 0)
			abort(); /* refused without a reason, or not left as it was */
		return;
	}
	if (!cairn_key_name_valid(key.name) || strlen(key.public_key) != CAIRN_KEY_TEXT - 1)
		abort();
	if (cairn_key_format(&key, key.secret_key[0] != '\0', buf, sizeof(buf)) < 0 ||
	    !cairn_key_parse(buf, &again, &err) ||
	    memcmp(again.public_key, key.public_key, CAIRN_KEY_TEXT) != 0 ||
	    strcmp(again.secret_key, key.secret_key) != 0 || strcmp(again.name, key.name) != 0)
		abort();
}

static void try_list(const char *text)
{
	static struct cairn_allow allow;
	struct cairn_error err = {""};
	allow.count = 0;
	if (!cairn_allow_parse(text, &allow, &err)) {
		if (err.text[0] == '\0' || allow.count != 0)
			abort();
		return;
	}
	if (allow.count < 1 || allow.count > CAIRN_ALLOW_MAX)
		abort();
	for (int i = 0; i < allow.count; i++) {
		const struct cairn_allow_row *row = &allow.rows[i];
		if (!cairn_key_name_valid(row->name) || strlen(row->public_key) != CAIRN_KEY_TEXT - 1 ||
		    cairn_allow_by_key(&allow, row->public_key) != row ||
		    cairn_allow_by_name(&allow, row->name) != row)
			abort(); /* one name or key for two */
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
	char *text = malloc(count + 1);
	if (text == NULL)
		return 0;
	memcpy(text, data, count);
	text[count] = '\0'; /* as a file is read */
	try_key(text);
	try_list(text);
	free(text);
	return 0;
}
