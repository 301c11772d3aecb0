/* A neural network may put out anything: tensors of any shape and value become things that lie in the picture, or a reason. And
 * its list of labels. The input: a head of bytes for what the network is said to be, then the values of its outputs, over and
 * over. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/percept/network.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

#define VALUES_MAX (1u << 16)
#define WIDTH_PX 64
#define HEIGHT_PX 48
#define SCORE_MIN 0.3

struct reader {
	const uint8_t *data;
	size_t count, at;
};

static uint32_t next(struct reader *r, uint32_t below)
{
	return r->at < r->count ? r->data[r->at++] % below : 0;
}

static void must(bool good)
{
	if (!good)
		abort();
}

static void fill(const struct reader *r, float *values)
{
	size_t n = r->count - r->at;
	for (size_t i = 0; i < VALUES_MAX; i++) {
		uint8_t bytes[sizeof(float)] = {0};
		for (size_t k = 0; k < sizeof(bytes) && n > 0; k++)
			bytes[k] = r->data[r->at + (i * sizeof(bytes) + k) % n];
		memcpy(&values[i], bytes, sizeof(bytes));
	}
}

/* Of what a network with so many labels would put out, mostly: its sides are what the decoder looks at. */
static uint32_t side(struct reader *r, uint32_t labels)
{
	const uint32_t likely[] = {1, 2, 4, 6, labels, 4 + labels, 5 + labels, 7};
	uint32_t pick = next(r, 12);
	return pick < 8 ? likely[pick] : 1 + next(r, 24);
}

static uint32_t make_outputs(
    struct reader *r, uint32_t labels, const float *values, struct cairn_network_tensor *outputs)
{
	uint32_t count = next(r, CAIRN_NETWORK_TENSORS + 1);
	for (uint32_t i = 0; i < count; i++) {
		struct cairn_network_tensor *t = &outputs[i];
		uint32_t all = 1;
		*t = (struct cairn_network_tensor){.data = values, .rank = 3 + next(r, 2)};
		for (uint32_t k = 0; k < t->rank; k++) {
			t->dims[k] = k == 0 ? 1 + (next(r, 8) == 0) : side(r, labels);
			all *= (uint32_t)t->dims[k];
		}
		if (all > VALUES_MAX)
			return i;
	}
	return count;
}

static void read_outputs(struct reader *r)
{
	static struct cairn_network_labels labels;
	static struct cairn_detected_list list;
	static float values[VALUES_MAX];
	struct cairn_network_tensor outputs[CAIRN_NETWORK_TENSORS];
	struct cairn_error err = {""};
	struct cairn_network_input input = {.width_px = 1 + next(r, 96),
	    .height_px = 1 + next(r, 96),
	    .channels_last = next(r, 2) == 1,
	    .letterbox = next(r, 2) == 1,
	    .white = 1.0f};
	labels.count = 1 + next(r, 24);
	for (uint32_t i = 0; i < labels.count; i++)
		snprintf(labels.name[i], sizeof(labels.name[i]), "thing %u", i % 20); /* some twice */
	uint32_t output_count = make_outputs(r, labels.count, values, outputs);
	fill(r, values);
	list = (struct cairn_detected_list){.count = 0};
	if (!cairn_network_read(
		&input, outputs, output_count, &labels, "", SCORE_MIN, WIDTH_PX, HEIGHT_PX, &list, &err)) {
		must(err.text[0] != '\0');
		return;
	}
	must(list.count <= CAIRN_DETECT_ITEMS);
	for (uint32_t i = 0; i < list.count; i++) {
		const struct cairn_detected *d = &list.items[i];
		must(d->confidence >= (float)SCORE_MIN && d->confidence <= 1.0f &&
		     strncmp(d->label, "thing ", 6) == 0);
		must(d->px[0] >= 0.0f && d->px[1] >= 0.0f && d->px[2] <= WIDTH_PX && d->px[3] <= HEIGHT_PX);
		must(d->px[2] > d->px[0] && d->px[3] > d->px[1]);
		must(i == 0 || d->confidence <= list.items[i - 1].confidence);
	}
}

static void read_labels(const uint8_t *data, size_t count)
{
	static struct cairn_network_labels labels;
	struct cairn_error err = {""};
	if (!cairn_network_read_labels((const char *)data, count, &labels, &err)) {
		must(err.text[0] != '\0');
		return;
	}
	must(labels.count > 0 && labels.count <= CAIRN_NETWORK_LABELS_MAX);
	for (uint32_t i = 0; i < labels.count; i++)
		must(labels.name[i][strspn(labels.name[i], " ")] != '\0');
}

/* A picture of one colour stays of that colour, wherever it is put. */
static void fill_input(struct reader *r)
{
	static uint8_t rgb[3 * WIDTH_PX * HEIGHT_PX];
	static float tensor[3 * 96 * 96];
	struct cairn_network_input input = {.width_px = 1 + next(r, 96),
	    .height_px = 1 + next(r, 96),
	    .channels_last = next(r, 2) == 1,
	    .letterbox = next(r, 2) == 1,
	    .white = 255.0f};
	uint32_t width_px = 1 + next(r, WIDTH_PX), height_px = 1 + next(r, HEIGHT_PX), value = next(r, 256);
	memset(rgb, (int)value, sizeof(rgb));
	cairn_network_fill(&input, rgb, width_px, height_px, tensor);
	for (uint32_t i = 0; i < 3 * input.width_px * input.height_px; i++) {
		bool beside = input.letterbox && fabsf(tensor[i] - 255.0f * 0.447f) < 0.01f;
		must(beside || fabsf(tensor[i] - (float)value) < 0.01f);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
	struct reader r = {data, count, 0};
	fill_input(&r);
	read_outputs(&r);
	read_labels(data, count);
	return 0;
}
