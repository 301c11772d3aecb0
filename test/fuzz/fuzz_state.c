/* Small things that are read whole; the first byte says which: a file of providers, what a sequencer kept of
 * its mission (its checksum is made right), the header of a frame (the second byte says of which topic). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/sequencer/mission_store.h"
#include "common/sequencer/sequencer.h"
#include "common/vlm/profile.h"
#include "ipc/frame_layout.h"
#include "test/support/memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

#define NOW_NS INT64_C(1000000000000)
#define RECORD_HEAD 16

static struct cairn_config cfg;

/* What was accepted can be used: it has names that differ and nothing that the check between keys refuses. */
static void providers(const uint8_t *data, size_t count)
{
	static struct memory_file file = {-1, ""};
	static struct cairn_profiles profiles;
	struct cairn_error err = {""};
	if (file.fd < 0)
		file = memory_file_open();
	memory_file_write(&file, data, count);
	profiles.count = CAIRN_PROFILES_MAX + 1;
	if (!cairn_profiles_load(&profiles, file.path, &err)) {
		if (err.text[0] == '\0' || profiles.count != CAIRN_PROFILES_MAX + 1)
			abort(); /* refused without a reason, or not left as it was */
		return;
	}
	if (profiles.count < 1 || profiles.count > CAIRN_PROFILES_MAX)
		abort();
	for (uint32_t i = 0; i < profiles.count; i++) {
		if (cairn_profile_wrong(&profiles.rows[i]) != NULL)
			abort();
		for (uint32_t k = 0; k < i; k++)
			if (strcmp(profiles.rows[i].name, profiles.rows[k].name) == 0)
				abort();
	}
}

/* A sequencer that goes on with what was accepted says something sensible. */
static void go_on(const struct cairn_mission_record *record)
{
	struct cairn_sequencer *seq = cairn_sequencer_new(&cfg, record, NOW_NS);
	static struct cairn_sequencer_output out;
	for (int i = 0; seq != NULL && i < 8; i++) {
		cairn_sequencer_step(seq, NOW_NS + i * INT64_C(50000000), &out);
		if (!isfinite(out.mission.elapsed_s) || out.mission.elapsed_s < 0.0)
			abort();
	}
	cairn_sequencer_destroy(&seq);
}

static void mission(const uint8_t *data, size_t count)
{
	static struct cairn_mission_record record;
	static unsigned char bytes[CAIRN_MISSION_RECORD_BYTES];
	struct cairn_error err = {""};
	memset(bytes, 0, sizeof(bytes));
	memcpy(bytes, data, count < sizeof(bytes) ? count : sizeof(bytes));
	uint32_t crc = (uint32_t)crc32(0, bytes + RECORD_HEAD, (uInt)(sizeof(bytes) - RECORD_HEAD));
	memcpy(bytes + 12, &crc, sizeof(crc));
	if (cairn_mission_record_decode(&record, bytes, sizeof(bytes), NOW_NS, &err))
		go_on(&record);
	else if (err.text[0] == '\0')
		abort(); /* refused without a reason */
}

/* Readers go by width, height and stride, and take the age: all of it lies in the payload and in int64. */
static void frame(const uint8_t *data, size_t count)
{
	struct cairn_frame_header hdr;
	struct cairn_error err = {""};
	if (count < 1 + sizeof(hdr))
		return;
	memcpy(&hdr, data + 1, sizeof(hdr));
	uint32_t max = cairn_frame_payload_max(&cfg, (enum cairn_frame_topic)(data[0] % CAIRN_FRAME_COUNT));
	if (!cairn_frame_header_check(&hdr, max, NOW_NS, &err)) {
		if (err.text[0] == '\0')
			abort();
		return;
	}
	uint64_t pixel = hdr.format == CAIRN_FORMAT_RGB8 ? 3 : hdr.format == CAIRN_FORMAT_DEPTH16 ? 2 : 1;
	bool picture = hdr.format == CAIRN_FORMAT_RGB8 || hdr.format == CAIRN_FORMAT_DEPTH16 ||
		       hdr.format == CAIRN_FORMAT_GRID8;
	uint64_t end = picture ? (uint64_t)(hdr.height - 1) * hdr.stride_bytes + hdr.width * pixel : 0;
	if (hdr.payload_bytes > max || end > hdr.payload_bytes || NOW_NS - hdr.t_ns < -INT64_C(50000000))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
	if (count < 1)
		return 0;
	if (cfg.robot.speed_max_mps == 0.0)
		cairn_config_defaults(&cfg);
	switch (data[0] % 3) {
	case 0:
		providers(data + 1, count - 1);
		break;
	case 1:
		mission(data + 1, count - 1);
		break;
	default:
		frame(data + 1, count - 1);
		break;
	}
	return 0;
}
