#include "common/record/rgbd_frames.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/percept/jpeg.h"
#include "common/record/png16.h"

#define FILE_BYTES_MAX (64u << 20)
#define PX_MAX 4096
#define UNKNOWN_DEPTH 65535

static int is_colour(const struct dirent *e)
{
	unsigned number;
	int end = 0;
	return sscanf(e->d_name, "frame-%6u.color.jpg%n", &number, &end) == 1 && end == 22 &&
	       e->d_name[end] == '\0';
}

int cairn_rgbd_list(const char *folder, unsigned **ret_numbers, struct cairn_error *err)
{
	struct dirent **list = NULL;
	int count = scandir(folder, &list, is_colour, alphasort);
	*ret_numbers = count > 0 ? calloc((size_t)count, sizeof(**ret_numbers)) : NULL;
	if (count <= 0)
		cairn_error_set(err, "%.200s: %s", folder,
		    count < 0 ? strerror(errno) : "no frame-NNNNNN.color.jpg is in it");
	else if (*ret_numbers == NULL)
		cairn_error_set(err, "out of memory");
	for (int i = 0; i < count; i++) {
		if (*ret_numbers != NULL)
			(void)sscanf(list[i]->d_name, "frame-%6u", &(*ret_numbers)[i]);
		free(list[i]);
	}
	free(list);
	return *ret_numbers != NULL ? count : 0;
}

static char *part(
    const char *folder, unsigned number, const char *ending, size_t *bytes, struct cairn_error *err)
{
	char path[1024];
	snprintf(path, sizeof(path), "%.900s/frame-%06u.%s", folder, number, ending);
	return cairn_file_read(path, 0, FILE_BYTES_MAX, bytes, err);
}

static bool read_pose(const char *folder, unsigned number, double ret[4][4], struct cairn_error *err)
{
	size_t bytes;
	char *text = part(folder, number, "pose.txt", &bytes, err), *at = text;
	if (text == NULL)
		return false;
	bool good = true;
	for (int i = 0; good && i < 16; i++) {
		char *end;
		ret[i / 4][i % 4] = strtod(at, &end);
		good = end != at && isfinite(ret[i / 4][i % 4]);
		at = end;
	}
	if (!good)
		cairn_error_set(err, "frame-%06u.pose.txt: no 4x4 matrix", number);
	free(text);
	return good;
}

static bool read_colour(
    const char *folder, unsigned number, struct cairn_rgbd_frame *f, struct cairn_error *err)
{
	size_t bytes;
	char *jpeg = part(folder, number, "color.jpg", &bytes, err);
	bool good =
	    jpeg != NULL && cairn_jpeg_dimensions(jpeg, bytes, PX_MAX, &f->width_px, &f->height_px, err);
	f->rgb = good ? malloc(3 * (size_t)f->width_px * f->height_px) : NULL;
	good = f->rgb != NULL && cairn_jpeg_decode(jpeg, bytes, f->width_px, f->height_px, f->rgb, err);
	free(jpeg);
	return good;
}

static bool read_depth(
    const char *folder, unsigned number, struct cairn_rgbd_frame *f, struct cairn_error *err)
{
	size_t bytes;
	char *png = part(folder, number, "depth.png", &bytes, err);
	f->depth_mm = png != NULL
			  ? record_png16(png, bytes, PX_MAX, &f->depth_width_px, &f->depth_height_px, err)
			  : NULL;
	free(png);
	if (f->depth_mm == NULL)
		return false;
	for (size_t i = 0; i < (size_t)f->depth_width_px * f->depth_height_px; i++)
		f->depth_mm[i] = f->depth_mm[i] == UNKNOWN_DEPTH ? 0 : f->depth_mm[i];
	return true;
}

bool cairn_rgbd_read(
    const char *folder, unsigned number, struct cairn_rgbd_frame *ret, struct cairn_error *err)
{
	*ret = (struct cairn_rgbd_frame){.width_px = 0};
	if (read_pose(folder, number, ret->pose, err) && read_colour(folder, number, ret, err) &&
	    read_depth(folder, number, ret, err))
		return true;
	cairn_rgbd_free(ret);
	return false;
}

void cairn_rgbd_free(struct cairn_rgbd_frame *f)
{
	free(f->rgb);
	free(f->depth_mm);
	f->rgb = NULL;
	f->depth_mm = NULL;
}
