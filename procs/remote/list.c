/* list.c - who is let in: the list of keys, read anew once a second, and what connections show (ZAP). */
#include "procs/remote/remote.h"

static void on_connection(void *ctx, const char *address, const char *name, const char *reason)
{
	struct remote *r = ctx;
	if (reason != NULL)
		remote_refused(r, address, reason);
	else
		cairn_log_info("key %s is connected from %s", name, address);
}

static int on_zap(void *ctx)
{
	struct remote *r = ctx;
	cairn_zap_serve(r->zap);
	return 0;
}

/* Read anew once a second whatever its stamps say: it is small, and a change within the grain of the clock counts too. */
static bool read_list(struct remote *r)
{
	struct cairn_error err = {""};
	struct cairn_allow list = {0};
	enum cairn_allow_state state = cairn_allow_read(r->cfg->remote.allow_file, &list, &err);
	cairn_stage_tried(r->stage, "let operators in", state == CAIRN_ALLOW_NOBODY ? err.text : NULL);
	cairn_stage_tried(
	    r->stage, "take more than stops", state == CAIRN_ALLOW_UNREADABLE ? err.text : NULL);
	return cairn_allow_take(&r->allow, state, &list);
}

/* Every key's measure begins anew. */
static void open_gate(struct remote *r)
{
	cairn_remote_gate_init(&r->gate, &r->allow, r->cfg->remote.commands_per_s,
	    r->cfg->remote.files_kb_per_s * 1e3 / CAIRN_REMOTE_PIECE_BYTES);
}

int list_on_second(void *ctx)
{
	struct remote *r = ctx;
	if (!read_list(r))
		return 0;
	open_gate(r);
	watchers_reset(r);
	cairn_log_info("the list of keys has changed: %d are let in%s", r->allow.count,
	    r->allow.stops_only ? ", for stops only" : "");
	return 0;
}

bool list_open(struct remote *r, struct cairn_error *err)
{
	if (!cairn_key_load(r->cfg->remote.key_file, true, &r->key, err))
		return false;
	(void)read_list(r); /* without one nobody is let in, until there is one */
	open_gate(r);
	r->zap = cairn_zap_new(r->zmq, &r->allow, on_connection, r, err);
	if (r->zap == NULL)
		return false;
	cairn_stage_watch_socket(r->stage, cairn_zap_socket(r->zap), on_zap, r);
	return true;
}
