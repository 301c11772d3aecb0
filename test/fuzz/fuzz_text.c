/* What a model that answers in JSON may write. */
#include <stdio.h>
#include <stdlib.h>

#include "test/support/answer_rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
	struct cairn_answer answer = {.kind = CAIRN_ANSWER_STOP};
	bool actions_only = (count & 2) != 0;
	cairn_answer_from_text((const char *)data, count, actions_only, (count & 1) != 0, &answer);
	const char *rule = answer_broken_rule(&answer, actions_only);
	if (rule != NULL) {
		fprintf(stderr, "broken: %s\n", rule);
		abort();
	}
	return 0;
}
