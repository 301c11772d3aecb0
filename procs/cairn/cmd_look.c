/* cmd_look.c - what the model is shown: the newest snapshot's text and picture. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "procs/cairn/frame_reader.h"

#define TIMEOUT_S 5.0

/* The newest snapshot's text to standard output, its picture to the open file. */
static bool show(void *ctx, const struct cairn_frame_header *hdr, const void *payload)
{
	FILE *picture = ctx;
	struct cairn_snapshot_head head;
	if (hdr->payload_bytes < sizeof(head))
		return true;
	memcpy(&head, payload, sizeof(head));
	if ((uint64_t)head.text_bytes + head.jpeg_bytes + sizeof(head) > hdr->payload_bytes)
		return true;
	const char *text = (const char *)payload + sizeof(head);
	printf("%.*s\n", (int)head.text_bytes, text);
	fflush(stdout);
	if (head.jpeg_bytes == 0)
		fprintf(stderr, "cairn look: this snapshot has no picture\n");
	else if (fwrite(text + head.text_bytes, 1, head.jpeg_bytes, picture) != head.jpeg_bytes ||
		 fflush(picture) != 0)
		fprintf(stderr, "cairn look: %s\n", strerror(errno));
	return false;
}

int cli_look(const struct cli *cli)
{
	char path[CLI_RUN_DIR_MAX + 32];
	const char *out = cli_value(cli, "out");
	int status = cli_need_stack(cli);
	if (status != CLI_OK)
		return status;
	snprintf(path, sizeof(path), "%s/snapshot.jpg", cli->run_dir);
	out = out != NULL ? out : path;
	FILE *picture = fopen(out, "we");
	if (picture == NULL)
		return cli_fail(cli, CLI_FAILED, "%s: %s", out, strerror(errno));
	cli_catch_signals();
	status = cli_read_frames(cli, CAIRN_FRAME_SNAPSHOT, TIMEOUT_S, show, picture);
	fclose(picture);
	if (status == CLI_OK)
		printf("picture: %s\n", out);
	return status;
}
