#include "procs/gateway/sent.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"

#define THINNED_TO 0.8 /* of the quota, so that not every picture walks the folder */

/* Their names are rising numbers: the shorter is the older, then by the alphabet. */
static int by_age(const struct dirent **a, const struct dirent **b)
{
	size_t m = strspn((*a)->d_name, "0123456789"), n = strspn((*b)->d_name, "0123456789");
	return m != n ? (m < n ? -1 : 1) : strcmp((*a)->d_name, (*b)->d_name);
}

static int is_picture(const struct dirent *entry)
{
	return strstr(entry->d_name, ".jpg") != NULL;
}

/* Removes the oldest until at most bytes_max are left; what is left. */
static double thin_out(const char *folder, double bytes_max)
{
	struct dirent **list = NULL;
	struct stat st;
	double sum = 0.0;
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int count = fd >= 0 ? scandir(folder, &list, is_picture, by_age) : 0;
	for (int i = count; i-- > 0;) {
		if (fstatat(fd, list[i]->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
			sum += (double)st.st_size;
		if (sum > bytes_max && unlinkat(fd, list[i]->d_name, 0) == 0)
			sum -= (double)st.st_size;
		free(list[i]);
	}
	free(list);
	if (fd >= 0)
		close(fd);
	return sum;
}

void sent_init(struct sent *sent, const char *folder, double quota_bytes)
{
	*sent = (struct sent){.quota_bytes = quota_bytes};
	snprintf(sent->folder, sizeof(sent->folder), "%.390s", folder);
	sent->bytes = thin_out(sent->folder, quota_bytes);
}

static bool keep(struct sent *sent, uint64_t id, const char *suffix, const char *data, size_t bytes,
    struct cairn_error *err)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/%" PRIu64 "%s.jpg", sent->folder, id, suffix);
	if ((double)bytes > THINNED_TO * sent->quota_bytes)
		return true; /* one that would push out all others */
	if (sent->bytes + (double)bytes > sent->quota_bytes)
		sent->bytes = thin_out(sent->folder, THINNED_TO * sent->quota_bytes - (double)bytes);
	if (!cairn_file_replace(path, CAIRN_FILE_NO_SYNC, 0644, data, bytes, err))
		return false;
	sent->bytes += (double)bytes;
	return true;
}

bool sent_keep(
    struct sent *sent, uint64_t decision_id, const struct cairn_dialog_question *q, struct cairn_error *err)
{
	if (!q->pictures || q->head->jpeg_bytes == 0 || sent->quota_bytes <= 0.0)
		return true;
	if (mkdir(sent->folder, 0755) != 0 && errno != EEXIST) {
		cairn_error_set(err, "%s: %s", sent->folder, strerror(errno));
		return false;
	}
	const char *jpeg = q->parts + q->head->text_bytes, *above = jpeg + q->head->jpeg_bytes;
	return keep(sent, decision_id, "", jpeg, q->head->jpeg_bytes, err) &&
	       (!q->view || q->head->view_bytes == 0 ||
		   keep(sent, decision_id, "-above", above, q->head->view_bytes, err));
}
