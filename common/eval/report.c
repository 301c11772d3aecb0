/* report.c - the page: HTML with every figure in it. */
#include "common/eval/report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/file.h"
#include "common/eval/report_private.h"

#define FILE_CAP 64
#define PATH_CAP 4096
#define DRAWN_BYTES_MAX (64u << 20) /* of one figure that was drawn before */

struct picture {
	char file[FILE_CAP];
	struct report_bytes svg, png;
};

struct run_text {
	double badness;
	uint32_t order;
	char *html;
};

struct cairn_report {
	FILE *page; /* of html, until it is written */
	char *html;
	size_t html_size;
	struct picture *pictures;
	uint32_t picture_count, picture_room;
	struct run_text *runs;
	uint32_t run_count, run_room;
	struct cairn_error err; /* the first */
};

static const char style[] =
    "body{font:15px/1.5 'Helvetica Neue',Helvetica,Arial,'DejaVu "
    "Sans',sans-serif;color:#20252b;max-width:60rem;"
    "margin:2.5rem auto;padding:0 1.5rem;counter-reset:figure table}"
    "h1{font-size:1.7rem;line-height:1.2;margin:0 0 .4rem}h2{font-size:1.2rem;margin:2.4rem 0 .5rem;"
    "border-bottom:1px solid #d6d9dd;padding-bottom:.25rem}p{margin:.5rem 0 1rem;max-width:46rem}"
    "pre{background:#f5f6f7;border:1px solid #e3e5e8;padding:.6rem .8rem;overflow-x:auto;font-size:.85rem;"
    "white-space:pre-wrap}dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:.5rem "
    "0 "
    "1rem;font-size:.88rem}dt{color:#5b626b}dd{margin:0}"
    "table{border-collapse:collapse;margin:1rem 0 1.4rem;font-size:.85rem;font-variant-numeric:tabular-nums}"
    "caption{caption-side:top;text-align:left;color:#3c434b;padding:.2rem 0 .4rem;counter-increment:table}"
    "caption::before{content:'Table ' counter(table) '. ';font-weight:600}"
    "th,td{padding:.22rem .7rem;text-align:left;vertical-align:top}th{border-bottom:1.5px solid #20252b;"
    "border-top:1.5px solid #20252b;font-weight:600}tr:last-child td{border-bottom:1.5px solid #20252b}"
    ".n{text-align:right}tbody tr:nth-child(even){background:#fafbfb}"
    "figure{margin:1.2rem 0 1.6rem;counter-increment:figure;break-inside:avoid}figure img{max-width:100%}"
    "figcaption{font-size:.85rem;color:#3c434b;max-width:44rem}"
    "figcaption::before{content:'Figure ' counter(figure) '. ';font-weight:600}"
    ".mark{display:inline-block;padding:.05rem .55rem;border-radius:.8rem;font-size:.82rem;font-weight:600;"
    "color:#fff;background:#6b7280;align-self:flex-start;white-space:nowrap}.good{background:#00795a}.bad{"
    "background:#c04a00}.weak{background:#a16c00}"
    "tr.good,tr.weak,tr.bad{background:none;color:inherit}tr.bad td:first-child{box-shadow:inset 4px 0 "
    "#c04a00}"
    "tr.weak td:first-child{box-shadow:inset 4px 0 #e69f00}tr.good td:first-child{box-shadow:inset 4px 0 "
    "#00795a}"
    ".runs{display:grid;grid-template-columns:repeat(auto-fill,minmax(17rem,1fr));gap:1.2rem}"
    ".run{border:1px solid #dfe2e6;border-radius:4px;padding:.7rem .8rem;break-inside:avoid;font-size:.85rem}"
    ".run h3{margin:0 0 .3rem;font-size:.95rem;display:flex;justify-content:space-between;gap:.5rem}"
    ".run p{margin:.2rem 0 .5rem}.run img{width:100%}.run dl{font-size:.8rem;margin:.4rem 0 0}"
    "@media print{body{margin:0;max-width:none;font-size:10pt}.run{border-color:#bbb}h2{break-after:avoid}}";

static const char *const mark_class[] = {"", "good", "weak", "bad"};

static void fail(struct cairn_report *r, const struct cairn_error *err)
{
	if (r->err.text[0] == '\0')
		r->err = *err;
}

static void fail_memory(struct cairn_report *r)
{
	fail(r, &(struct cairn_error){"out of memory"});
}

static void put_text(FILE *out, const char *text)
{
	for (; text != NULL && *text != '\0'; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			fputc((unsigned char)*text < ' ' && *text != '\n' ? ' ' : *text, out);
		}
	}
}

static void put_element(FILE *out, const char *tag, const char *text)
{
	if (text == NULL || text[0] == '\0')
		return;
	fprintf(out, "<%s>", tag);
	put_text(out, text);
	fprintf(out, "</%s>\n", tag);
}

static void put_mark(FILE *out, enum cairn_report_mark mark, const char *text)
{
	fprintf(out, "<span class=\"mark %s\">", mark_class[mark]);
	put_text(out, text);
	fputs("</span>\n", out);
}

static void put_facts(FILE *out, const struct cairn_report_fact *facts, uint32_t count)
{
	if (count == 0)
		return;
	fputs("<dl>\n", out);
	for (uint32_t i = 0; i < count; i++) {
		put_element(out, "dt", facts[i].name);
		put_element(
		    out, "dd", facts[i].value != NULL && facts[i].value[0] != '\0' ? facts[i].value : "-");
	}
	fputs("</dl>\n", out);
}

/* RFC 4648, section 4. */
static void put_base64(FILE *out, const unsigned char *data, size_t size)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < size; i += 3) {
		uint32_t left = (uint32_t)(size - i), three = (uint32_t)data[i] << 16;
		three |= left > 1 ? (uint32_t)data[i + 1] << 8 : 0;
		three |= left > 2 ? data[i + 2] : 0u;
		fputc(digits[three >> 18], out);
		fputc(digits[three >> 12 & 63], out);
		fputc(left > 1 ? digits[three >> 6 & 63] : '=', out);
		fputc(left > 2 ? digits[three & 63] : '=', out);
	}
}

static void put_svg(FILE *out, const struct report_bytes *svg, const char *alt)
{
	fputs("<img alt=\"", out);
	put_text(out, alt);
	fputs("\" src=\"data:image/svg+xml;base64,", out);
	put_base64(out, svg->data, svg->size);
	fputs("\">\n", out);
}

struct cairn_report *cairn_report_new(const struct cairn_report_head *head)
{
	struct cairn_report *r = calloc(1, sizeof(*r));
	if (r == NULL)
		return NULL;
	r->page = open_memstream(&r->html, &r->html_size);
	if (r->page == NULL) {
		free(r);
		return NULL;
	}
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
	    r->page);
	put_element(r->page, "title", head->title);
	fprintf(r->page, "<style>%s</style>\n</head>\n<body>\n", style);
	put_element(r->page, "h1", head->title);
	if (head->verdict != NULL)
		put_mark(r->page, head->mark, head->verdict);
	put_element(r->page, "p", head->summary);
	put_element(r->page, "pre", head->command);
	put_facts(r->page, head->facts, head->fact_count);
	return r;
}

void cairn_report_destroy(struct cairn_report **report_p)
{
	struct cairn_report *r = *report_p;
	*report_p = NULL;
	if (r == NULL)
		return;
	if (r->page != NULL)
		fclose(r->page);
	for (uint32_t i = 0; i < r->picture_count; i++) {
		free(r->pictures[i].svg.data);
		free(r->pictures[i].png.data);
	}
	for (uint32_t i = 0; i < r->run_count; i++)
		free(r->runs[i].html);
	free(r->pictures);
	free(r->runs);
	free(r->html);
	free(r);
}

void cairn_report_heading(struct cairn_report *r, const char *title, const char *text)
{
	put_element(r->page, "h2", title);
	put_element(r->page, "p", text);
}

void cairn_report_table(struct cairn_report *r, const struct cairn_report_table *t)
{
	FILE *out = r->page;
	fputs("<table>\n", out);
	put_element(out, "caption", t->caption);
	fputs("<thead><tr>", out);
	for (uint32_t c = 0; c < t->column_count; c++) {
		fputs(t->columns[c].number ? "<th class=\"n\">" : "<th>", out);
		put_text(out, t->columns[c].title);
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n<tbody>\n", out);
	for (uint32_t i = 0; i < t->row_count; i++) {
		fprintf(out, "<tr class=\"%s\">", t->marks != NULL ? mark_class[t->marks[i]] : "");
		for (uint32_t c = 0; c < t->column_count; c++) {
			fputs(t->columns[c].number ? "<td class=\"n\">" : "<td>", out);
			put_text(out, t->cells[i * t->column_count + c]);
			fputs("</td>", out);
		}
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table>\n", out);
}

/* ---- figures ---- */

static bool good_name(const char *file, struct cairn_error *err)
{
	size_t length = file != NULL ? strlen(file) : 0;
	if (length > 0 && length < FILE_CAP &&
	    strspn(file, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == length)
		return true;
	cairn_error_set(
	    err, "'%s' cannot name a figure: letters, digits, '-' and '_' only", file != NULL ? file : "");
	return false;
}

static const struct picture *draw(struct cairn_report *r, const char *file, double width, double height,
    report_draw_fn *how, const void *what)
{
	struct cairn_error err = {""};
	if (r->picture_count == r->picture_room) {
		uint32_t room = r->picture_room == 0 ? 16 : 2 * r->picture_room;
		struct picture *more = realloc(r->pictures, room * sizeof(*more));
		if (more == NULL) {
			fail_memory(r);
			return NULL;
		}
		r->pictures = more;
		r->picture_room = room;
	}
	struct picture *p = &r->pictures[r->picture_count];
	if (!good_name(file, &err) || !report_figure(width, height, how, what, &p->svg, &p->png, &err)) {
		fail(r, &err);
		return NULL;
	}
	snprintf(p->file, sizeof(p->file), "%s", file);
	r->picture_count++;
	return p;
}

static void put_figure(struct cairn_report *r, const struct picture *p, const char *alt, const char *caption)
{
	if (p == NULL)
		return;
	fputs("<figure>\n", r->page);
	put_svg(r->page, &p->svg, alt != NULL ? alt : p->file);
	put_element(r->page, "figcaption", caption != NULL ? caption : alt != NULL ? alt : p->file);
	fputs("</figure>\n", r->page);
}

void cairn_report_chart(struct cairn_report *r, const struct cairn_report_chart *chart)
{
	double width, height;
	report_chart_size(chart, &width, &height);
	put_figure(
	    r, draw(r, chart->file, width, height, report_draw_chart, chart), chart->title, chart->caption);
}

void cairn_report_intervals(struct cairn_report *r, const struct cairn_report_intervals *intervals)
{
	double width, height;
	report_intervals_size(intervals, &width, &height);
	put_figure(r, draw(r, intervals->file, width, height, report_draw_intervals, intervals),
	    intervals->title, intervals->caption);
}

void cairn_report_map(struct cairn_report *r, const struct cairn_report_map *map)
{
	struct cairn_report_map m = *map;
	double width, height;
	report_map_size(&m, &width, &height);
	put_figure(r, draw(r, m.file, width, height, report_draw_map, &m), m.title, m.caption);
}

/* ---- runs ---- */

static void add_run(
    struct cairn_report *r, const struct cairn_report_run *run, const struct report_bytes *svg)
{
	if (r->run_count == r->run_room) {
		uint32_t room = r->run_room == 0 ? 64 : 2 * r->run_room;
		struct run_text *more = realloc(r->runs, room * sizeof(*more));
		if (more == NULL) {
			fail_memory(r);
			return;
		}
		r->runs = more;
		r->run_room = room;
	}
	struct run_text *t = &r->runs[r->run_count];
	size_t size;
	t->html = NULL;
	FILE *out = open_memstream(&t->html, &size);
	if (out == NULL) {
		fail_memory(r);
		return;
	}
	fputs("<div class=\"run\"><h3><span>", out);
	put_text(out, run->name);
	fputs("</span>", out);
	put_mark(out, run->mark,
	    run->mark == CAIRN_REPORT_GOOD   ? "passed"
	    : run->mark == CAIRN_REPORT_BAD  ? "failed"
	    : run->mark == CAIRN_REPORT_WEAK ? "weak"
					     : "run");
	fputs("</h3>\n", out);
	put_element(out, "p", run->verdict);
	if (svg != NULL)
		put_svg(out, svg, run->name);
	put_facts(out, run->facts, run->fact_count);
	fputs("</div>\n", out);
	bool ok = ferror(out) == 0;
	if (fclose(out) != 0 || !ok) {
		free(t->html);
		fail_memory(r);
		return;
	}
	t->badness =
	    isnan(run->badness) ? INFINITY : run->badness; /* what cannot be judged is looked at first */
	t->order = r->run_count++;
}

void cairn_report_run(struct cairn_report *r, const struct cairn_report_run *run)
{
	const struct picture *p = NULL;
	if (run->map != NULL) {
		struct cairn_report_map m = *run->map;
		double width, height;
		report_map_size(&m, &width, &height);
		p = draw(r, m.file, width, height, report_draw_map, &m);
	}
	add_run(r, run, p != NULL ? &p->svg : NULL);
}

void cairn_report_run_drawn(
    struct cairn_report *r, const struct cairn_report_run *run, const char *dir, const char *file)
{
	char path[PATH_CAP];
	struct report_bytes svg = {0};
	snprintf(path, sizeof(path), "%s/%s.svg", dir, file);
	svg.data = (unsigned char *)cairn_file_read(path, 0, DRAWN_BYTES_MAX, &svg.size, NULL);
	add_run(r, run, svg.size > 0 ? &svg : NULL);
	free(svg.data);
}

static int worse_first(const void *a, const void *b)
{
	const struct run_text *x = a, *y = b;
	if (x->badness != y->badness)
		return x->badness < y->badness ? 1 : -1;
	return x->order > y->order ? 1 : -1;
}

static void put_runs(struct cairn_report *r)
{
	if (r->run_count == 0)
		return;
	qsort(r->runs, r->run_count, sizeof(*r->runs), worse_first);
	fputs("<h2>Runs, the worst first</h2>\n<div class=\"runs\">\n", r->page);
	for (uint32_t i = 0; i < r->run_count; i++)
		fputs(r->runs[i].html, r->page);
	fputs("</div>\n", r->page);
}

/* ---- files ---- */

static bool make_dir(const char *dir, struct cairn_error *err)
{
	char path[PATH_CAP];
	if ((size_t)snprintf(path, sizeof(path), "%s", dir) >= sizeof(path)) {
		cairn_error_set(err, "%.64s...: the name is too long", dir);
		return false;
	}
	for (char *p = path + 1; *p != '\0'; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		(void)mkdir(path, 0777); /* the last one tells */
		*p = '/';
	}
	if (mkdir(path, 0777) == 0 || errno == EEXIST)
		return true;
	cairn_error_set(err, "%s: %s", dir, strerror(errno));
	return false;
}

static bool write_file(const char *dir, const char *file, const char *ending, const void *data, size_t size,
    struct cairn_error *err)
{
	char path[PATH_CAP];
	if ((size_t)snprintf(path, sizeof(path), "%s/%s%s", dir, file, ending) >= sizeof(path)) {
		cairn_error_set(err, "%.64s...: the name is too long", dir);
		return false;
	}
	return cairn_file_replace(path, 0, 0644, data, size, err);
}

bool cairn_report_draw_map(const struct cairn_report_map *map, const char *dir, struct cairn_error *err)
{
	struct cairn_report_map m = *map;
	struct report_bytes svg, png;
	double width, height;
	if (!good_name(m.file, err) || !make_dir(dir, err))
		return false;
	report_map_size(&m, &width, &height);
	if (!report_figure(width, height, report_draw_map, &m, &svg, &png, err))
		return false;
	bool ok = write_file(dir, m.file, ".svg", svg.data, svg.size, err) &&
		  write_file(dir, m.file, ".png", png.data, png.size, err);
	free(svg.data);
	free(png.data);
	return ok;
}

bool cairn_report_write(struct cairn_report *r, const char *dir, struct cairn_error *err)
{
	if (r->page == NULL) {
		cairn_error_set(err, "the report has been written");
		return false;
	}
	put_runs(r);
	fputs("</body>\n</html>\n", r->page);
	bool ok = ferror(r->page) == 0;
	ok = fclose(r->page) == 0 && ok;
	r->page = NULL;
	if (!ok)
		fail_memory(r);
	if (r->err.text[0] != '\0') {
		*err = r->err;
		return false;
	}
	if (!make_dir(dir, err))
		return false;
	for (uint32_t i = 0; ok && i < r->picture_count; i++) {
		const struct picture *p = &r->pictures[i];
		ok = write_file(dir, p->file, ".svg", p->svg.data, p->svg.size, err) &&
		     write_file(dir, p->file, ".png", p->png.data, p->png.size, err);
	}
	return ok && write_file(dir, "index", ".html", r->html, r->html_size, err);
}
