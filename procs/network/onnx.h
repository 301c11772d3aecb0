/* onnx.h - a network in ONNX, run by ONNX Runtime on the processor. The library is loaded at run time by its name or path, it is
 * no part of the build. Of its C interface version 1 is used, which each release since 1.0 has. Blocks while it computes. */
#ifndef CAIRN_PROCS_NETWORK_ONNX_H
#define CAIRN_PROCS_NETWORK_ONNX_H

#include "common/percept/network.h"

struct onnx;

struct onnx_options {
	const char *library; /* "libonnxruntime.so.1", or a path */
	const char *model;   /* file */
	int threads;
	uint32_t size_px; /* of each side that the model leaves open */
};

/* Loads library and model. The model has one input, [1, 3, height, width] or [1, height, width, 3] of 32-bit reals, and up to
 * CAIRN_NETWORK_TENSORS outputs of 32-bit reals. NULL with the reason. */
struct onnx *onnx_open(const struct onnx_options *options, struct cairn_error *err);
void onnx_close(struct onnx **onnx_p);

/* Size and layout of the input; letterbox and white are the caller's to fill in. */
struct cairn_network_input onnx_input(const struct onnx *onnx);
const char *onnx_version(const struct onnx *onnx);

/* One picture. *ret: the outputs, valid until the next call. False with the reason. */
bool onnx_run(struct onnx *onnx, float *picture, const struct cairn_network_tensor **ret, uint32_t *ret_count,
    struct cairn_error *err);

#endif
