/* A configuration file, as somebody may have written it: whatever it says, a configuration that was accepted
 * is one that the checks accept. */
#include <stdlib.h>

#include "common/config/config.h"
#include "common/rules/config_check.h"
#include "test/support/memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
	static struct memory_file file = {-1, ""};
	static struct cairn_config cfg;
	struct cairn_error err = {""};
	if (file.fd < 0)
		file = memory_file_open();
	memory_file_write(&file, data, count);
	cairn_config_defaults(&cfg);
	bool good = cairn_config_load(&cfg, file.path, &err) && cairn_config_check(&cfg, &err);
	if (!good && err.text[0] == '\0')
		abort(); /* refused without a reason */
	return 0;
}
