/* yaml.c - the tree, from libyaml's events. Taking values out of it: yaml_read.c. */
#include "common/base/yaml.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "common/base/file.h"

#define DEPTH_MAX 16

struct tree {
	struct cairn_yaml_node *root, *open[DEPTH_MAX]; /* lists and mappings that have not ended */
	struct cairn_yaml_node *newest;                 /* chain of all, to free them */
	int depth;
	char *key; /* owned: the next value's */
	unsigned key_line, documents;
};

static void free_nodes(struct cairn_yaml_node *newest)
{
	while (newest != NULL) {
		struct cairn_yaml_node *before = newest->made_before;
		free((char *)newest->key);
		free((char *)newest->text);
		free(newest);
		newest = before;
	}
}

void cairn_yaml_destroy(struct cairn_yaml_node **root_p)
{
	struct cairn_yaml_node *root = *root_p;
	*root_p = NULL;
	if (root == NULL)
		return;
	/* The root was made first: its made_before holds the newest. */
	struct cairn_yaml_node *newest = root->made_before;
	root->made_before = NULL;
	free_nodes(newest != NULL ? newest : root);
}

/* ---- growing ---- */

static bool refuse(struct cairn_yaml_reader *at, const struct tree *t, unsigned line, const char *why)
{
	struct cairn_yaml_node here = {.line = t->key != NULL ? t->key_line : line,
	    .key = t->key,
	    .parent = t->depth > 0 ? t->open[t->depth - 1] : NULL};
	if (here.parent != NULL && here.parent->kind == CAIRN_YAML_LIST)
		here.index = here.parent->count + 1;
	return cairn_yaml_fail(at, &here, "%s", why);
}

static bool take_key(struct cairn_yaml_reader *at, struct tree *t, const yaml_event_t *event, unsigned line)
{
	if (event->type != YAML_SCALAR_EVENT)
		return refuse(at, t, line, "a key must be a plain word");
	t->key = strndup((const char *)event->data.scalar.value, event->data.scalar.length);
	t->key_line = line;
	if (t->key == NULL)
		return refuse(at, t, line, "out of memory");
	for (const struct cairn_yaml_node *n = t->open[t->depth - 1]->first; n != NULL; n = n->next)
		if (strcmp(n->key, t->key) == 0)
			return refuse(at, t, line, "given twice");
	return true;
}

static struct cairn_yaml_node *append(struct tree *t, enum cairn_yaml_kind kind, unsigned line)
{
	struct cairn_yaml_node *node = calloc(1, sizeof(*node));
	if (node == NULL)
		return NULL;
	node->kind = kind;
	node->line = t->key != NULL ? t->key_line : line;
	node->key = t->key;
	node->made_before = t->newest;
	t->key = NULL;
	t->newest = node;
	if (t->depth == 0) {
		t->root = node;
		return node;
	}
	struct cairn_yaml_node *parent = t->open[t->depth - 1];
	node->parent = parent;
	node->index = ++parent->count;
	if (parent->last != NULL)
		parent->last->next = node;
	else
		parent->first = node;
	parent->last = node;
	return node;
}

static bool take_text(struct cairn_yaml_reader *at, struct tree *t, const yaml_event_t *event, unsigned line)
{
	const char *value = (const char *)event->data.scalar.value;
	size_t bytes = event->data.scalar.length;
	if (memchr(value, '\0', bytes) != NULL)
		return refuse(at, t, line, "a zero byte in a text");
	struct cairn_yaml_node *node = append(t, CAIRN_YAML_TEXT, line);
	if (node != NULL)
		node->text = strndup(value, bytes);
	return (node != NULL && node->text != NULL) || refuse(at, t, line, "out of memory");
}

static bool open_node(struct cairn_yaml_reader *at, struct tree *t, enum cairn_yaml_kind kind, unsigned line)
{
	if (t->depth == DEPTH_MAX)
		return refuse(at, t, line, "nested too deeply");
	struct cairn_yaml_node *node = append(t, kind, line);
	if (node == NULL)
		return refuse(at, t, line, "out of memory");
	t->open[t->depth++] = node;
	return true;
}

static bool take_event(struct cairn_yaml_reader *at, struct tree *t, const yaml_event_t *event)
{
	unsigned line = (unsigned)event->start_mark.line + 1;
	bool value = event->type == YAML_SCALAR_EVENT || event->type == YAML_SEQUENCE_START_EVENT ||
		     event->type == YAML_MAPPING_START_EVENT;
	if (event->type == YAML_DOCUMENT_START_EVENT && t->documents++ > 0)
		return refuse(at, t, line, "more than one YAML document (a line '---' in the middle)");
	if (value && t->depth > 0 && t->open[t->depth - 1]->kind == CAIRN_YAML_MAPPING && t->key == NULL)
		return take_key(at, t, event, line);
	switch (event->type) {
	case YAML_ALIAS_EVENT:
		return refuse(at, t, line, "aliases (*name) are not supported");
	case YAML_SCALAR_EVENT:
		return take_text(at, t, event, line);
	case YAML_SEQUENCE_START_EVENT:
		return open_node(at, t, CAIRN_YAML_LIST, line);
	case YAML_MAPPING_START_EVENT:
		return open_node(at, t, CAIRN_YAML_MAPPING, line);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		t->depth--;
		return true;
	default:
		return true;
	}
}

/* ---- what libyaml did not understand ---- */

/* True when the line's indentation has a tab in it. */
static bool indented_by_tab(const char *text, size_t bytes, unsigned line)
{
	const char *end = text + bytes;
	for (; line > 1 && text < end; line--) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		text = newline != NULL ? newline + 1 : end;
	}
	while (text < end && *text == ' ')
		text++;
	return text < end && *text == '\t';
}

static bool not_yaml(
    struct cairn_yaml_reader *at, const yaml_parser_t *parser, const char *text, size_t bytes)
{
	/* A reader's error (bytes that are no UTF-8) has an offset, the others a line. */
	unsigned line = (unsigned)parser->problem_mark.line + 1;
	if (parser->error == YAML_READER_ERROR) {
		line = 1;
		for (size_t i = 0; i < parser->problem_offset && i < bytes; i++)
			line += text[i] == '\n';
	}
	struct cairn_yaml_node here = {.line = line};
	if (indented_by_tab(text, bytes, line))
		return cairn_yaml_fail(at, &here, "a tab in the indentation; YAML wants spaces");
	return cairn_yaml_fail(
	    at, &here, "not YAML: %s", parser->problem != NULL ? parser->problem : "out of memory");
}

static bool read_all(struct cairn_yaml_reader *at, struct tree *t, const char *text, size_t bytes)
{
	yaml_parser_t parser;
	if (!yaml_parser_initialize(&parser))
		return refuse(at, t, 1, "out of memory");
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, bytes);
	bool ok = true, ended = false;
	while (ok && !ended) {
		yaml_event_t event;
		if (!yaml_parser_parse(&parser, &event)) {
			ok = not_yaml(at, &parser, text, bytes);
			break;
		}
		ok = take_event(at, t, &event);
		ended = event.type == YAML_STREAM_END_EVENT;
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	if (ok && t->root == NULL && append(t, CAIRN_YAML_MAPPING, 1) == NULL)
		ok = refuse(at, t, 1, "out of memory");
	return ok;
}

struct cairn_yaml_node *cairn_yaml_parse(
    const char *text, size_t bytes, const char *name, struct cairn_error *err)
{
	struct cairn_yaml_reader at = {.file = name, .err = err};
	struct tree t = {.root = NULL};
	bool ok = read_all(&at, &t, text, bytes);
	free(t.key);
	if (!ok) {
		free_nodes(t.newest);
		return NULL;
	}
	if (t.newest != t.root)
		t.root->made_before = t.newest;
	return t.root;
}

struct cairn_yaml_node *cairn_yaml_load(
    const char *path, unsigned flags, size_t bytes_max, struct cairn_error *err)
{
	size_t bytes = 0;
	char *text = cairn_file_read(path, flags, bytes_max, &bytes, err);
	if (text == NULL)
		return NULL;
	struct cairn_yaml_node *root = cairn_yaml_parse(text, bytes, path, err);
	free(text);
	return root;
}
