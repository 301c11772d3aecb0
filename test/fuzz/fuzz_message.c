/* A message from the bus: the first byte says of which topic. What was understood is written and understood
 * again, to the same bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/topics.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

#define BYTES_MAX (1u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
	static unsigned char first[BYTES_MAX], second[BYTES_MAX];
	static char line[BYTES_MAX * 4];
	if (count == 0)
		return 0;
	const struct cairn_topic_row *row = &cairn_topics[data[0] % CAIRN_TOPIC_COUNT];
	struct cairn_header hdr = {0};
	struct cairn_error err = {""};
	void *msg = calloc(1, row->desc->size);
	int r = msg != NULL ? cairn_msg_decode(row->desc, data + 1, count - 1, &hdr, msg, &err) : 0;
	if (r < 0 && err.text[0] == '\0')
		abort(); /* refused without a reason */
	if (msg != NULL && r >= 0) {
		int n = cairn_msg_encode(row->desc, row->name, &hdr, msg, first, sizeof(first));
		memset(msg, 0, row->desc->size);
		if (n < 0 || cairn_msg_decode(row->desc, first, (size_t)n, &hdr, msg, &err) < 0 ||
		    cairn_msg_encode(row->desc, row->name, &hdr, msg, second, sizeof(second)) != n ||
		    memcmp(first, second, (size_t)n) != 0) {
			fprintf(stderr, "%s does not come back as it went\n", row->name);
			abort();
		}
		(void)cairn_msg_to_json(row->desc, &hdr, msg, line, sizeof(line));
	}
	free(msg);
	return 0;
}
