/* What a turn takes in, at a broker that is played here: MQTT 3.1.1 by its specification (OASIS 2014, sections 3.2 and 3.3). */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "procs/fleet/mqtt.h"
#include "test/support/runner.h"

#define PACKET_BYTES 6 /* a message of one byte, its topic of one letter */
#define PACKETS_MOST 1000
#define TURNS_MOST 1000000

static struct cairn_config cfg;
static int listening = -1, broker = -1;
static struct mqtt *client;
static bool is_connected;
static int arrived;
static uint8_t next_value;

static void on_connected(void *ctx, bool connected)
{
	(void)ctx;
	is_connected = connected;
}

static void on_message(void *ctx, const char *topic, const void *payload, size_t bytes)
{
	(void)ctx;
	ck_assert_str_eq(topic, "t");
	ck_assert_uint_eq(bytes, 1);
	ck_assert_uint_eq(*(const uint8_t *)payload, next_value++); /* in order, none left out */
	arrived++;
}

static void connect_client(void)
{
	static const struct mqtt_handlers handlers = {.connected = on_connected, .message = on_message};
	static const uint8_t connack[] = {0x20, 2, 0, 0};
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t bytes = sizeof(at);
	struct cairn_error err = {""};
	uint8_t hello[256];
	is_connected = false;
	arrived = next_value = 0;
	listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(listening, (struct sockaddr *)&at, bytes) | listen(listening, 1), 0);
	ck_assert_int_eq(getsockname(listening, (struct sockaddr *)&at, &bytes), 0);
	cairn_config_defaults(&cfg);
	snprintf(cfg.fleet.broker, sizeof(cfg.fleet.broker), "127.0.0.1:%d", ntohs(at.sin_port));
	client = mqtt_new(&cfg.fleet, "robot", NULL, "will", "gone", &handlers, &err);
	ck_assert_msg(client != NULL, "%s", err.text);
	mqtt_turn(client, 1);
	broker = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
	struct timeval patience = {.tv_usec = 1000};
	setsockopt(broker, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	bool greeted = false;
	for (int i = 0; i < TURNS_MOST && !is_connected; i++) {
		mqtt_turn(client, 1);
		if (!greeted && read(broker, hello, sizeof(hello)) > 0) {
			ck_assert_uint_eq(hello[0], 0x10); /* CONNECT */
			ck_assert_int_eq(write(broker, connack, sizeof(connack)), sizeof(connack));
			greeted = true;
		}
	}
	ck_assert(is_connected);
}

static void disconnect_client(void)
{
	mqtt_close(&client, 0);
	close(broker);
	close(listening);
}

static void publish(int count)
{
	static uint8_t packets[PACKETS_MOST * PACKET_BYTES];
	for (int i = 0; i < count; i++)
		memcpy(packets + i * PACKET_BYTES, (const uint8_t[]){0x30, 4, 0, 1, 't', (uint8_t)i},
		    PACKET_BYTES);
	ck_assert_int_eq(write(broker, packets, (size_t)count * PACKET_BYTES), count * PACKET_BYTES);
}

/* Turns in which something came, until `count` have. */
static int turns_until(int count)
{
	int turns = 0;
	for (int i = 0; i < TURNS_MOST && arrived < count; i++) {
		int before = arrived;
		mqtt_turn(client, 1);
		turns += arrived > before;
	}
	ck_assert_int_eq(arrived, count);
	return turns;
}

START_TEST(a_turn_takes_all_that_has_come)
{
	connect_client();
	publish(100);
	ck_assert_int_le(turns_until(100), 5); /* what is written at once may come in pieces */
	disconnect_client();
}
END_TEST

START_TEST(a_flood_leaves_the_owner_time_for_other_work)
{
	connect_client();
	publish(PACKETS_MOST);
	ck_assert_int_ge(turns_until(PACKETS_MOST), 4);
	disconnect_client();
}
END_TEST

CAIRN_TEST_MAIN("mqtt", a_turn_takes_all_that_has_come, a_flood_leaves_the_owner_time_for_other_work)
