/* A map of another program: a YAML file and the picture it names. The input is the text, a NUL, the picture.
 */
#include <stdlib.h>
#include <string.h>

#include "common/map/map_server.h"
#include "test/support/memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
	static struct memory_file text = {-1, ""}, picture = {-1, ""};
	static char yaml[65536];
	struct cairn_map_file map = {0};
	struct cairn_error err = {""};
	const uint8_t *nul = memchr(data, 0, count);
	if (nul == NULL || (size_t)(nul - data) > sizeof(yaml) - 64)
		return 0;
	if (text.fd < 0) {
		text = memory_file_open();
		picture = memory_file_open();
	}
	int n = snprintf(yaml, sizeof(yaml), "image: %s\n%s", picture.path, (const char *)data);
	memory_file_write(&text, yaml, (size_t)n);
	memory_file_write(&picture, nul + 1, count - (size_t)(nul + 1 - data));
	if (!cairn_map_file_load(&map, text.path, &err) && err.text[0] == '\0')
		abort(); /* refused without a reason */
	free(map.cells);
	return 0;
}
