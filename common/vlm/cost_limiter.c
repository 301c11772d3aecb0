#include "common/vlm/cost_limiter.h"

#include <math.h>

#include "common/base/geom.h"

#define SAVED_MAX_S 60.0
#define DEBT_MAX_S 600.0
#define TEXT_SHARE 0.2     /* of the newest call in the mean of what text costs */
#define ORDINARY_TIMES 2.0 /* the price must be there so often for a picture that is no news of its own */

static void advance(struct cairn_cost_limiter *pace, int64_t now_ns)
{
	double usd_per_s = pace->usd_per_hour / 3600.0;
	double elapsed_s =
	    pace->t_ns != 0 && now_ns > pace->t_ns ? (double)(now_ns - pace->t_ns) * 1e-9 : 0.0;
	pace->saved_usd = cairn_clamp(
	    pace->saved_usd + elapsed_s * usd_per_s, -DEBT_MAX_S * usd_per_s, SAVED_MAX_S * usd_per_s);
	pace->t_ns = now_ns;
}

static bool is_news(enum cairn_trigger trigger)
{
	return trigger == CAIRN_TRIGGER_DOORWAY || trigger == CAIRN_TRIGGER_INTERSECTION ||
	       trigger == CAIRN_TRIGGER_DEAD_END || trigger == CAIRN_TRIGGER_BLOCKED ||
	       trigger == CAIRN_TRIGGER_OPERATOR;
}

bool cairn_cost_limiter_allows(
    struct cairn_cost_limiter *pace, double price_usd, enum cairn_trigger trigger, int64_t now_ns)
{
	advance(pace, now_ns);
	double needed_usd = price_usd * (is_news(trigger) ? 1.0 : ORDINARY_TIMES);
	bool cheap = pace->text_usd > 0.0 && price_usd <= pace->text_usd;
	bool allowed = pace->usd_per_hour <= 0.0 || !(price_usd > 0.0) || !pace->shown || cheap ||
		       pace->saved_usd >= needed_usd;
	pace->shown = pace->shown || allowed;
	pace->price_usd = allowed ? price_usd : 0.0;
	return allowed;
}

void cairn_cost_limiter_spend(struct cairn_cost_limiter *pace, double usd, int64_t now_ns)
{
	advance(pace, now_ns);
	pace->saved_usd -= fmax(usd, 0.0);
	double text_usd = fmax(usd - pace->price_usd, 0.0);
	pace->text_usd =
	    pace->text_usd > 0.0 ? pace->text_usd + TEXT_SHARE * (text_usd - pace->text_usd) : text_usd;
	pace->price_usd = 0.0;
}
