/* config.c - the table of config.def as rows; reading, checking and printing single values. Files:
 * config_file.c. */
#include "common/config/config_text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"

#define AT(section, key)                                                                                     \
	(offsetof(struct cairn_config, section) + offsetof(struct cairn_config_##section, key))

#define CHOICE_BEGIN(name) const char *const cairn_choice_##name##_words[] = {
#define WORD(NAME, IDENT, word) word,
#define CHOICE_END(name, NAME)                                                                               \
	NULL                                                                                                 \
	}                                                                                                    \
	;
#include "common/config/choices.def"

const struct cairn_config_row cairn_config_rows[] = {
#define REAL(section, key, def, min, max, doc)                                                               \
	{#section, #key, CAIRN_CONFIG_REAL, min, max, NULL, doc, AT(section, key)},
#define INT(section, key, def, min, max, doc)                                                                \
	{#section, #key, CAIRN_CONFIG_INT, min, max, NULL, doc, AT(section, key)},
#define FLAG(section, key, def, doc) {#section, #key, CAIRN_CONFIG_FLAG, 0, 0, NULL, doc, AT(section, key)},
#define TEXT(section, key, def, doc) {#section, #key, CAIRN_CONFIG_TEXT, 0, 0, NULL, doc, AT(section, key)},
#define CHOICE(section, key, name, NAME, def, doc)                                                           \
	{#section, #key, CAIRN_CONFIG_CHOICE, 0, 0, cairn_choice_##name##_words, doc, AT(section, key)},
#include "common/config/config.def"
};

const int cairn_config_row_count = sizeof(cairn_config_rows) / sizeof(cairn_config_rows[0]);

const struct cairn_config_section cairn_config_sections[] = {
#define SECTION(name, doc) {#name, doc},
#include "common/config/config.def"
};

const int cairn_config_section_count = sizeof(cairn_config_sections) / sizeof(cairn_config_sections[0]);

void cairn_config_defaults(struct cairn_config *cfg)
{
	memset(cfg, 0, sizeof(*cfg));
#define REAL(section, key, def, min, max, doc) cfg->section.key = def;
#define INT(section, key, def, min, max, doc) cfg->section.key = def;
#define FLAG(section, key, def, doc) cfg->section.key = def;
#define TEXT(section, key, def, doc)                                                                         \
	_Static_assert(sizeof(def) <= CAIRN_CONFIG_TEXT_CAP, #key);                                          \
	memcpy(cfg->section.key, def, sizeof(def));
#define CHOICE(section, key, name, NAME, def, doc) cfg->section.key = CAIRN_CHOICE_##NAME##_##def;
#include "common/config/config.def"
}

bool cairn_config_autostarts(const struct cairn_config *cfg)
{
	if (cfg->mission.autostart == CAIRN_CHOICE_AUTOSTART_SIMULATED)
		return cfg->robot.drive == CAIRN_CHOICE_DRIVE_SIMULATED;
	return cfg->mission.autostart == CAIRN_CHOICE_AUTOSTART_ALWAYS;
}

/* ---- finding and suggesting ---- */

const struct cairn_config_row *cairn_config_find(const char *section, const char *key)
{
	for (int i = 0; i < cairn_config_row_count; i++) {
		const struct cairn_config_row *row = &cairn_config_rows[i];
		if (strcmp(row->section, section) == 0 && strcmp(row->key, key) == 0)
			return row;
	}
	return NULL;
}

/* Levenshtein distance of two short words; words longer than 63 bytes are taken as entirely different. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t na = strlen(a), nb = strlen(b), row[64];
	if (na >= 64 || nb >= 64)
		return na > nb ? na : nb;
	for (size_t j = 0; j <= nb; j++)
		row[j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t change = diagonal + (a[i - 1] != b[j - 1]);
			size_t best = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
			diagonal = row[j];
			row[j] = change < best ? change : best;
		}
	}
	return row[nb];
}

/* True when word is a likely slip for candidate: about one letter in three is wrong, or the unit is missing.
 */
static bool likely(const char *word, const char *candidate, size_t *best)
{
	size_t n = strlen(word), d = edit_distance(word, candidate);
	if (n >= 4 && strncmp(word, candidate, n) == 0 && candidate[n] == '_')
		d = 1;
	if (d >= *best || d > (n + 2) / 3)
		return false;
	*best = d;
	return true;
}

void cairn_config_suggest(const char *section, const char *key, char *buf, size_t buf_bytes)
{
	size_t best = SIZE_MAX;
	buf[0] = '\0';
	for (int i = 0; i < cairn_config_section_count && section == NULL; i++) {
		if (likely(key, cairn_config_sections[i].name, &best))
			snprintf(buf, buf_bytes, "; did you mean '%s'?", cairn_config_sections[i].name);
	}
	for (int i = 0; i < cairn_config_row_count; i++) {
		const struct cairn_config_row *row = &cairn_config_rows[i];
		if (section != NULL && strcmp(row->section, section) == 0 && likely(key, row->key, &best))
			snprintf(buf, buf_bytes, "; did you mean '%s'?", row->key);
	}
	/* Right key, wrong place. */
	int places = 0;
	for (int i = 0; i < cairn_config_row_count && best > 0; i++) {
		const struct cairn_config_row *row = &cairn_config_rows[i];
		if (strcmp(row->key, key) != 0)
			continue;
		size_t n = places++ > 0 ? strlen(buf) - 1 : 0; /* over the question mark */
		snprintf(buf + n, buf_bytes - n, "%s '%s.%s'?", n > 0 ? " or" : "; did you mean",
		    row->section, row->key);
	}
}

/* ---- values ---- */

static const void *value_of(const struct cairn_config *cfg, const struct cairn_config_row *row)
{
	return (const char *)cfg + row->offset;
}

/* What the end of a key's name says about its unit, longest first; "" when it says nothing. */
static const char *unit_of(const char *key)
{
	static const struct {
		const char *suffix, *unit;
	} units[] = {
	    {"_usd_per_mtok", "US dollars per million tokens"},
	    {"_usd_per_hour", "US dollars per hour"},
	    {"_usd_per_session", "US dollars"},
	    {"_deg_per_m", "degrees per metre"},
	    {"_per_min", "calls per minute"},
	    {"_mps3", "metres per second cubed"},
	    {"_mps2", "metres per second squared"},
	    {"_radps", "radians per second"},
	    {"_mps", "metres per second"},
	    {"_rad", "radians"},
	    {"_deg", "degrees"},
	    {"_hz", "hertz"},
	    {"_ms", "milliseconds"},
	    {"_mb", "megabytes"},
	    {"_px", "pixels"},
	    {"_s", "seconds"},
	    {"_m", "metres"},
	};
	size_t n = strlen(key);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t k = strlen(units[i].suffix);
		if (n > k && strcmp(key + n - k, units[i].suffix) == 0)
			return units[i].unit;
	}
	return "";
}

static bool parse_number(
    const struct cairn_config_row *row, const char *text, double *ret_value, struct cairn_error *err)
{
	const char *kind = row->kind == CAIRN_CONFIG_INT ? "whole number" : "number";
	char *end = NULL;
	double value = strtod(text, &end);
	if (end != text && isfinite(value) && (isalpha((unsigned char)*end) || *end == ' ' || *end == '%')) {
		const char *unit = unit_of(row->key);
		cairn_error_set(err, "'%.40s' is not a plain %s; write it without a unit%s%s", text, kind,
		    unit[0] != '\0' ? ", in " : "", unit);
		return false;
	}
	bool hexadecimal = strpbrk(text, "xX") != NULL;
	if (end == text || *end != '\0' || hexadecimal || isspace((unsigned char)text[0])) {
		cairn_error_set(err, "'%.40s' is not a %s", text, kind);
		return false;
	}
	if (!isfinite(value)) {
		cairn_error_set(err, "'%.40s' is not a finite number", text);
		return false;
	}
	if (row->kind == CAIRN_CONFIG_INT && strspn(text, "+-0123456789") != strlen(text)) {
		cairn_error_set(err, "'%.40s' is not a whole number", text);
		return false;
	}
	if (value < row->min || value > row->max) {
		cairn_error_set(err, "%.40s is out of range %.10g..%.10g", text, row->min, row->max);
		return false;
	}
	*ret_value = value;
	return true;
}

static bool parse_flag(const char *text, bool *ret_value, struct cairn_error *err)
{
	if (cairn_text_flag(text, ret_value))
		return true;
	cairn_error_set(err, "'%.40s' is neither true nor false", text);
	return false;
}

int cairn_choice_find(const char *const *words, const char *text)
{
	for (int i = 0; words[i] != NULL; i++)
		if (strcmp(words[i], text) == 0)
			return i;
	return -1;
}

static bool parse_choice(
    const struct cairn_config_row *row, const char *text, unsigned *ret, struct cairn_error *err)
{
	char list[320] = "", hint[64] = "";
	size_t best = SIZE_MAX;
	int found = cairn_choice_find(row->words, text);
	if (found >= 0) {
		*ret = (unsigned)found;
		return true;
	}
	for (int i = 0; row->words[i] != NULL; i++) {
		const char *word = row->words[i];
		size_t n = strlen(list);
		snprintf(list + n, sizeof(list) - n, "%s%s", n > 0 ? ", " : "", word);
		if (likely(text, word, &best))
			snprintf(hint, sizeof(hint), "; did you mean '%.40s'?", word);
	}
	cairn_error_set(err, "'%.40s' is not one of %s%s", text, list, hint);
	return false;
}

/* Well-formed UTF-8 without control characters: what YAML can hold on one line. */
static bool printable_utf8(const char *text)
{
	for (const unsigned char *p = (const unsigned char *)text; *p != '\0';) {
		int more = *p < 0x80 ? 0 : (*p & 0xe0) == 0xc0 ? 1 : (*p & 0xf0) == 0xe0 ? 2 : 3;
		if (*p < 0x20 || *p == 0x7f || (more == 3 && (*p & 0xf8) != 0xf0))
			return false;
		uint32_t code = more == 0 ? *p : *p & (0x3fu >> more);
		p++;
		for (int i = 0; i < more; i++, p++) {
			if ((*p & 0xc0) != 0x80)
				return false;
			code = code << 6 | (*p & 0x3fu);
		}
		static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
		if (code < least[more] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ||
		    (code >= 0x80 && code < 0xa0) || code == 0x2028 || code == 0x2029 || code == 0xfeff)
			return false;
	}
	return true;
}

static bool parse_text(const char *text, char *ret_text, struct cairn_error *err)
{
	size_t n = strlen(text);
	if (n >= CAIRN_CONFIG_TEXT_CAP) {
		cairn_error_set(err, "text of %zu bytes; at most %d", n, CAIRN_CONFIG_TEXT_CAP - 1);
		return false;
	}
	if (!printable_utf8(text)) {
		cairn_error_set(err, "text with a control character, or not UTF-8");
		return false;
	}
	memcpy(ret_text, text, n + 1);
	return true;
}

bool cairn_config_assign_at(
    void *base, const struct cairn_config_row *row, const char *text, struct cairn_error *err)
{
	void *at = (char *)base + row->offset;
	if (text[0] == '\0' && row->kind != CAIRN_CONFIG_TEXT) {
		cairn_error_set(err, "has no value");
		return false;
	}
	double value = 0.0;
	switch (row->kind) {
	case CAIRN_CONFIG_REAL:
		if (!parse_number(row, text, &value, err))
			return false;
		*(double *)at = value;
		return true;
	case CAIRN_CONFIG_INT:
		if (!parse_number(row, text, &value, err))
			return false;
		*(int32_t *)at = (int32_t)value;
		return true;
	case CAIRN_CONFIG_FLAG:
		return parse_flag(text, at, err);
	case CAIRN_CONFIG_TEXT:
		return parse_text(text, at, err);
	case CAIRN_CONFIG_CHOICE:
		return parse_choice(row, text, at, err);
	}
	return false;
}

bool cairn_config_assign(
    struct cairn_config *cfg, const struct cairn_config_row *row, const char *text, struct cairn_error *err)
{
	return cairn_config_assign_at(cfg, row, text, err);
}

bool cairn_config_set(
    struct cairn_config *cfg, const char *assignment, const char *origin, struct cairn_error *err)
{
	const char *equals = strchr(assignment, '=');
	const char *dot = strchr(assignment, '.');
	char section[64], key[64], hint[128];
	if (equals == NULL || dot == NULL || dot > equals || dot - assignment >= 64 || equals - dot > 64) {
		cairn_error_set(err, "%s: '%.80s' is not of the form section.key=value", origin, assignment);
		return false;
	}
	snprintf(section, sizeof(section), "%.*s", (int)(dot - assignment), assignment);
	snprintf(key, sizeof(key), "%.*s", (int)(equals - dot - 1), dot + 1);
	const struct cairn_config_row *row = cairn_config_find(section, key);
	if (row == NULL) {
		bool section_known = false;
		for (int i = 0; i < cairn_config_section_count; i++)
			section_known = section_known || strcmp(cairn_config_sections[i].name, section) == 0;
		cairn_config_suggest(
		    section_known ? section : NULL, section_known ? key : section, hint, sizeof(hint));
		cairn_error_set(err, "%s: %s.%s: unknown %s%s", origin, section, key,
		    section_known ? "key" : "section", hint);
		return false;
	}
	struct cairn_error reason = {""};
	if (!cairn_config_assign(cfg, row, equals + 1, &reason)) {
		cairn_error_set(err, "%s: %s.%s: %s", origin, section, key, reason.text);
		return false;
	}
	return true;
}

void cairn_config_value_text(
    const struct cairn_config *cfg, const struct cairn_config_row *row, char *buf, size_t buf_bytes)
{
	const void *at = value_of(cfg, row);
	switch (row->kind) {
	case CAIRN_CONFIG_REAL:
		/* The shortest text that reads back as the same number. */
		for (int digits = 6; digits <= 17; digits++) {
			snprintf(buf, buf_bytes, "%.*g", digits, *(const double *)at);
			if (strtod(buf, NULL) == *(const double *)at)
				break;
		}
		return;
	case CAIRN_CONFIG_INT:
		snprintf(buf, buf_bytes, "%d", *(const int32_t *)at);
		return;
	case CAIRN_CONFIG_FLAG:
		snprintf(buf, buf_bytes, "%s", *(const bool *)at ? "true" : "false");
		return;
	case CAIRN_CONFIG_TEXT:
		snprintf(buf, buf_bytes, "%s", (const char *)at);
		return;
	case CAIRN_CONFIG_CHOICE:
		snprintf(buf, buf_bytes, "%s", row->words[*(const unsigned *)at]);
		return;
	}
}
