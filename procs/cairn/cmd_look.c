/* cmd_look.c - what the model is shown: the newest snapshot's text, as it is sent, and pictures. Frontiers, candidates,
 * memory and last actions are added when a question is asked: cairn decisions --prompt has them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/percept/snapshot.h"
#include "common/vlm/prompt.h"
#include "procs/cairn/commands.h"
#include "procs/cairn/frame_reader.h"

#define TIMEOUT_S 5.0
#define PATH_CAP 1024
#define SUFFIX "-above" /* of the second picture's file, in front of what follows the dot */

/* Open before the frames are read: that happens in a child process elsewhere. */
struct pictures {
	FILE *camera, *above;
	FILE *whole; /* NULL: not asked for */
};

static void save(FILE *file, const uint8_t *data, size_t bytes)
{
	if (data != NULL && (fwrite(data, 1, bytes, file) != bytes || fflush(file) != 0))
		fprintf(stderr, "cairn look: %s\n", strerror(errno));
}

/* The newest snapshot's text to standard output, its pictures to their files. */
static bool show(void *ctx, const struct cairn_frame_header *hdr, const void *payload)
{
	struct pictures *pictures = ctx;
	struct cairn_snapshot s;
	struct cairn_error err = {""};
	if (!cairn_snapshot_read(payload, hdr->payload_bytes, &s, &err)) {
		fprintf(stderr, "cairn look: %s\n", err.text);
		return true; /* the next one may be better */
	}
	struct cairn_text told = {0}; /* as the gateway sends it, not as the annotator writes it */
	cairn_prompt_add_view(&told, s.text, s.head.text_bytes);
	printf("%s", told.data != NULL ? told.data : "");
	cairn_text_free(&told);
	fflush(stdout);
	if (s.jpeg == NULL)
		fprintf(stderr, "cairn look: this snapshot has no picture of the camera\n");
	save(pictures->camera, s.jpeg, s.head.jpeg_bytes);
	save(pictures->above, s.view, s.head.view_bytes);
	if (pictures->whole != NULL)
		save(pictures->whole, payload, hdr->payload_bytes);
	return false;
}

/* "a/b.jpg" makes "a/b-above.jpg", "a/b" makes "a/b-above". */
static void name_above(const char *out, char *path, size_t cap)
{
	const char *slash = strrchr(out, '/'), *name = slash != NULL ? slash + 1 : out;
	const char *dot = strrchr(name, '.');
	size_t stem = dot != NULL && dot != name ? (size_t)(dot - out) : strlen(out);
	snprintf(path, cap, "%.*s" SUFFIX "%s", (int)stem, out, out + stem);
}

/* Closes it; a file that nothing was written to goes away. */
static void finish(FILE *file, const char *path, const char *what)
{
	struct stat st;
	bool empty = fstat(fileno(file), &st) == 0 && st.st_size == 0;
	fclose(file);
	if (empty)
		unlink(path);
	else
		printf("%s: %s\n", what, path);
}

int cli_look(const struct cli *cli)
{
	char path[CLI_RUN_DIR_MAX + 32], above[PATH_CAP];
	const char *out = cli_value(cli, "out");
	int status = cli_need_stack(cli);
	if (status != CLI_OK)
		return status;
	snprintf(path, sizeof(path), "%s/snapshot.jpg", cli->run_dir);
	out = out != NULL ? out : path;
	if (strlen(out) + sizeof(SUFFIX) > sizeof(above))
		return cli_fail(
		    cli, CLI_USAGE, "--out: at most %zu characters", sizeof(above) - sizeof(SUFFIX));
	name_above(out, above, sizeof(above));
	struct pictures pictures = {.camera = fopen(out, "we")};
	if (pictures.camera == NULL)
		return cli_fail(cli, CLI_FAILED, "%s: %s", out, strerror(errno));
	pictures.above = fopen(above, "we");
	if (pictures.above == NULL) {
		int reason = errno;
		fclose(pictures.camera);
		return cli_fail(cli, CLI_FAILED, "%s: %s", above, strerror(reason));
	}
	const char *whole = cli_value(cli, "save");
	pictures.whole = whole != NULL ? fopen(whole, "we") : NULL;
	if (whole != NULL && pictures.whole == NULL) {
		int reason = errno;
		fclose(pictures.camera);
		fclose(pictures.above);
		return cli_fail(cli, CLI_FAILED, "%s: %s", whole, strerror(reason));
	}
	cli_catch_signals();
	status = cli_read_frames(cli, CAIRN_FRAME_SNAPSHOT, TIMEOUT_S, show, &pictures);
	finish(pictures.camera, out, "picture");
	finish(pictures.above, above, "picture from above");
	if (whole != NULL)
		finish(pictures.whole, whole, "snapshot");
	return status;
}
