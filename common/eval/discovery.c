#include "common/eval/discovery.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 16
#define WORD_CAP 24
#define SEEN_SLACK_M 0.35 /* a picture hangs on the wall that the ray meets */
#define ROUND 8           /* points about the robot */

struct cairn_discoveries {
	const struct cairn_world *world;
	bool *rooms, *things; /* reported */
};

/* ---- words ---- */

struct words {
	char of[WORDS_MAX][WORD_CAP];
	int count;
};

static bool ends_with(const char *word, size_t n, const char *end)
{
	size_t k = strlen(end);
	return n >= k && memcmp(word + n - k, end, k) == 0;
}

/* Of many the one: "shelves", "boxes", "glasses", "chairs". The length that is left. */
static size_t singular(char *word, size_t n)
{
	static const char *const es[] = {"ches", "shes", "sses", "xes"};
	if (ends_with(word, n, "lves")) {
		word[n - 3] = 'f';
		return n - 2;
	}
	for (size_t i = 0; i < sizeof(es) / sizeof(es[0]); i++)
		if (ends_with(word, n, es[i]))
			return n - 2;
	return n > 3 && word[n - 1] == 's' && word[n - 2] != 's' ? n - 1 : n;
}

/* In lower case, in the singular, without what stands behind an apostrophe. */
static void split(const char *text, struct words *ret)
{
	*ret = (struct words){.count = 0};
	for (const char *at = text; *at != '\0' && ret->count < WORDS_MAX;) {
		char *word = ret->of[ret->count];
		size_t n = 0;
		for (; isalpha((unsigned char)*at); at++)
			if (n < WORD_CAP - 1)
				word[n++] = (char)tolower((unsigned char)*at);
		n = singular(word, n);
		word[n] = '\0';
		ret->count += n > 0;
		if (*at == '\'')
			while (isalpha((unsigned char)*++at))
				;
		else if (*at != '\0')
			at++;
	}
}

static bool listed(const char *list, const char *word)
{
	size_t n = strlen(word);
	for (const char *at = strstr(list, word); at != NULL; at = strstr(at + 1, word))
		if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
			return true;
	return false;
}

/* ---- rooms ---- */

/* Words of one line mean the same kind of room; a word may stand in several ("guest": a bedroom). */
static const char *const room_kinds[] = {
    "living lounge sitting family parlour parlor studio",
    "kitchen kitchenette cooking studio",
    "bedroom bed sleeping guest children child kid nursery studio",
    "bathroom bath toilet wc restroom washroom lavatory shower",
    "hall hallway corridor passage passageway entrance entry entryway foyer lobby vestibule aisle",
    "office study workroom working workspace",
    "children child kid nursery playroom play",
    "dining",
    "library reading",
    "storage store storeroom closet pantry cupboard cloakroom wardrobe",
    "laundry utility washing",
    "balcony terrace deck veranda porch loggia",
    "garage",
    "gym fitness exercise",
    "studio",
    "guest",
};
enum { ROOM_KINDS = sizeof(room_kinds) / sizeof(room_kinds[0]) };

static uint32_t kinds_of_word(const char *word)
{
	uint32_t kinds = 0;
	for (int i = 0; i < ROOM_KINDS; i++)
		kinds |= (uint32_t)listed(room_kinds[i], word) << i;
	return kinds;
}

static uint32_t kinds_of(const char *name)
{
	struct words w;
	uint32_t kinds = 0;
	split(name, &w);
	for (int i = 0; i < w.count; i++)
		kinds |= kinds_of_word(w.of[i]);
	return kinds;
}

static bool room_holds(const struct cairn_room *room, double x_m, double y_m)
{
	bool inside = false;
	for (uint32_t i = 0, k = room->corner_count - 1; i < room->corner_count; k = i++) {
		struct cairn_vec2 a = room->corners[i], b = room->corners[k];
		if ((a.y_m > y_m) != (b.y_m > y_m) &&
		    x_m < (b.x_m - a.x_m) * (y_m - a.y_m) / (b.y_m - a.y_m) + a.x_m)
			inside = !inside;
	}
	return inside;
}

/* The robot stands in it, or in its door. */
static bool room_near(const struct cairn_room *room, double x_m, double y_m)
{
	bool near = room_holds(room, x_m, y_m);
	for (int i = 0; !near && i < ROUND; i++)
		near = room_holds(room, x_m + CAIRN_DISCOVERY_ROOM_M * cos(2.0 * M_PI * i / ROUND),
		    y_m + CAIRN_DISCOVERY_ROOM_M * sin(2.0 * M_PI * i / ROUND));
	return near;
}

static enum cairn_discovery judge_room(struct cairn_discoveries *d, const char *label, double x_m, double y_m)
{
	const struct cairn_world *w = d->world;
	uint32_t here = 0;
	bool nameless = false;
	struct words words;
	split(label, &words);
	if (kinds_of(label) == 0 || w->room_count == 0)
		return CAIRN_DISCOVERY_UNJUDGED;
	for (uint32_t i = 0; i < w->room_count; i++) {
		if (!room_near(&w->rooms[i], x_m, y_m))
			continue;
		uint32_t kinds = kinds_of(w->rooms[i].name);
		nameless |= kinds == 0;
		here |= kinds;
	}
	for (int i = 0; i < words.count; i++) {
		uint32_t kinds = kinds_of_word(words.of[i]);
		if (kinds != 0 && (kinds & here) == 0)
			return nameless ? CAIRN_DISCOVERY_UNJUDGED : CAIRN_DISCOVERY_WRONG;
	}
	for (uint32_t i = 0; i < w->room_count; i++)
		if (!d->rooms[i] && (kinds_of(w->rooms[i].name) & kinds_of(label)) != 0 &&
		    room_near(&w->rooms[i], x_m, y_m)) {
			d->rooms[i] = true;
			return CAIRN_DISCOVERY_RIGHT;
		}
	return CAIRN_DISCOVERY_WRONG; /* reported before */
}

/* ---- things ---- */

static const char *const thing_words[] = {
    "sofa couch settee loveseat",
    "armchair chair stool seat",
    "table desk",
    "round_table table",
    "television tv screen monitor",
    "fridge refrigerator freezer",
    "wardrobe closet cupboard cabinet drawer dresser chest sideboard bench",
    "shelf bookshelf bookcase shelving",
    "lamp light",
    "plant flower tree",
    "washbasin basin sink",
    "bathtub tub bath shower",
    "toilet wc",
    "stove oven cooker hob appliance dishwasher washer",
    "counter worktop countertop",
    "rug carpet mat",
    "picture painting poster",
    "door doorway",
    "window mirror glass",
    "curtain drape",
    "box crate carton",
    "ball toy",
    "bed cot crib",
    "wall",
    "person people man woman child",
    "stair staircase step",
};
enum { THING_WORDS = sizeof(thing_words) / sizeof(thing_words[0]) };

static bool same_thing(const char *a, const char *b)
{
	bool same = strcmp(a, b) == 0;
	for (int i = 0; !same && i < THING_WORDS; i++)
		same = listed(thing_words[i], a) && listed(thing_words[i], b);
	return same;
}

/* The word that says what it is: the last one before "with", "near", ...; of a "pile of boxes" what it is a pile of. */
static const char *head_of(const struct words *w)
{
	static const char ends[] =
	    "with near next in on by at of beside behind under against along to from and";
	static const char heaps[] = "pile stack pair set bunch row group couple number lot";
	int head = 0, from = 0;
	while (from + 2 < w->count && strcmp(w->of[from], "of") != 0)
		from++;
	if (from > 0 && from + 1 < w->count && strcmp(w->of[from], "of") == 0 &&
	    listed(heaps, w->of[from - 1]))
		head = from + 1;
	while (head + 1 < w->count && !listed(ends, w->of[head + 1]))
		head++;
	return w->count > 0 ? w->of[head] : "";
}

static bool thing_is(const struct cairn_thing *t, const char *head)
{
	struct words name;
	split(t->name, &name);
	if (same_thing(head_of(&name), head))
		return true;
	split(t->kind, &name); /* "round_table" */
	return same_thing(head_of(&name), head);
}

/* Over lower things, or not hidden at all. */
static bool thing_seen(const struct cairn_world *w, uint32_t thing, double x_m, double y_m)
{
	static const double heights_m[] = {0.2, 1.2};
	const struct cairn_thing *t = &w->things[thing];
	double dx = (double)t->x_m - x_m, dy = (double)t->y_m - y_m, d_m = hypot(dx, dy);
	if (d_m > CAIRN_DISCOVERY_THING_M)
		return false;
	if (d_m < SEEN_SLACK_M)
		return true;
	for (size_t i = 0; i < sizeof(heights_m) / sizeof(heights_m[0]); i++) {
		struct cairn_ray_hit hit =
		    cairn_world_cast(w, x_m, y_m, dx / d_m, dy / d_m, heights_m[i], d_m);
		if (hit.edge < 0 || hit.range_m >= d_m - SEEN_SLACK_M ||
		    w->solids[w->edges[hit.edge].solid].thing == thing)
			return true;
	}
	return false;
}

static bool furniture(const struct cairn_thing *t)
{
	return strcmp(t->kind, "wall") != 0 && strcmp(t->kind, "door") != 0;
}

static bool furnished(const struct cairn_world *w)
{
	bool some = false;
	for (uint32_t i = 0; !some && i < w->thing_count; i++)
		some = furniture(&w->things[i]);
	return some;
}

/* Everything solid is known to a furnished world; a landmark or a hazard may be something else. */
static bool thing_known(const struct cairn_world *w, const char *head)
{
	bool known = false;
	for (int i = 0; !known && i < THING_WORDS; i++)
		known = listed(thing_words[i], head);
	for (uint32_t i = 0; !known && i < w->thing_count; i++)
		known = thing_is(&w->things[i], head);
	return known;
}

static enum cairn_discovery judge_thing(
    struct cairn_discoveries *d, const struct cairn_tool_call *report, double x_m, double y_m)
{
	const struct cairn_world *w = d->world;
	struct words words;
	split(report->label, &words);
	const char *head = head_of(&words);
	if (head[0] == '\0' || !furnished(w) || same_thing(head, "person")) /* people walk */
		return CAIRN_DISCOVERY_UNJUDGED;
	for (uint32_t i = 0; i < w->thing_count; i++)
		if (!d->things[i] && thing_is(&w->things[i], head) && thing_seen(w, i, x_m, y_m)) {
			d->things[i] = true;
			return CAIRN_DISCOVERY_RIGHT;
		}
	bool complete = report->significance == CAIRN_SIGNIFICANCE_OBJECT || thing_known(w, head);
	return complete ? CAIRN_DISCOVERY_WRONG : CAIRN_DISCOVERY_UNJUDGED;
}

/* ---- all ---- */

bool cairn_discoveries_known(const struct cairn_world *w)
{
	bool some = furnished(w);
	for (uint32_t i = 0; !some && i < w->room_count; i++)
		some = kinds_of(w->rooms[i].name) != 0;
	return some;
}

enum cairn_discovery cairn_discoveries_judge(
    struct cairn_discoveries *d, const struct cairn_tool_call *report, double x_m, double y_m)
{
	if (report->significance == CAIRN_SIGNIFICANCE_ROOM)
		return judge_room(d, report->label, x_m, y_m);
	return judge_thing(d, report, x_m, y_m);
}

struct cairn_discoveries *cairn_discoveries_new(const struct cairn_world *world)
{
	struct cairn_discoveries *d = calloc(1, sizeof(*d));
	if (d == NULL)
		return NULL;
	d->world = world;
	d->rooms = calloc((size_t)world->room_count + 1, sizeof(*d->rooms));
	d->things = calloc((size_t)world->thing_count + 1, sizeof(*d->things));
	if (d->rooms == NULL || d->things == NULL)
		cairn_discoveries_destroy(&d);
	return d;
}

void cairn_discoveries_destroy(struct cairn_discoveries **discoveries_p)
{
	struct cairn_discoveries *d = *discoveries_p;
	*discoveries_p = NULL;
	if (d == NULL)
		return;
	free(d->rooms);
	free(d->things);
	free(d);
}
