/* pilot_priors.c - where the scholar looks first: see pilot_priors.def. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/sim/pilot/pilot_scholar.h"

#define ROOMS 8
#define NAMED_SO 9 /* a bathroom mirror is in the bathroom, whatever mirrors do */

static const char *const rooms[ROOMS] = {
    "kitchen", "living room", "dining room", "bedroom", "children's room", "bathroom", "study", "hall"};

static const struct {
	const char *thing;
	int homes[ROOMS]; /* of ten */
} priors[] = {
#define PRIOR(thing, ...) {thing, {__VA_ARGS__}},
#include "common/sim/pilot/pilot_priors.def"
};

static int room_of(const char *name)
{
	for (int i = 0; i < ROOMS; i++)
		if (strcasecmp(name, rooms[i]) == 0)
			return i;
	return -1;
}

/* Homes of ten for each room; false: nothing is known of such a thing. */
static bool homes_of(const char *thing, int ret[ROOMS])
{
	size_t longest = 0;
	for (int i = 0; i < ROOMS; i++)
		ret[i] = 0;
	for (int i = 0; i < ROOMS; i++)
		if (strcasestr(thing, rooms[i]) != NULL) {
			ret[i] = NAMED_SO;
			return true;
		}
	for (size_t i = 0; i < sizeof(priors) / sizeof(priors[0]); i++)
		if (strlen(priors[i].thing) > longest && cairn_scholar_same_thing(thing, priors[i].thing)) {
			longest = strlen(priors[i].thing);
			memcpy(ret, priors[i].homes, sizeof(priors[i].homes));
		}
	return longest > 0;
}

double cairn_scholar_prior(const char *thing, const char *room)
{
	int homes[ROOMS], at = room_of(room), sum = 0;
	bool known = homes_of(thing, homes);
	for (int i = 0; i < ROOMS && known; i++)
		sum += homes[i];
	if (at < 0 || sum == 0)
		return 1.0;
	return homes[at] * (double)ROOMS / sum;
}
