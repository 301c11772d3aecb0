/* topic_reader.h - one topic of a running stack, here or of a robot elsewhere (--connect), for the commands that follow it. */
#ifndef CAIRN_PROCS_CAIRN_TOPIC_READER_H
#define CAIRN_PROCS_CAIRN_TOPIC_READER_H

#include "procs/cli/cli.h"

struct topic_reader {
	struct cairn_bus *bus;
	struct cairn_sub *sub;
	struct cairn_remote *remote; /* NULL: here */
	const struct cairn_topic_row *row;
	void *msg; /* newest */
};

/* CLI_OK, or a status after a message. */
int topic_reader_open(const struct cli *cli, const char *name, struct topic_reader *r);
void topic_reader_close(struct topic_reader *r);
/* Waits for the next message until end_ns. 1 taken, 0 the time is up or a signal came, -EACCES a robot elsewhere refuses. */
int topic_reader_next(struct topic_reader *r, int64_t end_ns, struct cairn_header *hdr);
/* The status of such a refusal, after a message. */
int topic_reader_refused(const struct cli *cli);

#endif
