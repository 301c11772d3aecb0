#include "common/vlm/short_ids.h"

#include <string.h>

/* Each word that a number follows becomes other words; with_number: the number goes, too. These are no longer than what goes. */
static void replace(char *text, const char *word, const char *with, bool with_number)
{
	size_t n = strlen(word), m = strlen(with);
	for (char *at = text; (at = strstr(at, word)) != NULL; at++) {
		size_t digits = strspn(at + n, "0123456789");
		size_t gone = with_number ? n + digits : n;
		if (digits == 0 || gone < m)
			continue;
		memcpy(at, with, m);
		memmove(at + m, at + gone, strlen(at + gone) + 1);
	}
}

void cairn_short_ids(char *text)
{
	replace(text, "frontier ", "F", false);
	replace(text, "candidate ", "C", false);
	replace(text, "decision ", "the next", true);
}
