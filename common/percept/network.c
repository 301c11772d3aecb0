#include "common/percept/network.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "common/base/text.h"

#define CANDIDATES 256
#define GREY 0.447f      /* 114 of 255: what YOLO is trained with beside the picture */
#define DECODED_MAX 1000 /* boxes of an output [1, N, 6]: more are those of a YOLO with one class */

/* ---- labels ---- */

bool cairn_network_read_labels(
    const char *text, size_t bytes, struct cairn_network_labels *ret, struct cairn_error *err)
{
	ret->count = 0;
	while (bytes > 0 && memchr(" \t\r\n", text[bytes - 1], 4) != NULL)
		bytes--;
	for (size_t at = 0; at < bytes;) {
		const char *end = memchr(text + at, '\n', bytes - at);
		size_t n = end != NULL ? (size_t)(end - text) - at : bytes - at;
		if (ret->count == CAIRN_NETWORK_LABELS_MAX) {
			cairn_error_set(err, "more than %d labels", CAIRN_NETWORK_LABELS_MAX);
			return false;
		}
		char *name = ret->name[ret->count++];
		cairn_text_clean(name, sizeof(ret->name[0]), text + at, n);
		if (name[strspn(name, " ")] == '\0') {
			cairn_error_set(err, "line %u has no label", ret->count);
			return false;
		}
		at += n + 1;
	}
	if (ret->count == 0)
		cairn_error_set(err, "no label in it");
	return ret->count > 0;
}

static bool is_wanted(const char *wanted, const char *label)
{
	size_t len = strlen(label);
	if (wanted[0] == '\0')
		return true;
	for (const char *p = wanted; *p != '\0';) {
		p += strspn(p, " ,");
		size_t n = strcspn(p, ","), end = n;
		while (end > 0 && p[end - 1] == ' ')
			end--;
		if (end == len && strncasecmp(p, label, len) == 0)
			return true;
		p += n;
	}
	return false;
}

/* ---- the picture ---- */

/* Where the picture lies in the network's. */
struct fit {
	float scale_x, scale_y; /* pixels of the network's picture for one of ours */
	float left, top;
};

static struct fit fit_of(const struct cairn_network_input *in, uint32_t width_px, uint32_t height_px)
{
	struct fit f = {
	    (float)in->width_px / (float)width_px, (float)in->height_px / (float)height_px, 0.0f, 0.0f};
	if (in->letterbox) {
		f.scale_x = f.scale_y = fminf(f.scale_x, f.scale_y);
		f.left = 0.5f * ((float)in->width_px - f.scale_x * (float)width_px);
		f.top = 0.5f * ((float)in->height_px - f.scale_y * (float)height_px);
	}
	return f;
}

/* Two pixels of a row or column, and the share of the second. */
struct tap {
	uint32_t low, high;
	float share;
	bool inside;
};

static struct tap tap_of(uint32_t at, float start, float scale, uint32_t count)
{
	float x = ((float)at + 0.5f - start) / scale - 0.5f, end = (float)count - 1.0f;
	bool inside = x >= -0.5f && x <= end + 0.5f;
	x = fminf(fmaxf(x, 0.0f), end);
	uint32_t low = (uint32_t)x;
	return (struct tap){low, low + 1 < count ? low + 1 : low, x - (float)low, inside};
}

void cairn_network_fill(const struct cairn_network_input *in, const uint8_t *rgb, uint32_t width_px,
    uint32_t height_px, float *ret)
{
	struct fit f = fit_of(in, width_px, height_px);
	size_t plane = (size_t)in->width_px * in->height_px;
	struct tap across[CAIRN_NETWORK_SIDE_MAX];
	for (uint32_t x = 0; x < in->width_px; x++)
		across[x] = tap_of(x, f.left, f.scale_x, width_px);
	for (uint32_t y = 0; y < in->height_px; y++) {
		struct tap down = tap_of(y, f.top, f.scale_y, height_px);
		const uint8_t *a = rgb + 3 * (size_t)down.low * width_px,
			      *b = rgb + 3 * (size_t)down.high * width_px;
		for (uint32_t x = 0; x < in->width_px; x++) {
			struct tap t = across[x];
			size_t at = (size_t)y * in->width_px + x;
			for (uint32_t c = 0; c < 3; c++) {
				float p = (float)a[3 * t.low + c], q = (float)b[3 * t.low + c];
				float above = p + t.share * ((float)a[3 * t.high + c] - p),
				      below = q + t.share * ((float)b[3 * t.high + c] - q);
				float v = (above + down.share * (below - above)) / 255.0f;
				ret[in->channels_last ? 3 * at + c : c * plane + at] =
				    in->white * (t.inside && down.inside ? v : GREY);
			}
		}
	}
}

/* ---- what comes out ---- */

struct candidate {
	float px[4], score; /* box in our picture */
	int64_t class;
};

/* The most certain boxes so far, best first, and how a box of the network's picture lies in ours. */
struct found {
	const struct cairn_network_labels *labels;
	const char *wanted;
	struct fit fit;
	float width_px, height_px, score_min;
	struct candidate best[CANDIDATES];
	uint32_t count;
};

static float shared(const float a[4], const float b[4])
{
	float w = fminf(a[2], b[2]) - fmaxf(a[0], b[0]), h = fminf(a[3], b[3]) - fmaxf(a[1], b[1]);
	float both = w > 0.0f && h > 0.0f ? w * h : 0.0f;
	return both / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both);
}

static void consider(
    struct found *f, int64_t class, float score, float left, float top, float right, float bottom)
{
	if (!(score >= f->score_min) || class < 0 || class >= f->labels->count ||
	    !is_wanted(f->wanted, f->labels->name[class]))
		return;
	struct candidate one = {.score = fminf(score, 1.0f),
	    .class = class,
	    .px = {(left - f->fit.left) / f->fit.scale_x, (top - f->fit.top) / f->fit.scale_y,
		(right - f->fit.left) / f->fit.scale_x, (bottom - f->fit.top) / f->fit.scale_y}};
	for (int i = 0; i < 4; i++) {
		if (!isfinite(one.px[i]))
			return;
		one.px[i] = fminf(fmaxf(one.px[i], 0.0f), i % 2 == 0 ? f->width_px : f->height_px);
	}
	if (!(one.px[2] > one.px[0] && one.px[3] > one.px[1]))
		return;
	uint32_t at = f->count < CANDIDATES ? f->count++ : CANDIDATES;
	for (; at > 0 && f->best[at - 1].score < one.score; at--)
		if (at < CANDIDATES)
			f->best[at] = f->best[at - 1];
	if (at < CANDIDATES)
		f->best[at] = one;
}

/* The best of those that are one thing. */
static void choose(const struct found *f, struct cairn_detected_list *ret)
{
	for (uint32_t i = 0; i < f->count; i++) {
		const struct candidate *c = &f->best[i];
		const char *label = f->labels->name[c->class];
		bool again = false;
		for (uint32_t k = 0; k < ret->count && !again; k++)
			again = strcmp(ret->items[k].label, label) == 0 &&
				shared(ret->items[k].px, c->px) > (float)CAIRN_NETWORK_OVERLAP_MAX;
		if (again)
			continue;
		if (ret->count == CAIRN_DETECT_ITEMS) {
			ret->left_out++;
			continue;
		}
		struct cairn_detected *one = &ret->items[ret->count++];
		*one = (struct cairn_detected){.confidence = c->score};
		memcpy(one->label, label, sizeof(one->label));
		memcpy(one->px, c->px, sizeof(one->px));
	}
}

/* n boxes of middle, size and a score a class; value k of box i at data[i * box_step + k * value_step]. */
static void read_yolo(
    struct found *f, const float *data, int64_t n, int64_t box_step, int64_t value_step, bool objectness)
{
	int64_t first = objectness ? 5 : 4;
	for (int64_t i = 0; i < n; i++) {
		const float *b = data + i * box_step;
		float all = objectness ? b[4 * value_step] : 1.0f, best = -1.0f;
		int64_t class = -1;
		for (int64_t c = 0; all >= f->score_min && c < f->labels->count; c++)
			if (b[(first + c) * value_step] > best) {
				best = b[(first + c) * value_step];
				class = c;
			}
		float x = b[0], y = b[value_step], w = 0.5f * b[2 * value_step], h = 0.5f * b[3 * value_step];
		consider(f, class, all * best, x - w, y - h, x + w, y + h);
	}
}

static void read_decoded(struct found *f, const float *data, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		const float *b = data + 6 * i;
		int64_t class = b[5] >= 0.0f && b[5] < (float)CAIRN_NETWORK_LABELS_MAX ? (int64_t)b[5] : -1;
		consider(f, class, b[4], b[0], b[1], b[2], b[3]);
	}
}

/* A map of h * w cells with some channels, wherever the channels stand. */
struct heads {
	const float *data;
	int64_t channels, h, w, of_channel, of_row, of_column;
};

static int64_t channels_of(const struct cairn_network_tensor *t, bool last)
{
	return t->rank == 4 && t->dims[0] == 1 ? t->dims[last ? 3 : 1] : 0;
}

static struct heads heads_of(const struct cairn_network_tensor *t, bool last)
{
	const int64_t *d = t->dims;
	if (last)
		return (struct heads){t->data, d[3], d[1], d[2], 1, d[2] * d[3], d[3]};
	return (struct heads){t->data, d[1], d[2], d[3], d[2] * d[3], d[3], 1};
}

static float cell(const struct heads *m, int64_t channel, int64_t y, int64_t x)
{
	return m->data[channel * m->of_channel + y * m->of_row + x * m->of_column];
}

/* Is it the greatest of the nine around it? */
static bool is_peak(const struct heads *heat, int64_t c, int64_t y, int64_t x, float v)
{
	for (int64_t r = y > 0 ? y - 1 : y; r <= y + 1 && r < heat->h; r++)
		for (int64_t k = x > 0 ? x - 1 : x; k <= x + 1 && k < heat->w; k++)
			if (cell(heat, c, r, k) > v)
				return false;
	return true;
}

static void read_centernet(struct found *f, const struct cairn_network_input *in, const struct heads *heat,
    const struct heads *size, const struct heads *offset)
{
	float step_x = (float)in->width_px / (float)heat->w, step_y = (float)in->height_px / (float)heat->h;
	for (int64_t c = 0; c < heat->channels; c++)
		for (int64_t y = 0; y < heat->h; y++)
			for (int64_t x = 0; x < heat->w; x++) {
				float v = cell(heat, c, y, x), u_px = step_x * (float)x,
				      v_px = step_y * (float)y;
				if (!(v >= f->score_min) || !is_peak(heat, c, y, x, v))
					continue;
				if (size->channels == 4) {
					consider(f, c, v, u_px - cell(size, 0, y, x),
					    v_px - cell(size, 1, y, x), u_px + cell(size, 2, y, x),
					    v_px + cell(size, 3, y, x));
					continue;
				}
				float w = 0.5f * step_x * cell(size, 0, y, x),
				      h = 0.5f * step_y * cell(size, 1, y, x);
				if (offset != NULL) {
					u_px += step_x * cell(offset, 0, y, x);
					v_px += step_y * cell(offset, 1, y, x);
				}
				consider(f, c, v, u_px - w, v_px - h, u_px + w, v_px + h);
			}
}

static bool same_cells(const struct heads *a, const struct heads *b)
{
	return a->h == b->h && a->w == b->w;
}

static bool read_heads(struct found *f, const struct cairn_network_input *in,
    const struct cairn_network_tensor *t, uint32_t count)
{
	const int64_t classes = f->labels->count;
	struct heads heat = {0}, size = {0}, offset = {0};
	bool last = false;
	uint32_t at = 0;
	while (at < count && channels_of(&t[at], false) != classes && channels_of(&t[at], true) != classes)
		at++;
	if (at == count)
		return false;
	last = channels_of(&t[at], false) != classes;
	heat = heads_of(&t[at], last);
	for (uint32_t i = 0; i < count; i++) {
		int64_t n = i != at ? channels_of(&t[i], last) : 0;
		if (size.data == NULL && (n == 4 || n == 2))
			size = heads_of(&t[i], last);
		else if (offset.data == NULL && n == 2)
			offset = heads_of(&t[i], last);
	}
	if (size.data == NULL || !same_cells(&heat, &size) ||
	    (offset.data != NULL && !same_cells(&heat, &offset)))
		return false;
	read_centernet(f, in, &heat, &size, offset.data != NULL ? &offset : NULL);
	return true;
}

static bool read_boxes(struct found *f, const struct cairn_network_tensor *t, uint32_t count)
{
	int64_t classes = f->labels->count;
	for (uint32_t i = 0; i < count; i++) {
		int64_t a = t[i].dims[1], b = t[i].dims[2];
		if (t[i].rank != 3 || t[i].dims[0] != 1)
			continue;
		if (b == 6 && a <= DECODED_MAX)
			read_decoded(f, t[i].data, a);
		else if (b == 5 + classes)
			read_yolo(f, t[i].data, a, b, 1, true);
		else if (a == 4 + classes)
			read_yolo(f, t[i].data, b, 1, b, false);
		else if (b == 4 + classes)
			read_yolo(f, t[i].data, a, b, 1, false);
		else
			continue;
		return true;
	}
	return false;
}

bool cairn_network_read(const struct cairn_network_input *in, const struct cairn_network_tensor *outputs,
    uint32_t output_count, const struct cairn_network_labels *labels, const char *wanted, double score_min,
    uint32_t width_px, uint32_t height_px, struct cairn_detected_list *ret, struct cairn_error *err)
{
	struct found f = {.labels = labels,
	    .wanted = wanted,
	    .fit = fit_of(in, width_px, height_px),
	    .width_px = (float)width_px,
	    .height_px = (float)height_px,
	    .score_min = (float)score_min};
	*ret = (struct cairn_detected_list){.width_px = width_px, .height_px = height_px};
	if (read_boxes(&f, outputs, output_count) || read_heads(&f, in, outputs, output_count)) {
		choose(&f, ret);
		return true;
	}
	cairn_error_set(err, "the network's outputs are none that are known for %u labels (docs/detector.md)",
	    labels->count);
	return false;
}
