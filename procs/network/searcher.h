/* searcher.h - a network and all that it needs, by the configuration: a picture in, the things in it out. */
#ifndef CAIRN_PROCS_NETWORK_SEARCHER_H
#define CAIRN_PROCS_NETWORK_SEARCHER_H

#include "procs/network/onnx.h"

struct searcher;

/* detect.model and what belongs to it; cfg is borrowed. NULL with the reason. */
struct searcher *searcher_new(const struct cairn_config *cfg, struct cairn_error *err);
void searcher_destroy(struct searcher **searcher_p);

/* One picture of width_px * height_px pixels of RGB, tightly packed. Things without points; look and t_ns are the caller's. */
bool searcher_look(struct searcher *searcher, const uint8_t *rgb, uint32_t width_px, uint32_t height_px,
    struct cairn_detected_list *ret, struct cairn_error *err);

/* "ONNX Runtime 1.30.0, 512x512, 80 labels" */
void searcher_tell(const struct searcher *searcher, char *ret, size_t ret_bytes);

#endif
