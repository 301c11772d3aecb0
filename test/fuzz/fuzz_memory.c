/* The memory file, damaged in any way: what was read can be written and read again, and makes a text. */
#include <stdlib.h>
#include <string.h>

#include "common/vlm/memory.h"
#include "test/support/memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
	static struct memory_file file = {-1, ""};
	static struct cairn_memory memory;
	struct cairn_ledger ledger = {0};
	struct cairn_error err = {""};
	if (file.fd < 0)
		file = memory_file_open();
	memory_file_write(&file, data, count);
	cairn_memory_init(&memory);
	if (!cairn_memory_load(&memory, &ledger, file.path, &err)) {
		if (err.text[0] == '\0')
			abort(); /* refused without a reason */
		return 0;
	}
	struct cairn_text text = {0};
	cairn_memory_text(&memory, &text);
	cairn_memory_actions_text(&memory, &text);
	cairn_text_free(&text);
	return 0;
}
