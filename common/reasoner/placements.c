#include "common/reasoner/reasoner.h"

#include <string.h>

#include "common/scene/words.h"

enum { CABINET, SHELF, TABLE, COUNTER, FRIDGE, SEAT, BED, SINK, BASKET, WASHER, SORTS };

static const struct {
	const char *thing;
	int right[SORTS]; /* of ten people */
} placements[] = {
#define PLACEMENT(thing, ...) {thing, {__VA_ARGS__}},
#include "common/reasoner/placements.def"
};

/* Words of labels, longest first where one holds another. */
static const struct {
	const char *word;
	int sort;
} sorts[] = {{"cupboard", CABINET}, {"cabinet", CABINET}, {"wardrobe", CABINET}, {"drawers", CABINET},
    {"dresser", CABINET}, {"chest", CABINET}, {"bookshelf", SHELF}, {"shelf", SHELF}, {"night table", TABLE},
    {"table", TABLE}, {"desk", TABLE}, {"bench", TABLE}, {"counter", COUNTER}, {"fridge", FRIDGE},
    {"refrigerator", FRIDGE}, {"sofa", SEAT}, {"chair", SEAT}, {"bed", BED}, {"sink", SINK},
    {"washbasin", SINK}, {"basket", BASKET}, {"bin", BASKET}, {"box", BASKET}, {"dishwasher", WASHER},
    {"washing machine", WASHER}};

/* Things that the survey calls by another word. */
static const struct {
	const char *label, *as;
} same[] = {{"glass", "tumbler"}, {"bottle", "water bottle"}, {"teddy bear", "stuffed toy"}};

static int sort_of(const char *receptacle)
{
	for (size_t i = 0; i < sizeof(sorts) / sizeof(sorts[0]); i++)
		if (cairn_scene_has_word(receptacle, sorts[i].word))
			return sorts[i].sort;
	return -1;
}

double cairn_placement_prior(const char *thing, const char *receptacle)
{
	int sort = sort_of(receptacle);
	size_t longest = 0;
	double best = 0.0;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		if (cairn_scene_has_word(thing, same[i].label))
			thing = same[i].as;
	for (size_t i = 0; sort >= 0 && i < sizeof(placements) / sizeof(placements[0]); i++) {
		size_t n = strlen(placements[i].thing);
		if (n > longest && cairn_scene_has_word(thing, placements[i].thing)) {
			longest = n;
			best = placements[i].right[sort] / 10.0;
		}
	}
	return best;
}
