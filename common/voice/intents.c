#include "common/voice/intents.h"

#include <ctype.h>
#include <string.h>

#define CAIRN_COMMAND_NONE CAIRN_COMMAND_COUNT
const struct cairn_intent_row cairn_intents[CAIRN_INTENT_COUNT] = {
#define INTENT(id, name, kind, command, arg, moves, grammar, effect)                                         \
	{name, CAIRN_INTENT_KIND_##kind, CAIRN_COMMAND_##command, arg, moves, grammar, effect},
#include "common/voice/intents.def"
};

void cairn_voice_plain(char *dst, size_t cap, const char *src)
{
	size_t n = 0;
	for (; *src != '\0' && n + 1 < cap; src++) {
		unsigned char c = (unsigned char)*src;
		if (c < 128 && (isalnum(c) || c == '\''))
			dst[n++] = (char)tolower(c);
		else if (n > 0 && dst[n - 1] != ' ')
			dst[n++] = ' ';
	}
	while (n > 0 && dst[n - 1] == ' ')
		n--;
	dst[n] = '\0';
}

/* ---- names ---- */

/* The word at *p, which is moved behind it. */
static bool next_word(const char **p, char *word, size_t cap)
{
	*p += strspn(*p, " ");
	size_t n = strcspn(*p, " ");
	if (n == 0)
		return false;
	size_t take = n < cap - 1 ? n : cap - 1;
	memcpy(word, *p, take);
	word[take] = '\0';
	*p += n;
	return true;
}

static void tell_unknown(struct cairn_voice_names *names, const char *said, const char *word)
{
	size_t len = strlen(names->unknown);
	names->unknown_count++;
	if (strstr(names->unknown, word) == NULL)
		snprintf(names->unknown + len, sizeof(names->unknown) - len, "%s%s (%s)", len > 0 ? ", " : "",
		    word, said);
}

void cairn_voice_name_add(struct cairn_voice_names *names, const char *label, const char *id,
    cairn_voice_knows_fn *knows, void *ctx)
{
	char said[CAIRN_VOICE_NAME_CAP], word[CAIRN_VOICE_NAME_CAP];
	cairn_voice_plain(said, sizeof(said), label);
	size_t len = strlen(said);
	while (len > 0 && (isdigit((unsigned char)said[len - 1]) || said[len - 1] == ' '))
		said[--len] = '\0';
	for (uint32_t i = 0; i < names->count; i++)
		if (strcmp(names->items[i].said, said) == 0)
			return;
	if (len == 0 || names->count == CAIRN_VOICE_NAMES_MAX || strpbrk(said, "0123456789") != NULL) {
		names->dropped++;
		return;
	}
	for (const char *p = said; knows != NULL && next_word(&p, word, sizeof(word));)
		if (!knows(ctx, word)) {
			tell_unknown(names, said, word);
			return;
		}
	struct cairn_voice_name *n = &names->items[names->count++];
	memcpy(n->said, said, sizeof(said));
	snprintf(n->id, sizeof(n->id), "%s", id);
}

static void add_kind(struct cairn_voice_names *ret, const struct cairn_msg_scene *scene,
    enum cairn_scene_kind kind, bool coloured, cairn_voice_knows_fn *knows, void *ctx)
{
	for (uint32_t i = 0; i < scene->nodes_count; i++) {
		const struct cairn_msg_scene_node *n = &scene->nodes[i];
		char label[64];
		if (n->kind != kind || n->stale || (coloured && n->colour[0] == '\0'))
			continue;
		snprintf(
		    label, sizeof(label), "%s%s%s", coloured ? n->colour : "", coloured ? " " : "", n->label);
		cairn_voice_name_add(ret, label, n->id, knows, ctx);
	}
}

void cairn_voice_names_from(struct cairn_voice_names *ret, const struct cairn_msg_scene *scene,
    const char *waypoints, cairn_voice_knows_fn *knows, void *ctx)
{
	memset(ret, 0, sizeof(*ret));
	add_kind(ret, scene, CAIRN_SCENE_KIND_ROOM, false, knows, ctx);
	for (const char *p = waypoints; *p != '\0';) {
		char name[CAIRN_VOICE_NAME_CAP];
		p += strspn(p, "; ");
		size_t n = strcspn(p, " ;");
		size_t take = n < sizeof(name) - 1 ? n : sizeof(name) - 1;
		memcpy(name, p, take);
		name[take] = '\0';
		if (take > 0)
			cairn_voice_name_add(ret, name, name, knows, ctx);
		p += strcspn(p, ";");
	}
	add_kind(ret, scene, CAIRN_SCENE_KIND_OBJECT, false, knows, ctx);
	add_kind(ret, scene, CAIRN_SCENE_KIND_OBJECT, true, knows, ctx);
}

/* ---- the grammar ---- */

static bool is_usable(const struct cairn_intent_row *row, const struct cairn_voice_names *names)
{
	return names->count > 0 || strstr(row->grammar, "<name>") == NULL;
}

void cairn_voice_grammar(struct cairn_text *ret, const char *wake, const struct cairn_voice_names *names)
{
	const char *between = "";
	cairn_text_add(ret, "#JSGF V1.0;\ngrammar cairn;\n");
	for (uint32_t i = 0; i < names->count; i++)
		cairn_text_addf(ret, "%s%s%s", i == 0 ? "<name> = " : " | ", names->items[i].said,
		    i + 1 == names->count ? ";\n" : "");
	cairn_text_add(ret, "<command> = ");
	for (int i = 0; i < CAIRN_INTENT_COUNT; i++) {
		if (!is_usable(&cairn_intents[i], names))
			continue;
		cairn_text_addf(ret, "%s%s", between, cairn_intents[i].grammar);
		between = "\n | ";
	}
	cairn_text_addf(ret, ";\npublic <said> = %s | %s <command> | <command>;\n", wake, wake);
}

void cairn_voice_stop_grammar(struct cairn_text *ret, const char *wake)
{
	cairn_text_addf(ret, "#JSGF V1.0;\ngrammar stop;\npublic <said> = [%s] (%s);\n", wake,
	    cairn_intents[CAIRN_INTENT_STOP].grammar);
}

/* ---- what a sentence means ---- */

/* The same grammar read by hand: JSGF's sequences, choices in ( ), options in [ ], and <name>. Each step takes all the places in the
 * text where a match may end, as a set of bits over the words. */
#define WORDS_MAX 30

struct matcher {
	char words[WORDS_MAX][CAIRN_VOICE_NAME_CAP];
	int count;
	const struct cairn_voice_names *names;
	int name[WORDS_MAX + 1]; /* which name ends in front of the word; -1: none */
};

static uint32_t alternatives(struct matcher *m, const char **p, uint32_t from);

static uint32_t match_word(const struct matcher *m, const char *word, uint32_t from)
{
	uint32_t to = 0;
	for (int i = 0; i < m->count; i++)
		if ((from >> i & 1u) != 0 && strcmp(m->words[i], word) == 0)
			to |= 1u << (i + 1);
	return to;
}

static uint32_t match_name(struct matcher *m, uint32_t from)
{
	uint32_t to = 0;
	for (uint32_t k = 0; k < m->names->count; k++) {
		for (int i = 0; i < m->count; i++) {
			char word[CAIRN_VOICE_NAME_CAP];
			const char *p = m->names->items[k].said;
			uint32_t at = from & 1u << i;
			while (at != 0 && next_word(&p, word, sizeof(word)))
				at = match_word(m, word, at);
			if (at == 0)
				continue;
			m->name[__builtin_ctz(at)] = (int)k;
			to |= at;
		}
	}
	return to;
}

static uint32_t sequence(struct matcher *m, const char **p, uint32_t from)
{
	for (;;) {
		char word[CAIRN_VOICE_NAME_CAP];
		*p += strspn(*p, " ");
		if (**p == '(' || **p == '[') {
			bool optional = *(*p)++ == '[';
			from = alternatives(m, p, from) | (optional ? from : 0);
			*p += **p != '\0'; /* its closing bracket */
			continue;
		}
		size_t n = strcspn(*p, " ()[]|");
		if (n == 0)
			return from;
		snprintf(word, sizeof(word), "%.*s", (int)n, *p);
		*p += n;
		from = strcmp(word, "<name>") == 0 ? match_name(m, from) : match_word(m, word, from);
	}
}

static uint32_t alternatives(struct matcher *m, const char **p, uint32_t from)
{
	uint32_t to = sequence(m, p, from);
	while (**p == '|') {
		++*p;
		to |= sequence(m, p, from);
	}
	return to;
}

static bool split(struct matcher *m, const char *words)
{
	char plain[400];
	const char *p = plain;
	cairn_voice_plain(plain, sizeof(plain), words);
	while (m->count < WORDS_MAX && next_word(&p, m->words[m->count], sizeof(m->words[0])))
		m->count++;
	return *p == '\0' && strlen(words) < sizeof(plain);
}

static bool take_row(struct matcher *m, int row, int first, struct cairn_meaning *ret)
{
	const char *p = cairn_intents[row].grammar;
	for (int i = 0; i <= WORDS_MAX; i++)
		m->name[i] = -1;
	if ((alternatives(m, &p, 1u << first) >> m->count & 1u) == 0)
		return false;
	ret->intent = (enum cairn_intent)row;
	if (strstr(cairn_intents[row].grammar, "<name>") == NULL)
		return true;
	for (int end = m->count; end > first; end--) /* the name that ends last is the one of this reading */
		if (m->name[end] >= 0) {
			const struct cairn_voice_name *n = &m->names->items[m->name[end]];
			memcpy(ret->place, n->said, sizeof(ret->place));
			memcpy(ret->id, n->id, sizeof(ret->id));
			break;
		}
	return true;
}

struct cairn_meaning cairn_voice_parse(
    const char *words, const char *wake, const struct cairn_voice_names *names)
{
	struct cairn_meaning ret = {.intent = CAIRN_INTENT_COUNT};
	struct matcher m = {.names = names};
	if (!split(&m, words) || m.count == 0)
		return ret;
	ret.woken = strcmp(m.words[0], wake) == 0;
	int first = ret.woken ? 1 : 0;
	for (int row = 0; row < CAIRN_INTENT_COUNT && first < m.count; row++)
		if (take_row(&m, row, first, &ret))
			break;
	if (ret.intent == CAIRN_INTENT_COUNT && first < m.count)
		ret.woken = false; /* words behind it that nobody understands: not the wake word alone */
	return ret;
}

const char *cairn_meaning_text(const struct cairn_meaning *m, char *buf, size_t bytes)
{
	if (m->intent >= CAIRN_INTENT_COUNT)
		snprintf(buf, bytes, "%s", m->woken ? "the wake word" : "nothing");
	else if (m->place[0] != '\0')
		snprintf(buf, bytes, "%s the %s", cairn_intents[m->intent].name, m->place);
	else
		snprintf(buf, bytes, "%s", cairn_intents[m->intent].name);
	return buf;
}

bool cairn_meaning_command(const struct cairn_meaning *m, struct cairn_msg_command *ret)
{
	if (m->intent >= CAIRN_INTENT_COUNT || cairn_intents[m->intent].command == CAIRN_COMMAND_COUNT)
		return false;
	const struct cairn_intent_row *row = &cairn_intents[m->intent];
	memset(ret, 0, sizeof(*ret));
	snprintf(ret->verb, sizeof(ret->verb), "%s", cairn_commands[row->command].verb);
	snprintf(ret->arg, sizeof(ret->arg), "%s", strcmp(row->arg, "<name>") == 0 ? m->id : row->arg);
	return true;
}
