/* A recorded log of scans, in either format. */
#include <stdlib.h>

#include "common/slam/log_reader.h"
#include "test/support/memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

#define TURNS_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
	static struct memory_file file = {-1, ""};
	static struct cairn_log_turn turn;
	struct cairn_error err = {""};
	if (file.fd < 0)
		file = memory_file_open();
	memory_file_write(&file, data, count);
	struct cairn_log_reader *reader = cairn_log_open(file.path, NULL, &err);
	if (reader == NULL && err.text[0] == '\0')
		abort(); /* refused without a reason */
	for (int i = 0; reader != NULL && i < TURNS_MAX && cairn_log_next(reader, &turn, &err) > 0; i++) {
		if (turn.scan.range_m_count > sizeof(turn.scan.range_m) / sizeof(turn.scan.range_m[0]))
			abort();
	}
	cairn_log_close(&reader);
	return 0;
}
