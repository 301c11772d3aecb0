/* yaml.h - YAML files, read into a tree in which each value knows its line, so that an error can say where.
 *
 * What is read is the part of YAML that configuration needs: one document of mappings with plain words as keys,
 * lists and texts. Aliases, keys given twice, zero bytes and deep nesting are refused. Numbers and words like true
 * are texts until somebody asks for them as a number or a flag.
 *
 * A reader takes values out of the tree and keeps the first error ("FILE: line N: walls[1].path: reason", lists
 * counted from 1). After an error it returns defaults, so that a caller may read on and look at failed once. */
#ifndef CAIRN_COMMON_BASE_YAML_H
#define CAIRN_COMMON_BASE_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

enum cairn_yaml_kind {
	CAIRN_YAML_TEXT,
	CAIRN_YAML_LIST,
	CAIRN_YAML_MAPPING,
};

struct cairn_yaml_node {
	enum cairn_yaml_kind kind;
	unsigned line;    /* of its key, or of itself where it has none */
	const char *key;  /* NULL for the root and in a list */
	const char *text; /* of a text, otherwise NULL */
	uint32_t count;   /* of children */
	uint32_t index;   /* among its siblings, from 1 */
	struct cairn_yaml_node *parent, *first, *last, *next, *made_before;
	bool asked; /* a reader has looked at it */
};

/* The tree of text, or NULL with "NAME: line N: reason" in err. An empty text has a mapping without keys as its
 * root. */
struct cairn_yaml_node *cairn_yaml_parse(
    const char *text, size_t bytes, const char *name, struct cairn_error *err);

/* The same of a file of at most bytes_max; flags as cairn_file_read takes them. */
struct cairn_yaml_node *cairn_yaml_load(
    const char *path, unsigned flags, size_t bytes_max, struct cairn_error *err);

/* Frees the whole tree; *root_p becomes NULL. */
void cairn_yaml_destroy(struct cairn_yaml_node **root_p);

struct cairn_yaml_reader {
	const char *file; /* borrowed: what errors begin with */
	struct cairn_error *err;
	bool failed;
};

/* Keeps the first error, at the node. Always false. */
__attribute__((format(printf, 3, 4))) bool cairn_yaml_fail(
    struct cairn_yaml_reader *r, const struct cairn_yaml_node *node, const char *fmt, ...);

/* The value of a key of a mapping, of this kind, or NULL when there is none; that fails where it must be there. */
struct cairn_yaml_node *cairn_yaml_get(struct cairn_yaml_reader *r, struct cairn_yaml_node *mapping,
    const char *key, enum cairn_yaml_kind kind, bool must);

/* A list of min to max values; NULL as above. An empty value counts as an empty list. */
struct cairn_yaml_node *cairn_yaml_list(struct cairn_yaml_reader *r, struct cairn_yaml_node *mapping,
    const char *key, uint32_t min, uint32_t max, bool must);

/* A text of 1 to bytes_max bytes, borrowed from the tree; NULL as above. */
const char *cairn_yaml_text(struct cairn_yaml_reader *r, struct cairn_yaml_node *mapping, const char *key,
    size_t bytes_max, bool must);

/* A finite number of min to max; fallback when there is none, which fails for a fallback of NAN. */
double cairn_yaml_real(struct cairn_yaml_reader *r, struct cairn_yaml_node *mapping, const char *key,
    double min, double max, double fallback);

/* A whole number of 0 to max; 0 when there is none, which fails where it must be there. */
uint64_t cairn_yaml_uint(
    struct cairn_yaml_reader *r, struct cairn_yaml_node *mapping, const char *key, uint64_t max, bool must);
/* A flag (cairn_text_flag). */
bool cairn_yaml_flag(
    struct cairn_yaml_reader *r, struct cairn_yaml_node *mapping, const char *key, bool fallback);

/* Exactly count numbers of min to max from a list, as [1, 2]. False after an error; ret may be part written. */
bool cairn_yaml_numbers(struct cairn_yaml_reader *r, struct cairn_yaml_node *list, double *ret,
    uint32_t count, double min, double max);

/* Fails at the first value that nobody has asked for: its key is unknown. */
bool cairn_yaml_nothing_left(struct cairn_yaml_reader *r, const struct cairn_yaml_node *root);

#endif
