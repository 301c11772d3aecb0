/* yaml_read.c - values out of the tree, checked, with the place in each error. */
#include "common/base/yaml.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"

/* "walls[1].path": the names from the root to the node. */
static size_t place(const struct cairn_yaml_node *node, char *buf, size_t bytes)
{
	if (node == NULL || bytes < 2)
		return 0;
	size_t n = place(node->parent, buf, bytes);
	if (node->key != NULL)
		n += (size_t)snprintf(buf + n, bytes - n, "%s%.60s", n > 0 ? "." : "", node->key);
	else if (node->index > 0)
		n += (size_t)snprintf(buf + n, bytes - n, "[%u]", node->index);
	return n < bytes ? n : bytes - 1;
}

bool cairn_yaml_fail(struct cairn_yaml_reader *r, const struct cairn_yaml_node *node, const char *fmt, ...)
{
	char where[160] = "", why[300];
	if (r->failed)
		return false;
	r->failed = true;
	va_list args;
	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	(void)place(node, where, sizeof(where));
	cairn_error_set(
	    r->err, "%s: line %u: %s%s%s", r->file, node->line, where, where[0] != '\0' ? ": " : "", why);
	return false;
}

/* An empty value ("key:") passes for a list or a mapping without anything in it. */
static bool is(const struct cairn_yaml_node *node, enum cairn_yaml_kind kind)
{
	return node->kind == kind || (node->kind == CAIRN_YAML_TEXT && node->text[0] == '\0');
}

static bool expect(struct cairn_yaml_reader *r, const struct cairn_yaml_node *node, enum cairn_yaml_kind kind)
{
	static const char *const words[] = {[CAIRN_YAML_TEXT] = "one plain value is expected",
	    [CAIRN_YAML_LIST] = "a list is expected",
	    [CAIRN_YAML_MAPPING] = "keys are expected below it, not a value"};
	return is(node, kind) || cairn_yaml_fail(r, node, "%s", words[kind]);
}

struct cairn_yaml_node *cairn_yaml_get(struct cairn_yaml_reader *r, struct cairn_yaml_node *mapping,
    const char *key, enum cairn_yaml_kind kind, bool must)
{
	if (!expect(r, mapping, CAIRN_YAML_MAPPING))
		return NULL;
	mapping->asked = true;
	for (struct cairn_yaml_node *node = mapping->first; node != NULL; node = node->next) {
		if (strcmp(node->key, key) != 0)
			continue;
		node->asked = true;
		return expect(r, node, kind) ? node : NULL;
	}
	if (must && mapping->parent == NULL && mapping->count == 0)
		(void)cairn_yaml_fail(r, mapping, "the file is empty");
	else if (must)
		(void)cairn_yaml_fail(r, mapping, "'%s' is missing", key);
	return NULL;
}

struct cairn_yaml_node *cairn_yaml_list(struct cairn_yaml_reader *r, struct cairn_yaml_node *mapping,
    const char *key, uint32_t min, uint32_t max, bool must)
{
	struct cairn_yaml_node *list = cairn_yaml_get(r, mapping, key, CAIRN_YAML_LIST, must);
	if (list == NULL || (list->count >= min && list->count <= max))
		return list;
	(void)cairn_yaml_fail(r, list, "%u values; %u to %u are expected", list->count, min, max);
	return NULL;
}

const char *cairn_yaml_text(struct cairn_yaml_reader *r, struct cairn_yaml_node *mapping, const char *key,
    size_t bytes_max, bool must)
{
	struct cairn_yaml_node *node = cairn_yaml_get(r, mapping, key, CAIRN_YAML_TEXT, must);
	if (node == NULL)
		return NULL;
	size_t bytes = strlen(node->text);
	if (bytes >= 1 && bytes <= bytes_max)
		return node->text;
	(void)cairn_yaml_fail(r, node, "text of %zu bytes; 1 to %zu are expected", bytes, bytes_max);
	return NULL;
}

static bool number(
    struct cairn_yaml_reader *r, struct cairn_yaml_node *node, double min, double max, double *ret)
{
	node->asked = true;
	if (!expect(r, node, CAIRN_YAML_TEXT))
		return false;
	char *end = NULL;
	double value = strtod(node->text, &end);
	if (end == node->text || *end != '\0' || !isfinite(value))
		return cairn_yaml_fail(r, node, "'%.40s' is not a number", node->text);
	if (value < min || value > max)
		return cairn_yaml_fail(r, node, "%.40s is outside %g .. %g", node->text, min, max);
	*ret = value;
	return true;
}

double cairn_yaml_real(struct cairn_yaml_reader *r, struct cairn_yaml_node *mapping, const char *key,
    double min, double max, double fallback)
{
	double value = fallback;
	struct cairn_yaml_node *node = cairn_yaml_get(r, mapping, key, CAIRN_YAML_TEXT, isnan(fallback));
	if (node != NULL)
		(void)number(r, node, min, max, &value);
	return value;
}

uint64_t cairn_yaml_uint(
    struct cairn_yaml_reader *r, struct cairn_yaml_node *mapping, const char *key, uint64_t max, bool must)
{
	struct cairn_yaml_node *node = cairn_yaml_get(r, mapping, key, CAIRN_YAML_TEXT, must);
	if (node == NULL)
		return 0;
	char *end = NULL;
	errno = 0;
	unsigned long long value = strtoull(node->text, &end, 10);
	if (!isdigit((unsigned char)node->text[0]) || *end != '\0' || errno != 0 || value > max) {
		(void)cairn_yaml_fail(r, node, "'%.40s' is not a whole number of 0 to %llu", node->text,
		    (unsigned long long)max);
		return 0;
	}
	return value;
}

bool cairn_yaml_flag(
    struct cairn_yaml_reader *r, struct cairn_yaml_node *mapping, const char *key, bool fallback)
{
	struct cairn_yaml_node *node = cairn_yaml_get(r, mapping, key, CAIRN_YAML_TEXT, false);
	bool value = fallback;
	if (node != NULL && !cairn_text_flag(node->text, &value))
		(void)cairn_yaml_fail(r, node, "'%.40s' is neither true nor false", node->text);
	return value;
}

bool cairn_yaml_numbers(struct cairn_yaml_reader *r, struct cairn_yaml_node *list, double *ret,
    uint32_t count, double min, double max)
{
	if (!expect(r, list, CAIRN_YAML_LIST))
		return false;
	list->asked = true;
	if (list->count != count)
		return cairn_yaml_fail(r, list, "%u numbers are expected", count);
	for (struct cairn_yaml_node *node = list->first; node != NULL; node = node->next)
		if (!number(r, node, min, max, ret++))
			return false;
	return true;
}

bool cairn_yaml_nothing_left(struct cairn_yaml_reader *r, const struct cairn_yaml_node *node)
{
	for (const struct cairn_yaml_node *child = node->first; child != NULL && !r->failed;
	     child = child->next) {
		if (!child->asked && child->key != NULL)
			return cairn_yaml_fail(r, child, "unknown key");
		(void)cairn_yaml_nothing_left(r, child);
	}
	return !r->failed;
}
