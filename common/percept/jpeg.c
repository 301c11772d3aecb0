#include "common/percept/jpeg.h"

#include <stdlib.h>

#include <turbojpeg.h>

struct cairn_jpeg {
	tjhandle handle;
	uint8_t *buf;
	unsigned long capacity;
};

struct cairn_jpeg *cairn_jpeg_new(int width_px, int height_px, struct cairn_error *err)
{
	struct cairn_jpeg *jpeg = calloc(1, sizeof(*jpeg));
	if (jpeg != NULL) {
		jpeg->handle = tjInitCompress();
		jpeg->capacity = tjBufSize(width_px, height_px, TJSAMP_420);
		jpeg->buf = malloc(jpeg->capacity);
	}
	if (jpeg == NULL || jpeg->handle == NULL || jpeg->buf == NULL) {
		cairn_error_set(err, "JPEG of %d x %d pixels: out of memory", width_px, height_px);
		cairn_jpeg_destroy(&jpeg);
	}
	return jpeg;
}

void cairn_jpeg_destroy(struct cairn_jpeg **jpeg_p)
{
	struct cairn_jpeg *jpeg = *jpeg_p;
	if (jpeg == NULL)
		return;
	if (jpeg->handle != NULL)
		tjDestroy(jpeg->handle);
	free(jpeg->buf);
	free(jpeg);
	*jpeg_p = NULL;
}

const uint8_t *cairn_jpeg_encode(struct cairn_jpeg *jpeg, const struct cairn_canvas *canvas, int quality,
    size_t *ret_bytes, struct cairn_error *err)
{
	unsigned long bytes = jpeg->capacity;
	unsigned char *buf = jpeg->buf;
	if (tjCompress2(jpeg->handle, canvas->rgb, canvas->width_px, canvas->stride_bytes, canvas->height_px,
		TJPF_RGB, &buf, &bytes, TJSAMP_420, quality, TJFLAG_NOREALLOC) != 0) {
		cairn_error_set(err, "JPEG: %s", tjGetErrorStr2(jpeg->handle));
		return NULL;
	}
	*ret_bytes = bytes;
	return buf;
}

bool cairn_jpeg_dimensions(const void *jpeg, size_t bytes, uint32_t px_max, uint32_t *ret_width_px,
    uint32_t *ret_height_px, struct cairn_error *err)
{
	int width = 0, height = 0, sampling, space;
	tjhandle handle = tjInitDecompress();
	bool ok = handle != NULL && tjDecompressHeader3(handle, jpeg, (unsigned long)bytes, &width, &height,
					&sampling, &space) == 0;
	if (handle != NULL)
		tjDestroy(handle);
	if (!ok || width < 1 || height < 1 || (uint32_t)width > px_max || (uint32_t)height > px_max) {
		cairn_error_set(err, "no JPEG picture of at most %u x %u pixels", px_max, px_max);
		return false;
	}
	*ret_width_px = (uint32_t)width;
	*ret_height_px = (uint32_t)height;
	return true;
}

bool cairn_jpeg_decode(const void *jpeg, size_t bytes, uint32_t width_px, uint32_t height_px, uint8_t *rgb,
    struct cairn_error *err)
{
	tjhandle handle = tjInitDecompress();
	bool ok = handle != NULL && tjDecompress2(handle, jpeg, (unsigned long)bytes, rgb, (int)width_px,
					(int)width_px * 3, (int)height_px, TJPF_RGB, 0) == 0;
	if (!ok)
		cairn_error_set(err, "JPEG: %s", handle != NULL ? tjGetErrorStr2(handle) : "out of memory");
	if (handle != NULL)
		tjDestroy(handle);
	return ok;
}
