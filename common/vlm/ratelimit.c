#include "common/vlm/ratelimit.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define WAIT_MAX_S 3600.0

void cairn_ratelimit_init(struct cairn_ratelimit *limit)
{
	*limit = (struct cairn_ratelimit){.retry_after_s = -1.0};
	limit->requests.wait_s = limit->tokens.wait_s = -1.0;
}

double cairn_go_duration_s(const char *text)
{
	static const struct {
		const char *unit;
		double s;
	} units[] = {{"ms", 1e-3}, {"us", 1e-6}, {"h", 3600.0}, {"m", 60.0}, {"s", 1.0}};
	double sum = 0.0;
	const char *at = text;
	while (isdigit((unsigned char)*at)) {
		char *end;
		double value = strtod(at, &end);
		size_t u = 0;
		while (u < 5 && strncmp(end, units[u].unit, strlen(units[u].unit)) != 0)
			u++;
		if (u == 5)
			return -1.0;
		sum += value * units[u].s;
		at = end + strlen(units[u].unit);
	}
	return at == text || *at != '\0' || !(sum < 1e9) ? -1.0 : sum;
}

static double until(struct tm *at, int64_t now_unix_s)
{
	double wait_s = (double)((int64_t)timegm(at) - now_unix_s);
	return wait_s >= 0.0 ? wait_s : 0.0;
}

/* "2026-01-01T00:00:30Z" */
static double rfc3339_wait_s(const char *text, int64_t now_unix_s)
{
	struct tm at = {0};
	const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &at);
	return end != NULL && (*end == 'Z' || *end == '.' || *end == '+' || *end == '-')
		   ? until(&at, now_unix_s)
		   : -1.0;
}

/* Seconds, or an HTTP date. */
static double retry_after_s(const char *text, int64_t now_unix_s)
{
	char *end;
	double value = strtod(text, &end);
	struct tm at = {0};
	if (end != text)
		return value >= 0.0 && value < 1e7 ? value : -1.0;
	return strptime(text, "%a, %d %b %Y %H:%M:%S GMT", &at) != NULL ? until(&at, now_unix_s) : -1.0;
}

static void take(struct cairn_ratelimit *limit, const char *name, const char *value, int64_t now_unix_s)
{
	bool openai = strncmp(name, "x-ratelimit-", 12) == 0;
	bool anthropic = strncmp(name, "anthropic-ratelimit-", 20) == 0;
	if (strcmp(name, "retry-after-ms") == 0) {
		double ms = retry_after_s(value, now_unix_s);
		limit->retry_in_ms = ms >= 0.0;
		limit->retry_after_s = ms >= 0.0 ? ms * 1e-3 : limit->retry_after_s;
	} else if (strcmp(name, "retry-after") == 0 && !limit->retry_in_ms) {
		limit->retry_after_s = retry_after_s(value, now_unix_s);
	} else if (openai || anthropic) {
		bool tokens = strstr(name, "tokens") != NULL;
		/* Some compatible services say -1 for "no limit": only a plain 0 is none left. */
		bool zero = strcmp(value, "0") == 0;
		if (strstr(name, "-remaining") != NULL)
			*(tokens ? &limit->tokens.spent : &limit->requests.spent) |= zero;
		else if (strstr(name, "-reset") != NULL)
			*(tokens ? &limit->tokens.wait_s : &limit->requests.wait_s) =
			    openai ? cairn_go_duration_s(value) : rfc3339_wait_s(value, now_unix_s);
	}
}

void cairn_ratelimit_header(struct cairn_ratelimit *limit, const char *line, size_t count, int64_t now_unix_s)
{
	char text[192];
	size_t n = count < sizeof(text) - 1 ? count : sizeof(text) - 1;
	memcpy(text, line, n);
	text[n] = '\0';
	while (n > 0 && isspace((unsigned char)text[n - 1]))
		text[--n] = '\0';
	char *colon = strchr(text, ':');
	if (colon == NULL)
		return;
	*colon = '\0';
	for (char *c = text; c < colon; c++)
		*c = (char)tolower((unsigned char)*c);
	colon++;
	take(limit, text, colon + strspn(colon, " \t"), now_unix_s);
}

double cairn_ratelimit_wait_s(const struct cairn_ratelimit *limit)
{
	double wait_s = 0.0;
	if (limit->requests.spent && limit->requests.wait_s > wait_s)
		wait_s = limit->requests.wait_s;
	if (limit->tokens.spent && limit->tokens.wait_s > wait_s)
		wait_s = limit->tokens.wait_s;
	return wait_s < WAIT_MAX_S ? wait_s : WAIT_MAX_S;
}
