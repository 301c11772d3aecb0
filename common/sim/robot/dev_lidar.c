#include "common/sim/robot/dev_lidar.h"

#include <string.h>

#define SYNC 0xA5
#define ANSWER_SYNC 0x5A
#define STREAM UINT32_C(0x40000000)
#define QUALITY 47u
#define SAMPLE_US 139u /* 720 points at 10 turns a second */

static const char boot_text[] = "RP LIDAR System.\r\nFirmware Ver 1.02, HW Ver 18\r\n";

enum request {
	REQ_SCAN = 0x20,
	REQ_FORCE_SCAN = 0x21,
	REQ_STOP = 0x25,
	REQ_RESET = 0x40,
	REQ_GET_INFO = 0x50,
	REQ_GET_HEALTH = 0x52,
	REQ_GET_SAMPLERATE = 0x59,
	REQ_GET_CONF = 0x84
};

void cairn_dev_lidar_init(struct cairn_dev_lidar *d)
{
	*d = (struct cairn_dev_lidar){.scanning = false};
}

static void put(struct cairn_dev_lidar *d, const void *bytes, size_t count)
{
	if (d->out_bytes + count > sizeof(d->out))
		return; /* the host asks without reading: the device's buffer is small, too */
	memcpy(d->out + d->out_bytes, bytes, count);
	d->out_bytes += count;
}

static void descriptor(struct cairn_dev_lidar *d, uint32_t length_and_mode, uint8_t type)
{
	uint8_t b[7] = {SYNC, ANSWER_SYNC, (uint8_t)length_and_mode, (uint8_t)(length_and_mode >> 8),
	    (uint8_t)(length_and_mode >> 16), (uint8_t)(length_and_mode >> 24), type};
	put(d, b, sizeof(b));
}

static void answer_info(struct cairn_dev_lidar *d)
{
	/* Model 0x41, firmware 1.02, hardware revision 18, and a serial number that says what it is. */
	uint8_t b[20] = {0x41, 0x02, 0x01, 18, 'c', 'a', 'i', 'r', 'n', ' ', 's', 'i', 'm', 'u', 'l', 'a',
	    't', 'e', 'd', 0};
	descriptor(d, sizeof(b), 0x04);
	put(d, b, sizeof(b));
}

static void answer_conf(struct cairn_dev_lidar *d, const uint8_t *payload, size_t bytes)
{
	if (bytes < 4) {
		d->rejects++;
		return;
	}
	uint8_t b[80] = {payload[0], payload[1], payload[2], payload[3]};
	size_t n = 4;
	uint16_t mode = bytes >= 6 ? (uint16_t)(payload[4] | payload[5] << 8) : 0;
	switch (payload[0]) {
	case 0x70: /* modes */
		b[n++] = 1;
		b[n++] = 0;
		break;
	case 0x71: /* microseconds a sample, 8 fraction bits */
		b[n++] = 0;
		b[n++] = SAMPLE_US;
		b[n++] = 0;
		b[n++] = 0;
		break;
	case 0x74: /* maximum distance in metres, 8 fraction bits */
		b[n++] = 0;
		b[n++] = 16;
		b[n++] = 0;
		b[n++] = 0;
		break;
	case 0x75:
		b[n++] = 0x81;
		break;
	case 0x7C:
		b[n++] = 0;
		b[n++] = 0;
		break;
	case 0x7F:
		memcpy(b + n, "Standard", 9);
		n += 9;
		break;
	case 0x01: /* 600 rpm, PWM reference */
		b[n++] = 0x58;
		b[n++] = 0x02;
		b[n++] = 0x94;
		b[n++] = 0x02;
		break;
	case 0x04:
	case 0x05:
		b[n++] = 0x58;
		b[n++] = 0x02;
		break;
	default:
		d->rejects++;
		break; /* an entry it does not have: no value */
	}
	if (mode != 0)
		n = 4; /* a mode it does not have */
	descriptor(d, (uint32_t)n, 0x20);
	put(d, b, n);
}

static void start_scan(struct cairn_dev_lidar *d)
{
	d->scanning = true;
	descriptor(d, 5u | STREAM, 0x81);
}

static void request(struct cairn_dev_lidar *d, uint8_t cmd, const uint8_t *payload, size_t bytes)
{
	d->requests++;
	switch (cmd) {
	case REQ_STOP:
		d->scanning = false;
		break;
	case REQ_RESET:
		d->scanning = false;
		d->out_bytes = 0;
		put(d, boot_text, sizeof(boot_text) - 1);
		break;
	case REQ_SCAN:
	case REQ_FORCE_SCAN:
		start_scan(d);
		break;
	case REQ_GET_INFO:
		answer_info(d);
		break;
	case REQ_GET_HEALTH:
		descriptor(d, 3, 0x06);
		put(d, (uint8_t[3]){0, 0, 0}, 3);
		break;
	case REQ_GET_SAMPLERATE:
		descriptor(d, 4, 0x15);
		put(d, (uint8_t[4]){SAMPLE_US, 0, SAMPLE_US, 0}, 4);
		break;
	case REQ_GET_CONF:
		answer_conf(d, payload, bytes);
		break;
	default:
		d->rejects++;
		break;
	}
}

/* Takes one request off the front of the input; false when more bytes are needed. */
static bool parse_one(struct cairn_dev_lidar *d)
{
	size_t used = 1;
	if (d->in_bytes < 2)
		return false;
	if (d->in[0] != SYNC || d->in[1] == SYNC) {
		used = 1; /* not a request: look from the next byte on */
	} else if ((d->in[1] & 0x80) == 0) {
		request(d, d->in[1], NULL, 0);
		used = 2;
	} else {
		if (d->in_bytes < 3)
			return false;
		size_t len = d->in[2], whole = len + 4;
		if (whole > sizeof(d->in)) {
			d->rejects++;
		} else {
			if (d->in_bytes < whole)
				return false;
			uint8_t sum = 0;
			for (size_t i = 0; i + 1 < whole; i++)
				sum ^= d->in[i];
			if (sum == d->in[whole - 1]) {
				request(d, d->in[1], d->in + 3, len);
				used = whole;
			} else {
				d->rejects++;
			}
		}
	}
	d->in_bytes -= used;
	memmove(d->in, d->in + used, d->in_bytes);
	return true;
}

void cairn_dev_lidar_receive(struct cairn_dev_lidar *d, const uint8_t *bytes, size_t count)
{
	while (count > 0) {
		size_t n = sizeof(d->in) - d->in_bytes;
		if (n > count)
			n = count;
		memcpy(d->in + d->in_bytes, bytes, n);
		d->in_bytes += n;
		bytes += n;
		count -= n;
		while (parse_one(d))
			;
	}
}

size_t cairn_dev_lidar_take(struct cairn_dev_lidar *d, uint8_t *buf, size_t cap)
{
	size_t n = d->out_bytes < cap ? d->out_bytes : cap;
	memcpy(buf, d->out, n);
	d->out_bytes -= n;
	memmove(d->out, d->out + n, d->out_bytes);
	return n;
}

void cairn_dev_lidar_node(uint8_t node[CAIRN_DEV_LIDAR_NODE], double angle_deg, double range_m, bool start)
{
	uint32_t q6 = (uint32_t)(angle_deg * 64.0 + 0.5) % (360u * 64u);
	double mm4 = range_m * 4000.0 + 0.5;
	uint32_t q2 = mm4 > 0.0 && mm4 < 65536.0 ? (uint32_t)mm4 : 0;
	uint32_t quality = range_m > 0.0 ? QUALITY : 0;
	node[0] = (uint8_t)(quality << 2 | (start ? 1u : 2u));
	node[1] = (uint8_t)((q6 & 127u) << 1 | 1u);
	node[2] = (uint8_t)(q6 >> 7);
	node[3] = (uint8_t)q2;
	node[4] = (uint8_t)(q2 >> 8);
}
