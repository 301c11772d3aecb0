/* A map file whose payload is anything: magic, version, length and checksum are made right, so that the
 * reader has to look at what is behind them. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/slam/mapper.h"
#include "test/support/memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

#define HEAD_BYTES 24

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
	static struct memory_file file = {-1, ""};
	static struct cairn_config cfg;
	static unsigned char bytes[1u << 18];
	struct cairn_error err = {""};
	if (count < HEAD_BYTES || count > sizeof(bytes))
		return 0;
	if (file.fd < 0) {
		file = memory_file_open();
		cairn_config_defaults(&cfg);
	}
	uint64_t payload = count - HEAD_BYTES;
	uint32_t crc = (uint32_t)crc32(0, data + HEAD_BYTES, (uInt)payload);
	memcpy(bytes, data, count);
	memcpy(bytes + 12, &crc, sizeof(crc));
	memcpy(bytes + 16, &payload, sizeof(payload));
	memory_file_write(&file, bytes, count);
	struct cairn_mapper *mapper = cairn_mapper_load(&cfg, file.path, &err);
	if (mapper == NULL && err.text[0] == '\0')
		abort(); /* refused without a reason */
	if (mapper != NULL) {
		static struct cairn_msg_frontiers frontiers;
		struct cairn_msg_pose pose;
		cairn_mapper_pose(mapper, &pose);
		(void)cairn_mapper_frontiers(mapper, 0, &frontiers);
	}
	cairn_mapper_destroy(&mapper);
	return 0;
}
