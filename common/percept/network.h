/* network.h - what goes into a neural detector and what its outputs mean: a picture as the tensor that it takes, and its
 * tensors as things. Who runs the network is not known here (procs/network). Pure.
 *
 * Outputs are told apart by their shapes, C being the number of labels and N that of boxes:
 *   [1, 4 + C, N] or [1, N, 4 + C]   YOLO since 8: middle x, y, width, height, a score for each class
 *   [1, N, 5 + C]                    YOLO 5 to 7: the same with a score for "something" in front, by which the others are multiplied
 *   [1, N, 6]                        decoded: left, top, right, bottom, score, class
 *   [1, C, h, w] and [1, 4, h, w]    CenterNet: heat of the classes; distances from the middle to left, top, right, bottom
 *   [1, C, h, w] and [1, 2, h, w]    CenterNet: heat; width and height in cells; a third one [1, 2, h, w]: offset of the middle
 * Boxes are in pixels of the network's own picture. CenterNet's may have the channels last. Scores are 0..1 already. */
#ifndef CAIRN_COMMON_PERCEPT_NETWORK_H
#define CAIRN_COMMON_PERCEPT_NETWORK_H

#include "common/percept/detect.h"

#define CAIRN_NETWORK_LABELS_MAX 1024
#define CAIRN_NETWORK_SIDE_MAX 2048
#define CAIRN_NETWORK_TENSORS 4
/* Of two boxes of one label that share more than this of their union the less certain one is left out. */
#define CAIRN_NETWORK_OVERLAP_MAX 0.5

/* The picture that a network takes. */
struct cairn_network_input {
	uint32_t width_px, height_px;
	bool channels_last; /* RGB of a pixel side by side, else one plane for each colour */
	bool letterbox;     /* the whole picture in its own proportions on grey, else stretched */
	float white;        /* value of the brightest pixel */
};

struct cairn_network_labels {
	char name[CAIRN_NETWORK_LABELS_MAX][40];
	uint32_t count;
};

struct cairn_network_tensor {
	const float *data;
	int64_t dims[4];
	uint32_t rank; /* 3 or 4 */
};

/* One label a line, in the order of the classes; blank lines at the end do not count. False with the reason. */
bool cairn_network_read_labels(
    const char *text, size_t bytes, struct cairn_network_labels *ret, struct cairn_error *err);

/* rgb: width_px * height_px pixels, tightly packed. Into ret, 3 * width * height of the input; bilinear between the middles of pixels. */
void cairn_network_fill(const struct cairn_network_input *input, const uint8_t *rgb, uint32_t width_px,
    uint32_t height_px, float *ret);

/* What the outputs say of a picture of width_px * height_px pixels: things of a score of at least score_min, most certain
 * first, without points. wanted: labels separated by commas, others are left out; "" = all. False with the reason: shapes that
 * are none of those above. Values that are no numbers are no things. */
bool cairn_network_read(const struct cairn_network_input *input, const struct cairn_network_tensor *outputs,
    uint32_t output_count, const struct cairn_network_labels *labels, const char *wanted, double score_min,
    uint32_t width_px, uint32_t height_px, struct cairn_detected_list *ret, struct cairn_error *err);

#endif
