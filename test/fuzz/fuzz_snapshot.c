/* The payload of a snapshot frame: parts that were accepted lie within it. */
#include <stdlib.h>
#include <string.h>

#include "common/percept/snapshot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

static void inside(const void *part, size_t bytes, const uint8_t *data, size_t count)
{
	const uint8_t *p = part;
	if (p != NULL && (p < data || p > data + count || bytes > (size_t)(data + count - p)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
	struct cairn_snapshot s;
	struct cairn_error err = {""};
	/* On a boundary, as frames are. */
	uint8_t *copy = malloc(count + 1);
	if (copy == NULL)
		return 0;
	memcpy(copy, data, count);
	if (cairn_snapshot_read(copy, count, &s, &err)) {
		inside(s.text, s.head.text_bytes, copy, count);
		inside(s.jpeg, s.head.jpeg_bytes, copy, count);
		inside(s.view, s.head.view_bytes, copy, count);
	} else if (err.text[0] == '\0') {
		abort(); /* refused without a reason */
	}
	free(copy);
	return 0;
}
