/* cmd_audit_page.c - one page about a decision, for a terminal and for a browser. What comes from a model or an operator is shown as text. */
#include <stdlib.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/base/text.h"
#include "procs/cairn/audit.h"
#include "procs/cairn/commands.h"

#define ROW_BYTES 512

static const char *word(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text != NULL ? text : "";
}

static double number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

typedef void row_fn(FILE *out, const char *name, const char *value);

static void text_row(FILE *out, const char *name, const char *value)
{
	char line[4096];
	snprintf(line, sizeof(line), "%s", value);
	fprintf(out, "%-14s %s\n", name, cli_printable(line));
}

static void html_text(FILE *out, const char *text)
{
	char plain[16384];
	snprintf(plain, sizeof(plain), "%s", text);
	for (char *line = plain, *rest = plain; line != NULL && (line = strsep(&rest, "\n")) != NULL;) {
		for (const char *p = cairn_text_printable(line); *p != '\0'; p++) {
			if (*p == '<' || *p == '>' || *p == '&' || *p == '"' || *p == '\'')
				fprintf(out, "&#%d;", *p);
			else
				fputc(*p, out);
		}
		if (rest != NULL)
			fputc('\n', out);
	}
}

static void html_row(FILE *out, const char *name, const char *value)
{
	fprintf(out, "<tr><th>%s</th><td>", name);
	html_text(out, value);
	fputs("</td></tr>\n", out);
}

static void result_rows(const json_t *record, FILE *out, row_fn *row)
{
	char text[ROW_BYTES];
	const json_t *r = json_object_get(record, "entry");
	if (record == NULL) {
		row(out, "became", "not known: no result is in the journal");
		return;
	}
	snprintf(text, sizeof(text), "%s%s%.200s", word(r, "outcome"),
	    word(r, "reason")[0] != '\0' ? ": " : "", word(r, "reason"));
	row(out, "became", text);
	if (word(r, "suggestion")[0] != '\0')
		row(out, "suggestion", word(r, "suggestion"));
	snprintf(text, sizeof(text), "%s%s", word(r, "executed"),
	    json_is_true(json_object_get(r, "overridden")) ? " (overridden)" : "");
	row(out, "executed", text);
	snprintf(text, sizeof(text), "%.2f m in %.1f s", number(r, "distance_m"), number(r, "duration_s"));
	row(out, "motion", text);
}

static void rows(const struct audit_page *page, FILE *out, row_fn *row)
{
	char text[ROW_BYTES], when[48];
	const json_t *e = json_object_get(page->decision, "entry"), *s = json_object_get(e, "snapshot");
	double deg = cairn_compass_deg(number(s, "yaw_rad"));
	cli_time_text(number(e, "t"), when, sizeof(when));
	snprintf(text, sizeof(text), "%lld, %s (record %lld)",
	    (long long)json_integer_value(json_object_get(e, "id")), when,
	    (long long)json_integer_value(json_object_get(page->decision, "n")));
	row(out, "decision", text);
	row(out, "what", word(e, "what"));
	row(out, "why", word(e, "reasoning"));
	if (word(e, "why_stop")[0] != '\0')
		row(out, "stop because", word(e, "why_stop"));
	snprintf(text, sizeof(text), "%s %s %s, asked because of: %s, answered after %.2f s",
	    word(e, "decider")[0] != '\0' ? word(e, "decider") : word(e, "by"), word(e, "provider"),
	    word(e, "model"), word(e, "trigger"), number(e, "latency_s"));
	row(out, "by", text);
	snprintf(text, sizeof(text), "at x %.2f m, y %.2f m, heading %s %d°, %.2f s before it was asked",
	    number(s, "x_m"), number(s, "y_m"), cairn_compass_point(deg),
	    cairn_compass_whole_deg(number(s, "yaw_rad")), number(s, "age_s"));
	row(out, "saw", text);
	result_rows(page->result, out, row);
	snprintf(text, sizeof(text), "%s%s",
	    page->picture == NULL ? "not kept (vlm.sent_pictures_mb), or the question went without one"
				  : page->picture_name,
	    page->picture == NULL ? ""
	    : page->picture_right ? " (its hash is that of the journal)"
				  : " (CHANGED: its hash is not that of the journal)");
	row(out, "picture", text);
	row(out, "snapshot", word(page->decision, "snapshot_sha256"));
	row(out, "prompt", word(page->decision, "prompt_sha256"));
	row(out, "journal", page->verdict);
}

static const char *context_of(const struct audit_page *page)
{
	return word(json_object_get(json_object_get(page->decision, "entry"), "prompt"), "context");
}

void audit_text(const struct audit_page *page, FILE *out)
{
	rows(page, out, text_row);
	fputs("\nwhat the model was told:\n", out);
	char *text = strdup(context_of(page)), *rest = text;
	for (char *line; rest != NULL && (line = strsep(&rest, "\n")) != NULL;)
		fprintf(out, "  %s\n", cli_printable(line));
	free(text);
}

static void html_picture(FILE *out, const char *title, const unsigned char *jpeg, size_t bytes)
{
	struct cairn_text text = {0};
	if (jpeg == NULL)
		return;
	cairn_text_base64(&text, jpeg, bytes);
	if (!text.failed)
		fprintf(out, "<img alt=\"%s\" src=\"data:image/jpeg;base64,%s\">\n", title, text.data);
	cairn_text_free(&text);
}

void audit_html(const struct audit_page *page, FILE *out)
{
	fputs("<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
	      "style-src "
	      "'unsafe-inline'\">\n<title>Why did it do that</title>\n<style>\n"
	      "body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 "
	      "1rem }\n"
	      "th { text-align: left; vertical-align: top; padding-right: 1.5rem; white-space: nowrap }\n"
	      "td { overflow-wrap: anywhere }\nimg { max-width: 100% }\npre { white-space: pre-wrap }\n"
	      "</style>\n<h1>Why did it do that</h1>\n<table>\n",
	    out);
	rows(page, out, html_row);
	fputs("</table>\n", out);
	html_picture(out, "what the model was shown", page->picture, page->picture_bytes);
	html_picture(out, "the same from above", page->above, page->above_bytes);
	fputs("<h2>What the model was told</h2>\n<pre>", out);
	html_text(out, context_of(page));
	fputs("</pre>\n</html>\n", out);
}
