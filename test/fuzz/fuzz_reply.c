/* A response body of any service, in any format and mode: the first byte says which. */
#include <stdio.h>
#include <stdlib.h>

#include "test/support/answer_rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
	struct cairn_answer answer;
	if (count == 0)
		return 0;
	bool actions_only = (data[0] & 0x40) != 0;
	answer_read(data[0] & 0x0F, (const char *)data + 1, count - 1, actions_only, &answer);
	const char *rule = answer_broken_rule(&answer, actions_only);
	if (rule != NULL) {
		fprintf(stderr, "broken: %s\n", rule);
		abort();
	}
	char line[120];
	cairn_json_error_text((const char *)data, count, line, sizeof(line));
	return 0;
}
