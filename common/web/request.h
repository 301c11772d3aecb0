/* request.h - what a viewer sends over the WebSocket, and the bodies of POST: JSON in, bounded structs out. Pure; trusts nothing.
 *
 *   {"op":"subscribe","topics":["pose"],"hz":10}   {"op":"unsubscribe","topics":["pose"]}
 *   {"op":"subscribe_logs","on":true}
 *   {"op":"command","id":7,"name":"goto","args":"1.5 -0.5"}
 *   {"op":"teleop","v_mps":0.1,"steer_rad":0.2}
 *
 * Fields that it does not know are passed over. */
#ifndef CAIRN_COMMON_WEB_REQUEST_H
#define CAIRN_COMMON_WEB_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

#define CAIRN_WEB_REQUEST_MAX 8192 /* bytes */
#define CAIRN_WEB_TOPICS_MAX 96    /* in one subscription */
#define CAIRN_WEB_NAME_MAX 48
#define CAIRN_WEB_ARGS_MAX 1024
#define CAIRN_WEB_HZ_DEFAULT 10.0
#define CAIRN_WEB_HZ_MAX 50.0

enum cairn_web_op {
	CAIRN_WEB_OP_SUBSCRIBE,
	CAIRN_WEB_OP_UNSUBSCRIBE,
	CAIRN_WEB_OP_SUBSCRIBE_LOGS,
	CAIRN_WEB_OP_COMMAND,
	CAIRN_WEB_OP_TELEOP
};

struct cairn_web_request {
	enum cairn_web_op op;
	int topic_count;
	char topics[CAIRN_WEB_TOPICS_MAX][CAIRN_WEB_NAME_MAX];
	double hz;  /* messages a second of each topic at most */
	bool on;    /* subscribe_logs */
	int64_t id; /* of a command, for its reply */
	char name[CAIRN_WEB_NAME_MAX], args[CAIRN_WEB_ARGS_MAX];
	double v_mps, steer_rad; /* finite */
};

/* False with the reason in err, *ret untouched. */
bool cairn_web_request_parse(
    const char *text, size_t bytes, struct cairn_web_request *ret, struct cairn_error *err);
/* The text of one field of an object, for the bodies of POST. An empty body or a missing field is an empty text. */
bool cairn_web_body_text(
    const char *text, size_t bytes, const char *field, char *buf, size_t buf_bytes, struct cairn_error *err);

#endif
