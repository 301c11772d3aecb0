#include "procs/network/searcher.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"

#define LABELS_BYTES_MAX (1 << 16)

struct searcher {
	const struct cairn_config *cfg;
	struct onnx *onnx;
	struct cairn_network_input input;
	struct cairn_network_labels labels;
	float *picture;
};

static bool open_all(struct searcher *s, struct cairn_error *err)
{
	const struct cairn_config_detect *c = &s->cfg->detect;
	struct onnx_options options = {
	    c->onnxruntime, c->model, (int)c->model_threads, (uint32_t)c->model_size_px};
	struct cairn_error why = {""};
	size_t bytes = 0;
	if (c->model[0] == '\0' || c->model_labels[0] == '\0') {
		cairn_error_set(err, "detect.model and detect.model_labels name no files");
		return false;
	}
	char *text = cairn_file_read(c->model_labels, CAIRN_FILE_TEXT, LABELS_BYTES_MAX, &bytes, err);
	if (text == NULL)
		return false;
	bool good = cairn_network_read_labels(text, bytes, &s->labels, &why);
	free(text);
	if (!good) {
		cairn_error_set(err, "detect.model_labels: %.100s: %.80s", c->model_labels, why.text);
		return false;
	}
	s->onnx = onnx_open(&options, err);
	if (s->onnx == NULL)
		return false;
	s->input = onnx_input(s->onnx);
	s->input.letterbox = c->model_fit == CAIRN_CHOICE_MODEL_FIT_LETTERBOX;
	s->input.white = (float)c->model_white;
	s->picture = calloc(3 * (size_t)s->input.width_px * s->input.height_px, sizeof(*s->picture));
	if (s->picture == NULL)
		cairn_error_set(err, "out of memory");
	return s->picture != NULL;
}

struct searcher *searcher_new(const struct cairn_config *cfg, struct cairn_error *err)
{
	struct searcher *s = calloc(1, sizeof(*s));
	if (s == NULL) {
		cairn_error_set(err, "out of memory");
		return NULL;
	}
	s->cfg = cfg;
	if (!open_all(s, err))
		searcher_destroy(&s);
	return s;
}

void searcher_destroy(struct searcher **searcher_p)
{
	struct searcher *s = *searcher_p;
	*searcher_p = NULL;
	if (s == NULL)
		return;
	onnx_close(&s->onnx);
	free(s->picture);
	free(s);
}

bool searcher_look(struct searcher *s, const uint8_t *rgb, uint32_t width_px, uint32_t height_px,
    struct cairn_detected_list *ret, struct cairn_error *err)
{
	const struct cairn_network_tensor *outputs;
	uint32_t count;
	cairn_network_fill(&s->input, rgb, width_px, height_px, s->picture);
	return onnx_run(s->onnx, s->picture, &outputs, &count, err) &&
	       cairn_network_read(&s->input, outputs, count, &s->labels, s->cfg->detect.labels,
		   s->cfg->detect.confidence_min, width_px, height_px, ret, err);
}

void searcher_tell(const struct searcher *s, char *ret, size_t ret_bytes)
{
	snprintf(ret, ret_bytes, "ONNX Runtime %.20s, %ux%u, %u labels", onnx_version(s->onnx),
	    s->input.width_px, s->input.height_px, s->labels.count);
}
