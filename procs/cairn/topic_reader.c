/* topic_reader.c - see topic_reader.h. */
#include "procs/cairn/topic_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <zmq.h>

#include "common/base/geom.h"

static int no_such_topic(const struct cli *cli, const char *name)
{
	return cli_fail(cli, CLI_USAGE, "there is no topic '%s'; 'cairn topics' lists them", name);
}

int topic_reader_refused(const struct cli *cli)
{
	return cli_fail(
	    cli, CLI_FAILED, "the robot refuses the key: it is not on its list, or may not watch");
}

void topic_reader_close(struct topic_reader *r)
{
	cairn_bus_destroy(&r->bus);
	cairn_remote_close(&r->remote);
	free(r->msg);
}

int topic_reader_open(const struct cli *cli, const char *name, struct topic_reader *r)
{
	struct cairn_error err = {""};
	const char *instance = NULL;
	int topic = cairn_topic_of(name, &instance);
	*r = (struct topic_reader){.bus = NULL};
	if (topic < 0 && cairn_topic_find(name) >= 0)
		return cli_fail(cli, CLI_USAGE, "every %s has its own %s: %s.%s",
		    cairn_topic_is_declared(&cairn_topics[cairn_topic_find(name)]) ? "program outside"
										   : "stage",
		    name, name,
		    cairn_topic_is_declared(&cairn_topics[cairn_topic_find(name)]) ? "NAME" : "STAGE");
	if (topic < 0)
		return no_such_topic(cli, name);
	int status = CLI_OK;
	if (cli->connect == NULL)
		status = cli_need_stack(cli);
	else
		r->remote = cli_connect(cli, &status);
	if (status != CLI_OK)
		return status;
	r->row = &cairn_topics[topic];
	r->msg = calloc(1, r->row->desc->size);
	if (r->remote != NULL && r->msg != NULL && cairn_remote_watch(r->remote, name, &err))
		return CLI_OK;
	r->bus = r->remote == NULL && r->msg != NULL ? cairn_bus_new(cli->run_dir, &err) : NULL;
	r->sub = r->bus != NULL ? cairn_sub_new(r->bus, (enum cairn_topic)topic, instance, &err) : NULL;
	if (r->sub == NULL) {
		topic_reader_close(r);
		return cli_fail(cli, CLI_FAILED, "%s", err.text[0] != '\0' ? err.text : "out of memory");
	}
	if (!cli_bus_bound(cli->run_dir, name))
		fprintf(stderr, "cairn %s: nobody publishes %s yet; waiting\n", cli->command->name, name);
	return CLI_OK;
}

static int next_there(struct topic_reader *r, int64_t end_ns, struct cairn_header *hdr)
{
	char name[CAIRN_KEY_TEXT];
	while (!cli_interrupted()) {
		const void *bytes = NULL;
		int64_t left_ns = end_ns - cli_now_ns();
		if (left_ns <= 0)
			return 0;
		int n = cairn_remote_recv(r->remote, name, &bytes,
		    left_ns < 200 * CAIRN_NS_PER_MS ? (int)(left_ns / CAIRN_NS_PER_MS) + 1 : 200);
		if (n < 0)
			return n;
		if (n > 0 && cairn_msg_decode(r->row->desc, bytes, (size_t)n, hdr, r->msg, NULL) == 0)
			return 1;
	}
	return 0;
}

int topic_reader_next(struct topic_reader *r, int64_t end_ns, struct cairn_header *hdr)
{
	if (r->remote != NULL)
		return next_there(r, end_ns, hdr);
	zmq_pollitem_t item = {.socket = cairn_sub_socket(r->sub), .events = ZMQ_POLLIN};
	while (!cli_interrupted()) {
		if (cairn_sub_recv(r->sub, r->msg, hdr) == 1)
			return 1;
		int64_t left_ns = end_ns - cli_now_ns();
		if (left_ns <= 0)
			return 0;
		long ms = (long)(left_ns / CAIRN_NS_PER_MS) + 1;
		(void)zmq_poll(
		    &item, 1, ms < 500 ? ms : 500); /* woken now and then for a signal that came in between */
	}
	return 0;
}
