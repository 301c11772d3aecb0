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
