/* cmd_recording.c - what a recording holds, and whether it is whole; a whole copy of one that was cut off. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/whole_io.h"
#include "common/mcap/mcap_reader.h"
#include "common/mcap/mcap_writer.h"
#include "common/record/message_recorder.h"
#include "procs/cairn/commands.h"

#define CHANNELS 65536

struct contents {
	char *topics[CHANNELS]; /* by channel */
	bool left_out[CHANNELS];
	uint64_t messages[CHANNELS], total, first_ns, last_ns;
};

static bool to_file(void *ctx, const void *data, size_t bytes)
{
	return cairn_write_whole(*(const int *)ctx, data, bytes);
}

static void count(struct contents *c, const struct cairn_mcap_read *got)
{
	if (got->item == CAIRN_MCAP_ITEM_CHANNEL) {
		free(c->topics[got->channel.id]);
		c->topics[got->channel.id] =
		    cli_printable(strndup((const char *)got->channel.topic.data, got->channel.topic.bytes));
	} else if (got->item == CAIRN_MCAP_ITEM_MESSAGE) {
		uint64_t t_ns = got->message.log_time_ns;
		c->first_ns = c->total == 0 || t_ns < c->first_ns ? t_ns : c->first_ns;
		c->last_ns = t_ns > c->last_ns ? t_ns : c->last_ns;
		c->messages[got->message.channel_id]++;
		c->total++;
	}
}

/* A view as a text of its own. */
static char *text(struct cairn_mcap_bytes b)
{
	return strndup(b.data != NULL ? (const char *)b.data : "", b.bytes);
}

static bool copy_channel(struct cairn_mcap_writer *out, const struct cairn_mcap_channel_view *v)
{
	struct cairn_mcap_pair pairs[32];
	uint32_t count = 0;
	struct cairn_mcap_bytes map = v->metadata, key, value;
	while (count < 32 && cairn_mcap_pair_next(&map, &key, &value))
		pairs[count++] = (struct cairn_mcap_pair){text(key), text(value)};
	char *topic = text(v->topic), *encoding = text(v->message_encoding);
	bool good = cairn_mcap_writer_channel(
	    out, &(struct cairn_mcap_channel){v->id, v->schema_id, topic, encoding, pairs, count});
	for (uint32_t i = 0; i < count; i++) {
		free((void *)(uintptr_t)pairs[i].key);
		free((void *)(uintptr_t)pairs[i].value);
	}
	free(topic);
	free(encoding);
	return good;
}

static bool is(struct cairn_mcap_bytes b, const char *text)
{
	return b.bytes == strlen(text) && memcmp(b.data, text, b.bytes) == 0;
}

/* rosbag2 opens no file in which not all channels are of one encoding. */
static bool is_of_ros2(struct contents *c, const struct cairn_mcap_read *got)
{
	if (got->item == CAIRN_MCAP_ITEM_CHANNEL)
		c->left_out[got->channel.id] = !is(got->channel.message_encoding, "cdr");
	return got->item == CAIRN_MCAP_ITEM_SCHEMA    ? is(got->schema.encoding, "ros2msg")
	       : got->item == CAIRN_MCAP_ITEM_CHANNEL ? !c->left_out[got->channel.id]
	       : got->item == CAIRN_MCAP_ITEM_MESSAGE ? !c->left_out[got->message.channel_id]
						      : true;
}

static bool copy(struct cairn_mcap_writer *out, const struct contents *c, const struct cairn_mcap_read *got)
{
	struct cairn_mcap_pair pairs[32];
	uint32_t count = 0;
	struct cairn_mcap_bytes map, key, value;
	char *name, *other;
	bool good = true;
	switch (got->item) {
	case CAIRN_MCAP_ITEM_SCHEMA:
		name = text(got->schema.name);
		other = text(got->schema.encoding);
		good = cairn_mcap_writer_schema(
		    out, &(struct cairn_mcap_schema){got->schema.id, name, other, got->schema.data});
		break;
	case CAIRN_MCAP_ITEM_CHANNEL: /* may be repeated in later chunks */
		return c->topics[got->channel.id] != NULL || copy_channel(out, &got->channel);
	case CAIRN_MCAP_ITEM_MESSAGE:
		return cairn_mcap_writer_message(out, &got->message);
	case CAIRN_MCAP_ITEM_ATTACHMENT:
		name = text(got->attachment.name);
		other = text(got->attachment.media_type);
		good = cairn_mcap_writer_attachment(
		    out, &(struct cairn_mcap_attachment){got->attachment.log_time_ns,
			     got->attachment.create_time_ns, name, other, got->attachment.data});
		break;
	case CAIRN_MCAP_ITEM_METADATA:
		name = text(got->metadata.name);
		other = NULL;
		map = got->metadata.pairs;
		while (count < 32 && cairn_mcap_pair_next(&map, &key, &value))
			pairs[count++] = (struct cairn_mcap_pair){text(key), text(value)};
		good = cairn_mcap_writer_metadata(out, name, pairs, count);
		for (uint32_t i = 0; i < count; i++) {
			free((void *)(uintptr_t)pairs[i].key);
			free((void *)(uintptr_t)pairs[i].value);
		}
		break;
	default:
		return true;
	}
	free(name);
	free(other);
	return good;
}

static void print_contents(const struct cli *cli, const struct contents *c, enum cairn_mcap_item end)
{
	const char *state = end == CAIRN_MCAP_ITEM_END   ? "whole"
			    : end == CAIRN_MCAP_ITEM_CUT ? "cut"
							 : "damaged";
	if (cli->json) {
		printf("{\"file\":");
		cli_print_json_string(stdout, cli->args[0]);
		printf(",\"state\":\"%s\",\"messages\":%" PRIu64
		       ",\"start_s\":%.3f,\"end_s\":%.3f,\"topics\":{",
		    state, c->total, (double)c->first_ns * 1e-9, (double)c->last_ns * 1e-9);
		const char *comma = "";
		for (int i = 0; i < CHANNELS; i++) {
			if (c->topics[i] == NULL)
				continue;
			printf("%s", comma);
			cli_print_json_string(stdout, c->topics[i]);
			printf(":%" PRIu64, c->messages[i]);
			comma = ",";
		}
		printf("}}\n");
		return;
	}
	time_t begin = (time_t)(c->first_ns / 1000000000u);
	struct tm local;
	char when[64] = "";
	if (c->total > 0 && localtime_r(&begin, &local) != NULL)
		strftime(when, sizeof(when), " from %Y-%m-%d %H:%M:%S", &local);
	printf("%s: %s, %" PRIu64 " messages%s, %.1f s\n", cli->args[0], state, c->total, when,
	    (double)(c->last_ns - c->first_ns) * 1e-9);
	for (int i = 0; i < CHANNELS; i++) {
		if (c->topics[i] != NULL)
			printf("  %-32s %" PRIu64 "\n", c->topics[i], c->messages[i]);
	}
}

/* Reads the recording to its end, and copies it where out is given: all, or the messages of ROS 2 alone. What the file ended with;
 * *ret_copied: all that was to be. */
static enum cairn_mcap_item read_all(struct cairn_mcap_reader *in, struct cairn_mcap_writer *out, bool ros2,
    struct contents *c, bool *ret_copied, struct cairn_error *err)
{
	struct cairn_mcap_read got;
	*ret_copied = true;
	for (;;) {
		cairn_mcap_reader_next(in, &got, err);
		if (got.item <= CAIRN_MCAP_ITEM_DAMAGED)
			return got.item;
		if (out != NULL && *ret_copied && (!ros2 || is_of_ros2(c, &got)))
			*ret_copied = copy(out, c, &got);
		count(c, &got);
	}
}

static int open_out(const struct cli *cli, const char *path, int *ret_fd, struct cairn_mcap_writer **ret)
{
	const struct cairn_mcap_options options = {.profile = "ros2",
	    .library = "cairn " CAIRN_VERSION,
	    .chunk_bytes = CAIRN_RECORD_CHUNK_BYTES,
	    .zstd_level = 1,
	    .parts = CAIRN_MCAP_WITH_EVERYTHING};
	*ret_fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (*ret_fd < 0)
		return cli_fail(cli, CLI_USAGE, "%s: %s", path, strerror(errno));
	*ret = cairn_mcap_writer_new(&options, to_file, ret_fd);
	return *ret != NULL ? CLI_OK : cli_fail(cli, CLI_FAILED, "%s: %s", path, strerror(errno));
}

/* The verdict on what was read and copied. */
static int conclude(const struct cli *cli, enum cairn_mcap_item end, const struct cairn_error *why,
    const char *repair, struct cairn_mcap_writer *out, bool copied)
{
	if (repair != NULL && (!copied || !cairn_mcap_writer_finish(out)))
		return cli_fail(cli, CLI_FAILED, "%s: %s", repair, strerror(errno));
	if (repair != NULL)
		return CLI_OK;
	if (end == CAIRN_MCAP_ITEM_END)
		return CLI_OK;
	return cli_fail(cli, CLI_FAILED,
	    "%s: %s; 'cairn record %s --repair' makes what can be read a whole file", cli->args[0], why->text,
	    cli->args[0]);
}

/* Reads it to the end and tells what it holds; with repair, a path that is not there, what can be read is written there, or what of it
 * is of ROS 2. */
static int examine(const struct cli *cli, const char *repair, bool ros2, enum cairn_mcap_item *ret_end)
{
	struct cairn_error err = {""};
	struct stat st = {0};
	int fd = cairn_file_open(cli->args[0], 0, &err), out_fd = -1;
	*ret_end = CAIRN_MCAP_ITEM_DAMAGED;
	if (fd < 0)
		return cli_fail(cli, CLI_USAGE, "%s", err.text);
	(void)fstat(fd, &st);
	struct cairn_mcap_reader *in =
	    cairn_mcap_reader_new(cairn_mcap_read_fd, &fd, (uint64_t)st.st_size, &err);
	struct contents *c = calloc(1, sizeof(*c));
	struct cairn_mcap_writer *out = NULL;
	int status = in == NULL       ? cli_fail(cli, CLI_USAGE, "%s: %s", cli->args[0], err.text)
		     : c == NULL      ? cli_fail(cli, CLI_FAILED, "out of memory")
		     : repair != NULL ? open_out(cli, repair, &out_fd, &out)
				      : CLI_OK;
	if (status == CLI_OK) {
		bool copied;
		struct cairn_mcap_summary summary;
		enum cairn_mcap_item end = read_all(in, out, ros2, c, &copied, &err);
		if (end == CAIRN_MCAP_ITEM_END && !cairn_mcap_reader_summary(in, &summary, &err))
			end = CAIRN_MCAP_ITEM_CUT; /* behind its data */
		print_contents(cli, c, end);
		status = conclude(cli, end, &err, repair, out, copied);
		*ret_end = end;
	}
	for (int i = 0; c != NULL && i < CHANNELS; i++)
		free(c->topics[i]);
	free(c);
	cairn_mcap_writer_destroy(&out);
	cairn_mcap_reader_destroy(&in);
	close(fd);
	if (out_fd >= 0 && (fsync(out_fd) != 0 || close(out_fd) != 0) && status == CLI_OK)
		status = cli_fail(cli, CLI_FAILED, "%s: %s", repair, strerror(errno));
	return status;
}

int cli_recording(const struct cli *cli)
{
	enum cairn_mcap_item end;
	const char *repair = cli_value(cli, "repair"), *ros2 = cli_value(cli, "ros2");
	if (repair != NULL && ros2 != NULL)
		return cli_fail(cli, CLI_USAGE, "--repair writes all of it and --ros2 a part: one of them");
	int status = examine(cli, ros2 != NULL ? ros2 : repair, ros2 != NULL, &end);
	if (ros2 != NULL && status == CLI_OK)
		fprintf(stderr, "cairn recording: %s holds its messages of ROS 2\n", ros2);
	if (repair != NULL && status == CLI_OK)
		fprintf(stderr, "cairn recording: %s holds everything up to there, with an index\n", repair);
	return status;
}

int cli_repair(const struct cli *cli)
{
	char beside[4096];
	enum cairn_mcap_item end;
	int n = snprintf(beside, sizeof(beside), "%s.repaired", cli->args[0]);
	if (cli->arg_count > 1 || n < 0 || (size_t)n >= sizeof(beside))
		return cli_fail(cli, CLI_USAGE, "--repair takes one file");
	int status = examine(cli, beside, false, &end);
	if (status == CLI_OK && end == CAIRN_MCAP_ITEM_END) {
		fprintf(stderr, "cairn record: %s is whole; nothing to repair\n", cli->args[0]);
		(void)unlink(beside);
	} else if (status == CLI_OK && rename(beside, cli->args[0]) != 0) {
		status = cli_fail(cli, CLI_FAILED, "%s: %s", cli->args[0], strerror(errno));
	} else if (status == CLI_OK) {
		fprintf(stderr,
		    "cairn record: %s is whole now: everything that could be read, and an index\n",
		    cli->args[0]);
	}
	return status;
}
