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

void cairn_scholar_parse(const char *task, struct cairn_scholar_question *ret)
{
	char small[256];
	size_t n = 0;
	*ret = (struct cairn_scholar_question){.kind = CAIRN_SCHOLAR_NONE};
	for (; task[n] != '\0' && n + 1 < sizeof(small); n++)
		small[n] = (char)tolower((unsigned char)task[n]);
	small[n] = '\0';
	trim(small);
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
