#include "procs/lab/model_worker.h"

#include <errno.h>

static bool send_it(void *ctx, const struct cairn_profile *profile, const char *body, size_t bytes,
    struct cairn_dialog_outcome *ret, struct cairn_error *err)
{
	struct model_worker *w = ctx;
	return model_call_send(w->call, profile, body, bytes, ret, err);
}

static double took_s(void *ctx)
{
	return model_call_took_s(((struct model_worker *)ctx)->call);
}

static bool reserve(void *ctx, struct cairn_error *err)
{
	struct model_worker *w = ctx;
	int refused = model_purse_reserve(w->purse, &w->aside_usd, err);
	w->poor = refused == -EDQUOT;
	return refused == 0;
}

static void spent(void *ctx, double usd)
{
	struct model_worker *w = ctx;
	model_purse_settle(w->purse, w->aside_usd, usd);
}

struct cairn_model_client_model model_worker_model(
    struct model_worker *worker, const char *system, const struct cairn_lineup *lineup)
{
	return (struct cairn_model_client_model){.system = system,
	    .lineup = lineup,
	    .send = send_it,
	    .ctx = worker,
	    .took_s = took_s,
	    .reserve = reserve,
	    .spent = spent};
}
