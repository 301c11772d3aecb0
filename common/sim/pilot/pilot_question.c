/* pilot_question.c - the scholar's grammar. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/sim/pilot/pilot_scholar.h"

static const struct {
	const char *lead;
	enum cairn_scholar_class kind;
} leads[] = {{"where is ", CAIRN_SCHOLAR_WHERE}, {"where are ", CAIRN_SCHOLAR_WHERE},
    {"where's ", CAIRN_SCHOLAR_WHERE}, {"find ", CAIRN_SCHOLAR_WHERE}, {"look for ", CAIRN_SCHOLAR_WHERE},
    {"search for ", CAIRN_SCHOLAR_WHERE}, {"go to ", CAIRN_SCHOLAR_WHERE},
    {"is there ", CAIRN_SCHOLAR_EXISTS}, {"are there ", CAIRN_SCHOLAR_EXISTS},
    {"do we have ", CAIRN_SCHOLAR_EXISTS}, {"how many ", CAIRN_SCHOLAR_COUNT}, {"open ", CAIRN_SCHOLAR_OPEN},
    {"close ", CAIRN_SCHOLAR_CLOSE}, {"bring me ", CAIRN_SCHOLAR_BRING}, {"fetch ", CAIRN_SCHOLAR_BRING},
    {"what is on ", CAIRN_SCHOLAR_ON}, {"what stands on ", CAIRN_SCHOLAR_ON},
    {"what colour is ", CAIRN_SCHOLAR_COLOUR}, {"what color is ", CAIRN_SCHOLAR_COLOUR},
    {"what colour are ", CAIRN_SCHOLAR_COLOUR}, {"what color are ", CAIRN_SCHOLAR_COLOUR}};

/* Behind the thing: where to look, or words that say nothing. */
static const char *const tails[] = {" are there", " is there", " are in", " is in", " in the house",
    " in this house", " in the home", " in here", " anywhere", " can you see", " do we have"};

static const char *skip_article(const char *p)
{
	static const char *const articles[] = {"the ", "a ", "an ", "my ", "any ", "our ", "some "};
	for (size_t i = 0; i < sizeof(articles) / sizeof(articles[0]); i++)
		if (strncmp(p, articles[i], strlen(articles[i])) == 0)
			return p + strlen(articles[i]);
	return p;
}

static void singular(char *word)
{
	size_t n = strlen(word);
	if (n > 4 && strcmp(word + n - 3, "ves") == 0)
		snprintf(word + n - 3, 2, "f");
	else if (n > 4 && (strcmp(word + n - 4, "shes") == 0 || strcmp(word + n - 4, "ches") == 0 ||
			      strcmp(word + n - 3, "xes") == 0))
		word[n - 2] = '\0';
	else if (n > 3 && word[n - 1] == 's' && word[n - 2] != 's')
		word[n - 1] = '\0';
}

static void trim(char *text)
{
	size_t n = strlen(text);
	while (n > 0 && (text[n - 1] == ' ' || ispunct((unsigned char)text[n - 1])))
		text[--n] = '\0';
}

/* "the fridge", "the lid of the laptop", "the lamp in the kitchen": the thing, and its room. */
static void take_thing(const char *words, char ret_what[40], char ret_room[40])
{
	static const char *const parts[] = {"lid of ", "door of "};
	char thing[256];
	snprintf(thing, sizeof(thing), "%s", skip_article(words));
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strncmp(thing, parts[i], strlen(parts[i])) == 0) {
			const char *whole = skip_article(thing + strlen(parts[i]));
			memmove(thing, whole, strlen(whole) + 1);
		}
	char *in = strstr(thing, " in ");
	if (in != NULL) {
		snprintf(ret_room, 40, "%.39s", skip_article(in + 4));
		*in = '\0';
		trim(ret_room);
	}
	trim(thing);
	snprintf(ret_what, 40, "%.39s", thing);
}

/* "is the ... open" */
static bool parse_state(const char *small, struct cairn_scholar_question *ret)
{
	static const char *const ends[] = {" open", " closed", " shut", " on", " off"};
	char words[256];
	size_t n = strlen(small);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t end = strlen(ends[i]);
		if (strncmp(small, "is ", 3) != 0 || n < 3 + end || strcmp(small + n - end, ends[i]) != 0)
			continue;
		snprintf(words, sizeof(words), "%.*s", (int)(n - end - 3), small + 3);
		take_thing(words, ret->what, ret->room);
		ret->kind = ret->what[0] != '\0' ? CAIRN_SCHOLAR_STATE : CAIRN_SCHOLAR_NONE;
		return true;
	}
	return false;
}

/* "seen from the middle of the kitchen, is the stove left of the fridge" */
static bool parse_side(const char *small, struct cairn_scholar_question *ret)
{
	static const char lead[] = "seen from the middle of ", is[] = ", is ";
	const char *at = strstr(small, is), *of = strstr(small, " left of ");
	size_t side = strlen(" left of ");
	char words[256];
	if (of == NULL) {
		of = strstr(small, " right of ");
		side = strlen(" right of ");
	}
	if (strncmp(small, lead, strlen(lead)) != 0 || at == NULL || of == NULL || of < at + strlen(is))
		return false;
	const char *room = skip_article(small + strlen(lead));
	snprintf(ret->from, sizeof(ret->from), "%.*s", at > room ? (int)(at - room) : 0, room);
	snprintf(words, sizeof(words), "%.*s", (int)(of - at - (long)strlen(is)), at + strlen(is));
	take_thing(words, ret->what, ret->room);
	take_thing(of + side, ret->other, ret->room);
	ret->kind = ret->what[0] != '\0' && ret->other[0] != '\0' ? CAIRN_SCHOLAR_LEFT : CAIRN_SCHOLAR_NONE;
	return true;
}

void cairn_scholar_parse(const char *task, struct cairn_scholar_question *ret)
{
	char small[256];
	size_t n = 0;
	*ret = (struct cairn_scholar_question){.kind = CAIRN_SCHOLAR_NONE};
	for (; task[n] != '\0' && n + 1 < sizeof(small); n++)
		small[n] = (char)tolower((unsigned char)task[n]);
	small[n] = '\0';
	trim(small);
	if (parse_side(small, ret) || (strncmp(small, "is there ", 9) != 0 && parse_state(small, ret)))
		return;
	const char *rest = NULL;
	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]) && rest == NULL; i++) {
		if (strncmp(small, leads[i].lead, strlen(leads[i].lead)) != 0)
			continue;
		ret->kind = leads[i].kind;
		rest = skip_article(small + strlen(leads[i].lead));
	}
	if (rest == NULL)
		return;
	char thing[256];
	snprintf(thing, sizeof(thing), "%s", rest);
	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		char *at = strstr(thing, tails[i]);
		size_t keep = strstr(tails[i], " in") != NULL && tails[i][strlen(tails[i]) - 1] == 'n'
				  ? strlen(tails[i]) - 3
				  : 0;
		if (at != NULL && keep > 0)
			memmove(
			    at, at + keep, strlen(at + keep) + 1); /* "are in the kitchen": the place stays */
		else if (at != NULL)
			*at = '\0';
	}
	char *in = strstr(thing, " in ");
	if (in != NULL) {
		snprintf(ret->room, sizeof(ret->room), "%.39s", skip_article(in + 4));
		*in = '\0';
	}
	trim(thing);
	trim(ret->room);
	snprintf(ret->what, sizeof(ret->what), "%.39s", thing);
	singular(ret->what);
	if (ret->what[0] == '\0')
		ret->kind = CAIRN_SCHOLAR_NONE;
}
