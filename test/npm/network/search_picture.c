/* search_picture.c - searches a picture (PPM) with a network as the stage `network` does, and prints the things one a line:
 * label, score, left, top, right, bottom. For yolo_network.mjs.
 *
 *   search_picture LIBRARY MODEL LABELS letterbox|stretch WHITE PICTURE */
#include <stdlib.h>
#include <string.h>

#include "procs/network/searcher.h"

static uint8_t *read_picture(const char *path, uint32_t *ret_width, uint32_t *ret_height)
{
	FILE *f = fopen(path, "rb");
	uint8_t *rgb = NULL;
	if (f == NULL)
		return NULL;
	if (fscanf(f, "P6 %u %u 255", ret_width, ret_height) == 2 && fgetc(f) == '\n' && *ret_width <= 4096 &&
	    *ret_height <= 4096) {
		size_t bytes = 3 * (size_t)*ret_width * *ret_height;
		rgb = malloc(bytes);
		if (rgb != NULL && fread(rgb, 1, bytes, f) != bytes) {
			free(rgb);
			rgb = NULL;
		}
	}
	fclose(f);
	return rgb;
}

static bool search(const struct cairn_config *cfg, const char *path, struct cairn_error *err)
{
	static struct cairn_detected_list list;
	uint32_t width = 0, height = 0;
	uint8_t *rgb = read_picture(path, &width, &height);
	if (rgb == NULL) {
		cairn_error_set(err, "%s is no picture (PPM)", path);
		return false;
	}
	struct searcher *s = searcher_new(cfg, err);
	bool ok = s != NULL && searcher_look(s, rgb, width, height, &list, err);
	for (uint32_t i = 0; ok && i < list.count; i++) {
		const struct cairn_detected *t = &list.items[i];
		printf("%s %.4f %.3f %.3f %.3f %.3f\n", t->label, (double)t->confidence, (double)t->px[0],
		    (double)t->px[1], (double)t->px[2], (double)t->px[3]);
	}
	if (s != NULL)
		searcher_destroy(&s);
	free(rgb);
	return ok;
}

int main(int argc, char **argv)
{
	static struct cairn_config cfg;
	struct cairn_error err = {""};
	if (argc != 7) {
		fputs("search_picture LIBRARY MODEL LABELS letterbox|stretch WHITE PICTURE\n", stderr);
		return 2;
	}
	cairn_config_defaults(&cfg);
	snprintf(cfg.detect.onnxruntime, sizeof(cfg.detect.onnxruntime), "%s", argv[1]);
	snprintf(cfg.detect.model, sizeof(cfg.detect.model), "%s", argv[2]);
	snprintf(cfg.detect.model_labels, sizeof(cfg.detect.model_labels), "%s", argv[3]);
	cfg.detect.model_fit = strcmp(argv[4], "stretch") == 0 ? CAIRN_CHOICE_MODEL_FIT_STRETCH
							       : CAIRN_CHOICE_MODEL_FIT_LETTERBOX;
	cfg.detect.model_white = strtod(argv[5], NULL);
	if (search(&cfg, argv[6], &err))
		return 0;
	fprintf(stderr, "%s\n", err.text);
	return 1;
}
