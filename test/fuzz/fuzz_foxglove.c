/* What a client of Foxglove's protocol may send, as text (first byte even) or as a binary message: what is taken is within its bounds,
 * what is refused has a reason and leaves the result alone, and a call is answered by the number that it bears. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/web/foxglove.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check(const struct cairn_foxglove_request *r, bool binary)
{
	must(r->count >= 0 && r->count <= CAIRN_FOXGLOVE_CHANNELS_MAX);
	must(memchr(r->args, '\0', sizeof(r->args)) != NULL);
	must(binary == (r->op == CAIRN_FOXGLOVE_CALL || r->op == CAIRN_FOXGLOVE_BAD_CALL ||
			   r->op == CAIRN_FOXGLOVE_PLAYBACK));
	must(r->op != CAIRN_FOXGLOVE_PLAYBACK || (isfinite(r->playback.rate) && r->playback.to_ns >= 0));
	must(r->op != CAIRN_FOXGLOVE_BAD_CALL || r->args[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
	static struct cairn_foxglove_request r;
	struct cairn_error err = {""};
	if (count == 0)
		return 0;
	bool binary = data[0] % 2 == 1;
	/* exactly as large as it says, so that a byte read too far is seen */
	uint8_t *copy = malloc(count > 1 ? count - 1 : 1);
	if (copy == NULL)
		return 0;
	memcpy(copy, data + 1, count - 1);
	r = (struct cairn_foxglove_request){.count = -7};
	bool ok = binary ? cairn_foxglove_parse_binary(copy, count - 1, &r, &err)
			 : cairn_foxglove_parse_text((const char *)copy, count - 1, &r, &err);
	if (ok)
		check(&r, binary);
	else
		must(err.text[0] != '\0' && r.count == -7);
	must(!ok || !binary || r.op == CAIRN_FOXGLOVE_PLAYBACK || cairn_foxglove_is_call(copy, count - 1));
	char *text = malloc(count);
	if (text != NULL) {
		memcpy(text, copy, count - 1);
		text[count - 1] = '\0';
		must(!cairn_foxglove_offered(text) || strstr(text, "foxglove.") != NULL);
	}
	free(text);
	free(copy);
	return 0;
}
