#include "common/scene/words.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

static const struct cairn_scene_word words[] = {
    {"fridge", true, true, false, "kitchen", 4},
    {"refrigerator", true, true, false, "kitchen", 4},
    {"stove", false, false, true, "kitchen", 4},
    {"oven", true, true, false, "kitchen", 3},
    {"microwave", true, true, false, "kitchen", 3},
    {"microwave oven", true, true, false, "kitchen", 3},
    {"dishwasher", true, true, false, "kitchen", 4},
    {"kitchen counter", false, false, true, "kitchen", 4},
    {"kitchen table", false, false, true, "kitchen", 4},
    {"kitchen chair", false, false, false, "kitchen", 2},
    {"counter", false, false, true, "kitchen", 2},
    {"sink", true, false, false, "kitchen", 2},
    {"sink counter", false, false, true, "kitchen", 3},
    {"kettle", false, false, false, "kitchen", 1},
    {"sofa", false, false, true, "living room", 4},
    {"couch", false, false, true, "living room", 4},
    {"armchair", false, false, true, "living room", 3},
    {"television", false, false, false, "living room", 3},
    {"television bench", true, true, true, "living room", 3},
    {"tv", false, false, false, "living room", 3},
    {"coffee table", false, false, true, "living room", 3},
    {"fireplace", false, false, false, "living room", 3},
    {"piano", false, false, true, "living room", 2},
    {"dining table", false, false, true, "dining room", 2},
    {"dining chair", false, false, false, "dining room", 1},
    {"bed", false, false, true, "bedroom", 5},
    {"child's bed", false, false, true, "children's room", 6},
    {"crib", false, false, true, "children's room", 5},
    {"toy shelf", true, false, true, "children's room", 4},
    {"toy box", true, true, false, "children's room", 3},
    {"night table", true, true, true, "bedroom", 3},
    {"nightstand", true, true, true, "bedroom", 3},
    {"wardrobe", true, true, false, "bedroom", 2},
    {"dresser", true, true, true, "bedroom", 2},
    {"toilet", false, false, false, "bathroom", 6},
    {"bathtub", true, false, false, "bathroom", 6},
    {"bath", true, false, false, "bathroom", 4},
    {"shower", false, false, false, "bathroom", 6},
    {"washbasin", true, false, false, "bathroom", 5},
    {"towel", false, false, false, "bathroom", 1},
    {"washing machine", true, true, true, "bathroom", 1},
    {"bathroom mirror", false, false, false, "bathroom", 3},
    {"desk", false, false, true, "study", 3},
    {"office chair", false, false, false, "study", 3},
    {"printer", false, false, false, "study", 2},
    {"coat rack", false, false, false, "hall", 3},
    {"shoe cabinet", true, true, true, "hall", 3},
    {"front door", false, false, false, "hall", 3},
    {"umbrella stand", true, false, false, "hall", 2},
    {"cupboard", true, true, false, NULL, 0},
    {"cabinet", true, true, true, NULL, 0},
    {"drawer", true, true, false, NULL, 0},
    {"drawers", true, true, true, NULL, 0},
    {"chest", true, true, true, NULL, 0},
    {"box", true, true, false, NULL, 0},
    {"suitcase", true, true, false, NULL, 0},
    {"basket", true, false, false, NULL, 0},
    {"bin", true, false, false, NULL, 0},
    {"bowl", true, false, false, NULL, 0},
    {"shelf", true, false, true, NULL, 0},
    {"bookshelf", true, false, true, NULL, 0},
    {"bookcase", true, false, true, NULL, 0},
    {"table", false, false, true, NULL, 0},
    {"bench", false, false, true, NULL, 0},
    {"sideboard", true, true, true, NULL, 0},
};

static bool letter(char c)
{
	return isalnum((unsigned char)c) || c == '\'' || (unsigned char)c >= 0x80;
}

bool cairn_scene_has_word(const char *text, const char *word)
{
	size_t n = strlen(word);
	int first = tolower((unsigned char)word[0]);
	if (n == 0)
		return false;
	for (const char *p = text; *p != '\0'; p++) {
		if (tolower((unsigned char)*p) != first)
			continue;
		bool begins = p == text || !letter(p[-1]);
		if (begins && strncasecmp(p, word, n) == 0 && !letter(p[n]))
			return true;
	}
	return false;
}

const struct cairn_scene_word *cairn_scene_word(const char *label)
{
	const struct cairn_scene_word *best = NULL;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (cairn_scene_has_word(label, words[i].word) &&
		    (best == NULL || strlen(words[i].word) > strlen(best->word)))
			best = &words[i];
	return best;
}
