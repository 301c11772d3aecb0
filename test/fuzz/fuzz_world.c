/* A house: YAML, HouseExpo JSON or a raster, whatever the loader takes it for. */
#include <math.h>
#include <stdlib.h>

#include "common/sim/world/world.h"
#include "test/support/memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
	static struct memory_file file = {-1, ""};
	static struct cairn_world *(*const loaders[])(const char *, struct cairn_error *) = {
	    cairn_world_load_yaml, cairn_world_load_houseexpo, cairn_world_load_raster};
	struct cairn_error err = {""};
	if (count == 0)
		return 0;
	if (file.fd < 0)
		file = memory_file_open();
	memory_file_write(&file, data + 1, count - 1);
	struct cairn_world *world = loaders[data[0] % 3](file.path, &err);
	if (world == NULL && err.text[0] == '\0')
		abort(); /* refused without a reason */
	if (world != NULL && !(cairn_world_cast(world, 0.0, 0.0, 1.0, 0.0, 0.2, 10.0).range_m >= 0.0))
		abort();
	cairn_world_destroy(&world);
	return 0;
}
