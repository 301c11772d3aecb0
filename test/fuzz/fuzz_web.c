/* What a viewer may send over the WebSocket or with POST, and the headers and paths of requests: what is taken is within its bounds,
 * what is refused has a reason, and a command that was understood is plain text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "common/web/address.h"
#include "common/web/order.h"
#include "common/web/request.h"
#include "common/web/routes.h"
#include "common/web/tokens.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void try_order(const char *name, const char *args)
{
	struct cairn_msg_command cmd;
	struct cairn_error err = {""};
	const struct cairn_command_row *row = cairn_web_order_find(name);
	if (row == NULL)
		return;
	if (!cairn_web_order_parse(row, args, &cmd, &err)) {
		must(err.text[0] != '\0');
		return;
	}
	char plain[sizeof(cmd.arg)];
	memcpy(plain, cmd.arg, sizeof(plain));
	cairn_text_plain(plain);
	must(strcmp(plain, cmd.arg) == 0 && strcmp(cmd.verb, row->verb) == 0);
	must(isfinite(cmd.x_m) && isfinite(cmd.y_m) && isfinite(cmd.limit_s) && cmd.limit_s >= 0.0);
}

static void try_request(const char *text, size_t count)
{
	static struct cairn_web_request r;
	struct cairn_error err = {""};
	r.topic_count = -7;
	if (!cairn_web_request_parse(text, count, &r, &err)) {
		must(err.text[0] != '\0' && r.topic_count == -7);
		return;
	}
	must(r.topic_count >= 0 && r.topic_count <= CAIRN_WEB_TOPICS_MAX);
	must(isfinite(r.v_mps) && isfinite(r.steer_rad) && r.hz >= 0.0 && r.hz <= CAIRN_WEB_HZ_MAX);
	must(strlen(r.name) < sizeof(r.name) && strlen(r.args) < sizeof(r.args));
	if (r.op == CAIRN_WEB_OP_COMMAND)
		try_order(r.name, r.args);
}

static void try_texts(const char *text)
{
	static struct cairn_web_tokens tokens;
	struct cairn_web_address address;
	struct cairn_error err = {""};
	char part[CAIRN_WEB_PART_MAX], buf[32];
	uint64_t n;
	must(cairn_web_address_parse(text, &address, &err) || err.text[0] != '\0');
	must(!cairn_web_host_allowed(text, "") || strchr(text, '/') == NULL);
	must(!cairn_web_origin_allowed(text, "robot") || text[0] == '\0' || strncmp(text, "http", 4) == 0 ||
	     strncmp(text, "HTTP", 4) == 0 || (text[0] | 32) == 'h');
	must(cairn_web_route_find(text, part) < CAIRN_WEB_ROUTE_COUNT && strlen(part) < sizeof(part));
	if (cairn_web_query(text, "a", buf, sizeof(buf)))
		must(strlen(buf) < sizeof(buf) && buf[strcspn(buf, "\r\n\x1b")] == '\0');
	must(!cairn_web_query_count(text, "a", 1, 100, &n) || (n >= 1 && n <= 100));
	(void)cairn_web_cookie(text, "cairn", buf, sizeof(buf));
	(void)cairn_web_bearer(text, buf, sizeof(buf));
	must(cairn_web_tokens_parse(text, &tokens, &err) || err.text[0] != '\0');
	for (int i = 0; i < tokens.count; i++)
		must(cairn_key_name_valid(tokens.rows[i].name) && tokens.rows[i].rights != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
	char *text = malloc(count + 1);
	if (text == NULL)
		return 0;
	memcpy(text, data, count);
	text[count] = '\0';
	try_request(text, count);
	try_texts(text);
	const char *blank = strchr(text, ' ');
	if (blank != NULL) {
		text[blank - text] = '\0';
		try_order(text, blank + 1);
	}
	free(text);
	return 0;
}
