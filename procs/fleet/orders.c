#include "procs/fleet/orders.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"

#define RECORD_BYTES_MAX (1024 * 1024)

/* Keep, send, then give what is to be done. */
int orders_flush(void *ctx)
{
	struct fleet_stage *s = ctx;
	struct cairn_fleet_command c;
	char report[256];
	robot_link_flush(&s->link);
	while (cairn_fleet_next_command(s->fleet, &c)) {
		enum cairn_service service = cairn_commands[c.command].service;
		bool mapper = service == CAIRN_SERVICE_MAPPER_CTL;
		int code =
		    cairn_client_send(mapper ? s->mapper_client : s->operator_client, c.tag, &c.request);
		if (code != 0) {
			char why[64];
			snprintf(
			    why, sizeof(why), "the stage %s is not there", cairn_services[service].stage);
			cairn_fleet_replied(s->fleet, c.tag, false, why, cairn_now_ns());
		}
		cairn_log_info("%s %s(%.2f, %.2f)%s%s", c.request.verb, c.request.arg, c.request.x_m,
		    c.request.y_m, code != 0 ? ": " : "", code != 0 ? strerror(-code) : "");
	}
	if (cairn_fleet_next_report(s->fleet, report, sizeof(report)))
		cairn_log_info("%s", report);
	robot_link_flush(&s->link);
	return 0;
}

static void take_replies(struct fleet_stage *s, struct cairn_client *client)
{
	struct cairn_msg_reply reply;
	uint64_t tag;
	while (cairn_client_recv(client, &tag, &reply) == 1)
		cairn_fleet_replied(s->fleet, tag, reply.ok, reply.text, cairn_now_ns());
}

int orders_on_reply(void *ctx)
{
	struct fleet_stage *s = ctx;
	take_replies(s, s->operator_client);
	take_replies(s, s->mapper_client);
	return orders_flush(s);
}

/* An order of before is gone on with. */
bool orders_resume(struct fleet_stage *s, struct cairn_error *err)
{
	cairn_stage_state_path(s->stage, "fleet.json", s->path, sizeof(s->path));
	struct cairn_error why = {""};
	char *record =
	    cairn_file_read(s->path, CAIRN_FILE_OWN | CAIRN_FILE_TEXT, RECORD_BYTES_MAX, NULL, &why);
	if (record == NULL && errno != ENOENT) {
		cairn_error_set(err, "%.300s", why.text);
		return false;
	}
	s->fleet = cairn_fleet_new(s->cfg, record, &why);
	free(record);
	if (s->fleet == NULL)
		cairn_error_set(err, "%s: %.300s", s->path, why.text);
	return s->fleet != NULL;
}
