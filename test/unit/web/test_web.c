/* What the web stage makes of addresses, headers and requests from outside. */
#include <zlib.h>

#include "common/web/address.h"
#include "common/web/order.h"
#include "common/drawing/png.h"
#include "common/web/request.h"
#include "common/web/routes.h"
#include "test/support/runner.h"

static struct cairn_error err;

START_TEST(an_endpoint_is_an_address_in_numbers_and_a_port)
{
	struct cairn_web_address a;
	ck_assert(cairn_web_address_parse("127.0.0.1:8088", &a, &err));
	ck_assert_str_eq(a.host, "127.0.0.1");
	ck_assert_uint_eq(a.port, 8088);
	ck_assert(a.loopback && !a.v6);
	ck_assert(cairn_web_address_parse("[::1]:0", &a, &err) && a.loopback && a.v6 && a.port == 0);
	ck_assert(cairn_web_address_parse("localhost:80", &a, &err) && a.loopback);
	ck_assert(cairn_web_address_parse("0.0.0.0:443", &a, &err) && !a.loopback);
	ck_assert(cairn_web_address_parse("[::]:443", &a, &err) && !a.loopback);
	static const char *const bad[] = {"", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536",
	    "robot:80", "[::1:80", "[::1]80", ":80", "127.0.0.1:-1"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		err.text[0] = '\0';
		ck_assert_msg(!cairn_web_address_parse(bad[i], &a, &err), "%s", bad[i]);
		ck_assert_str_ne(err.text, "");
	}
}
END_TEST

START_TEST(a_name_of_another_is_not_answered)
{
	ck_assert(cairn_web_host_allowed("127.0.0.1:8088", ""));
	ck_assert(cairn_web_host_allowed("localhost:8088", ""));
	ck_assert(cairn_web_host_allowed("LOCALHOST", ""));
	ck_assert(cairn_web_host_allowed("[::1]:8088", ""));
	ck_assert(cairn_web_host_allowed("192.168.1.5", "")); /* no name: cannot be pointed elsewhere */
	ck_assert(cairn_web_host_allowed("robot.lan:8088", "a.lan robot.lan"));
	ck_assert(cairn_web_host_allowed("Robot.LAN", "robot.lan,a.lan"));
	ck_assert(!cairn_web_host_allowed("robot.lan", ""));
	ck_assert(!cairn_web_host_allowed("", "robot.lan"));
	ck_assert(!cairn_web_host_allowed("evil.example", "robot.lan"));
	ck_assert(!cairn_web_host_allowed("localhost.evil.example", ""));
	ck_assert(!cairn_web_host_allowed("127.0.0.1.evil.example:8088", ""));
	ck_assert(!cairn_web_host_allowed("robot", "robot.lan"));
	ck_assert(!cairn_web_host_allowed("127.0.0.1@evil.example", ""));
	ck_assert(!cairn_web_host_allowed("[::1]:80@evil.example", ""));
}
END_TEST

START_TEST(pages_of_other_sites_are_not_answered)
{
	ck_assert(cairn_web_origin_allowed("", "127.0.0.1:8088"));
	ck_assert(cairn_web_origin_allowed("http://127.0.0.1:8088", "127.0.0.1:8088"));
	ck_assert(cairn_web_origin_allowed("https://robot.lan", "robot.lan"));
	ck_assert(!cairn_web_origin_allowed("null", "127.0.0.1:8088"));
	ck_assert(!cairn_web_origin_allowed("http://evil.example", "127.0.0.1:8088"));
	ck_assert(!cairn_web_origin_allowed("http://127.0.0.1:9999", "127.0.0.1:8088"));
	ck_assert(!cairn_web_origin_allowed("file://", ""));
	ck_assert(!cairn_web_origin_allowed("http://", ""));
	ck_assert(cairn_web_site_allowed("", false) && cairn_web_site_allowed("same-origin", false));
	ck_assert(cairn_web_site_allowed("none", false)); /* typed by hand */
	ck_assert(
	    !cairn_web_site_allowed("cross-site", false) && !cairn_web_site_allowed("same-site", false));
	ck_assert(cairn_web_site_allowed("cross-site", true)); /* a link may lead to the page */
}
END_TEST

START_TEST(only_this_machine_is_loopback)
{
	ck_assert(cairn_web_is_loopback("127.0.0.1") && cairn_web_is_loopback("127.9.9.9"));
	ck_assert(cairn_web_is_loopback("::1") && cairn_web_is_loopback("::ffff:127.0.0.1"));
	ck_assert(!cairn_web_is_loopback("::ffff:10.0.0.1") && !cairn_web_is_loopback("128.0.0.1"));
	ck_assert(!cairn_web_is_loopback("::") && !cairn_web_is_loopback("") &&
		  !cairn_web_is_loopback("localhost"));
}
END_TEST

START_TEST(each_route_is_found_and_nothing_beside)
{
	char part[CAIRN_WEB_PART_MAX];
	ck_assert_int_eq(cairn_web_route_find("/api/status", part), CAIRN_WEB_STATUS);
	ck_assert_int_eq(cairn_web_route_find("/api/decisions", part), CAIRN_WEB_DECISIONS);
	ck_assert_int_eq(cairn_web_route_find("/api/decisions/17", part), CAIRN_WEB_DECISION);
	ck_assert_str_eq(part, "17");
	ck_assert_int_eq(cairn_web_route_find("/api/decisions/17/picture.jpg", part), CAIRN_WEB_DECISION_JPG);
	ck_assert_str_eq(part, "17");
	ck_assert_int_eq(cairn_web_route_find("/api/command/estop", part), CAIRN_WEB_COMMAND);
	ck_assert_int_eq(cairn_web_route_find("/api/decisions/", part), -1);
	ck_assert_int_eq(cairn_web_route_find("/api/views/12/picture.jpg", part), CAIRN_WEB_VIEW_JPG);
	ck_assert_str_eq(part, "12");
	ck_assert_int_eq(cairn_web_route_find("/api/command/a/b", part), -1);
	ck_assert_int_eq(cairn_web_route_find("/api/status/", part), -1);
	ck_assert_int_eq(cairn_web_route_find("", part), -1);
	char longest[200] = "/api/command/";
	memset(longest + strlen(longest), 'x', 100);
	ck_assert_int_eq(cairn_web_route_find(longest, part), -1);
	/* every row of the table needs a right, but for these, where what is asked for decides */
	for (int i = 0; i < CAIRN_WEB_ROUTE_COUNT; i++) {
		bool open = i == CAIRN_WEB_COMMAND || i == CAIRN_WEB_LOGIN || i == CAIRN_WEB_LOGOUT ||
			    i == CAIRN_WEB_MCP;
		ck_assert_msg(cairn_web_routes[i].open == open, "%s", cairn_web_routes[i].path);
	}
}
END_TEST

START_TEST(a_query_is_decoded_and_bounded)
{
	char text[16];
	uint64_t n = 0;
	ck_assert(cairn_web_query("last=50&stage=ma%70per", "stage", text, sizeof(text)));
	ck_assert_str_eq(text, "mapper");
	ck_assert(cairn_web_query("a=b+c", "a", text, sizeof(text)));
	ck_assert_str_eq(text, "b c");
	ck_assert(!cairn_web_query("a=%", "a", text, sizeof(text)));
	ck_assert(!cairn_web_query("a=%zz", "a", text, sizeof(text)));
	ck_assert(!cairn_web_query("a=%00b", "a", text, sizeof(text)));
	ck_assert(!cairn_web_query("a=0123456789abcdef", "a", text, sizeof(text)));
	ck_assert(!cairn_web_query("ab=1", "a", text, sizeof(text)));
	ck_assert(cairn_web_query_count("", "last", 50, 1000, &n) && n == 50);
	ck_assert(cairn_web_query_count("last=7", "last", 50, 1000, &n) && n == 7);
	ck_assert(!cairn_web_query_count("last=0", "last", 50, 1000, &n));
	ck_assert(!cairn_web_query_count("last=1001", "last", 50, 1000, &n));
	ck_assert(!cairn_web_query_count("last=-1", "last", 50, 1000, &n));
	ck_assert(!cairn_web_query_count("last=7x", "last", 50, 1000, &n));
	ck_assert(!cairn_web_query_count("last=", "last", 50, 1000, &n));
}
END_TEST

static bool parse(const char *text, struct cairn_web_request *r)
{
	err.text[0] = '\0';
	bool ok = cairn_web_request_parse(text, strlen(text), r, &err);
	ck_assert_msg(ok == (err.text[0] == '\0'), "%s: %s", text, err.text);
	return ok;
}

START_TEST(requests_are_read)
{
	static struct cairn_web_request r;
	ck_assert(parse("{\"op\":\"subscribe\",\"topics\":[\"pose\",\"mission\"],\"hz\":5}", &r));
	ck_assert_int_eq(r.op, CAIRN_WEB_OP_SUBSCRIBE);
	ck_assert_int_eq(r.topic_count, 2);
	ck_assert_str_eq(r.topics[1], "mission");
	ck_assert_double_eq(r.hz, 5.0);
	ck_assert(parse("{\"op\":\"unsubscribe\",\"topics\":[]}", &r) && r.topic_count == 0);
	ck_assert(parse("{\"op\":\"subscribe_logs\",\"on\":true}", &r) && r.on);
	ck_assert(parse("{\"op\":\"subscribe_logs\"}", &r) && !r.on);
	ck_assert(
	    parse("{\"op\":\"command\",\"id\":7,\"name\":\"goto\",\"args\":\"1.5 -0.5\",\"more\":[1]}", &r));
	ck_assert_int_eq(r.id, 7);
	ck_assert_str_eq(r.args, "1.5 -0.5");
	ck_assert(parse("{\"op\":\"teleop\",\"v_mps\":0.1,\"steer_rad\":-1}", &r));
	ck_assert_double_eq(r.steer_rad, -1.0);
}
END_TEST

START_TEST(what_is_no_request_is_refused_with_a_reason)
{
	static struct cairn_web_request r;
	static char large[CAIRN_WEB_REQUEST_MAX + 64], deep[6000];
	static const char *const bad[] = {"", "[]", "7", "{", "{\"op\":7}", "{\"op\":\"\"}",
	    "{\"op\":\"fly\"}", "{\"op\":\"subscribe\"}", "{\"op\":\"subscribe\",\"topics\":\"pose\"}",
	    "{\"op\":\"subscribe\",\"topics\":[7]}", "{\"op\":\"subscribe\",\"topics\":[],\"hz\":0}",
	    "{\"op\":\"subscribe\",\"topics\":[],\"hz\":1e9}",
	    "{\"op\":\"subscribe\",\"topics\":[],\"hz\":\"5\"}", "{\"op\":\"command\",\"name\":\"stop\"}",
	    "{\"op\":\"command\",\"id\":1.5,\"name\":\"stop\"}", "{\"op\":\"command\",\"id\":1,\"name\":[]}",
	    "{\"op\":\"teleop\",\"v_mps\":0.1}", "{\"op\":\"teleop\",\"v_mps\":1e999,\"steer_rad\":0}",
	    "{\"op\":\"stop\",\"op\":\"teleop\"}", "{\"op\":\"command\",\"id\":1,\"name\":\"a\\u0000b\"}",
	    "{\"op\":\"command\",\"id\":1,\"name\":\"\xff\"}"};
	memset(&r, 0x5a, sizeof(r));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!parse(bad[i], &r), "%s", bad[i]);
	snprintf(
	    large, sizeof(large), "{\"op\":\"subscribe_logs\",\"x\":\"%*s\"}", CAIRN_WEB_REQUEST_MAX, "");
	ck_assert(!parse(large, &r));
	memset(deep, '[', sizeof(deep) - 1);
	ck_assert(!parse(deep, &r));
	char name[200] = "{\"op\":\"command\",\"id\":1,\"name\":\"";
	memset(name + strlen(name), 'a', CAIRN_WEB_NAME_MAX);
	strcat(name, "\"}");
	ck_assert(!parse(name, &r));
	ck_assert_int_eq(*(unsigned char *)&r, 0x5a); /* left alone */
}
END_TEST

START_TEST(a_body_is_an_object_with_a_text)
{
	char text[8];
	static const char body[] = "{\"args\":\"1 2\",\"token\":\"12345678\",\"n\":7}";
	ck_assert(cairn_web_body_text("", 0, "args", text, sizeof(text), &err) && text[0] == '\0');
	ck_assert(cairn_web_body_text(body, strlen(body), "args", text, sizeof(text), &err));
	ck_assert_str_eq(text, "1 2");
	ck_assert(
	    cairn_web_body_text(body, strlen(body), "none", text, sizeof(text), &err) && text[0] == '\0');
	ck_assert(!cairn_web_body_text(body, strlen(body), "token", text, sizeof(text), &err));
	ck_assert(!cairn_web_body_text(body, strlen(body), "n", text, sizeof(text), &err));
	ck_assert(!cairn_web_body_text("x", 1, "args", text, sizeof(text), &err));
}
END_TEST

static bool order(const char *name, const char *args, struct cairn_msg_command *cmd)
{
	const struct cairn_command_row *row = cairn_web_order_find(name);
	ck_assert_msg(row != NULL, "%s", name);
	err.text[0] = '\0';
	return cairn_web_order_parse(row, args, cmd, &err);
}

START_TEST(commands_are_what_the_tool_would_have_asked)
{
	struct cairn_msg_command c;
	ck_assert(order("goto", " 1.5 -0.5 ", &c));
	ck_assert_str_eq(c.verb, "goto");
	ck_assert_double_eq(c.x_m, 1.5);
	ck_assert_double_eq(c.y_m, -0.5);
	ck_assert_str_eq(c.arg, "");
	ck_assert(order("goto", "living room", &c));
	ck_assert_str_eq(c.arg, "living room");
	ck_assert(order("estop", "a cat", &c));
	ck_assert_str_eq(c.verb, "stop");
	ck_assert_str_eq(c.arg, "a cat");
	ck_assert(order("stop", "", &c));
	ck_assert(order("explore", "", &c) && c.limit_s <= 0.0 && c.arg[0] == '\0');
	ck_assert(order("explore", "--for 90s --goal \"find the bathroom\"", &c));
	ck_assert_double_eq(c.limit_s, 90.0);
	ck_assert_str_eq(c.arg, "find the bathroom");
	ck_assert(order("explore", "--goal find the bathroom --for 10m", &c));
	ck_assert_double_eq(c.limit_s, 600.0);
	ck_assert_str_eq(c.arg, "find the bathroom");
	ck_assert(order("restart", "mapper", &c));
	ck_assert_str_eq(c.arg, "mapper");
	ck_assert(order("zone", "keepout stairs 0,0 1,0 1,1", &c));
	ck_assert(order("goto", "a\x1b[31mb\xe2\x80\xae", &c)); /* escape, direction: neither gets further */
	ck_assert_str_eq(c.arg, "a?[31mb?");
}
END_TEST

START_TEST(a_wrong_command_gets_its_usage)
{
	struct cairn_msg_command c;
	static char large[400];
	memset(large, 'x', sizeof(large) - 1);
	ck_assert_ptr_null(cairn_web_order_find("ping"));
	ck_assert_ptr_null(cairn_web_order_find("fly"));
	ck_assert_ptr_null(cairn_web_order_find(""));
	ck_assert(!order("goto", "", &c) && !order("goto", "1.5", &c) && !order("goto", "1 2 3", &c));
	ck_assert(!order("goto", "nan inf", &c) || c.arg[0] != '\0'); /* a name, if anything */
	ck_assert(!order("stop", "now", &c) && !order("restart", "", &c));
	ck_assert(!order("explore", "the house", &c) && !order("explore", "--for", &c));
	ck_assert(!order("explore", "--for soon", &c) && !order("goto", large, &c));
	ck_assert_ptr_nonnull(strstr(err.text, "usage: goto"));
}
END_TEST

/* Decodes what png.c wrote, by the standard. */
static void check_png(
    const uint8_t *png, size_t bytes, const uint8_t *pixels, uint32_t w, uint32_t h, int bits)
{
	uint8_t raw[512];
	uLongf raw_bytes = sizeof(raw);
	static const uint8_t magic[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
	ck_assert_ptr_nonnull(png);
	ck_assert_mem_eq(png, magic, 8);
	ck_assert_mem_eq(png + 12, "IHDR", 4);
	ck_assert_uint_eq(png[19], w);
	ck_assert_uint_eq(png[23], h);
	ck_assert_int_eq(png[24], bits);
	size_t at = 33, data = (size_t)png[at + 2] << 8 | png[at + 3];
	ck_assert_mem_eq(png + at + 4, "IDAT", 4);
	uint32_t crc = (uint32_t)crc32(0, png + at + 4, (uInt)(4 + data));
	const uint8_t *c = png + at + 8 + data;
	ck_assert_uint_eq(crc, (uint32_t)c[0] << 24 | (uint32_t)c[1] << 16 | (uint32_t)c[2] << 8 | c[3]);
	ck_assert_int_eq(uncompress(raw, &raw_bytes, png + at + 8, data), Z_OK);
	size_t row = w * (size_t)bits / 8;
	ck_assert_uint_eq(raw_bytes, h * (row + 1));
	for (uint32_t y = 0; y < h; y++)
		for (size_t x = 0; x < row; x++)
			ck_assert_uint_eq(
			    raw[y * (row + 1) + 1 + x], pixels[y * row + (bits == 16 ? x ^ 1 : x)]);
	ck_assert_mem_eq(png + bytes - 8, "IEND", 4);
}

START_TEST(grey_pictures_are_png)
{
	static const uint8_t small[6] = {0, 205, 255, 1, 2, 3};
	uint16_t deep[6] = {0, 1, 256, 1000, 65535, 7};
	size_t bytes = 0;
	uint8_t *png = cairn_png_grey8(small, 3, 2, 3, &bytes);
	check_png(png, bytes, small, 3, 2, 8);
	free(png);
	png = cairn_png_grey16((const uint8_t *)deep, 2, 3, 4, &bytes);
	check_png(png, bytes, (const uint8_t *)deep, 2, 3, 16);
	free(png);
	ck_assert_ptr_null(cairn_png_grey8(small, 0, 2, 3, &bytes));
	ck_assert_ptr_null(cairn_png_grey8(small, 3, 2, 2, &bytes));
	ck_assert_ptr_null(cairn_png_grey8(small, 1u << 20, 1u << 20, 1u << 20, &bytes));
}
END_TEST

CAIRN_TEST_MAIN("web", an_endpoint_is_an_address_in_numbers_and_a_port, a_name_of_another_is_not_answered,
    pages_of_other_sites_are_not_answered, only_this_machine_is_loopback,
    each_route_is_found_and_nothing_beside, a_query_is_decoded_and_bounded, requests_are_read,
    what_is_no_request_is_refused_with_a_reason, a_body_is_an_object_with_a_text,
    commands_are_what_the_tool_would_have_asked, a_wrong_command_gets_its_usage, grey_pictures_are_png)
