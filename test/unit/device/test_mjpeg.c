/* MJPEG over HTTP: the parser of the body, and the link that keeps it going. */
#include "common/base/geom.h"
#include "common/base/rng.h"
#include "common/device/mjpeg_link.h"
#include "test/support/runner.h"

#define MS CAIRN_NS_PER_MS

static struct cairn_mjpeg_stream stream;

/* Pictures of a whole body, in pieces of so many bytes: how many, and the last one as text. */
static int pictures(const char *type, const char *body, size_t bytes, size_t piece, char *ret_last)
{
	int n = 0;
	enum cairn_mjpeg_event event;
	ck_assert_msg(cairn_mjpeg_begin(&stream, type), "%s", stream.problem.text);
	for (size_t at = 0; at < bytes;) {
		size_t now = bytes - at < piece ? bytes - at : piece;
		at += cairn_mjpeg_feed(&stream, (const uint8_t *)body + at, now, &event);
		if (event == CAIRN_MJPEG_BROKEN)
			return -1;
		if (event != CAIRN_MJPEG_PICTURE)
			continue;
		n++;
		ck_assert_uint_lt(stream.picture_bytes, 64);
		memcpy(ret_last, stream.picture, stream.picture_bytes);
		ret_last[stream.picture_bytes] = '\0';
	}
	return n;
}

START_TEST(bodies_as_real_servers_send_them_are_read_in_any_pieces)
{
	/* The answers of an ESP32 (CameraWebServer), of ustreamer, of an Android webcam, of mjpg-streamer, of one without lengths,
	 * and of one whose boundary has its dashes in the name. */
	static const struct {
		const char *type, *body;
		int count;
		const char *last;
	} rows[] = {{"multipart/x-mixed-replace;boundary=123456789000000000000987654321",
			"\r\n--123456789000000000000987654321\r\nContent-Type: image/jpeg\r\nContent-Length: "
			"4\r\n\r\nabcd"
			"\r\n--123456789000000000000987654321\r\nContent-Type: image/jpeg\r\nContent-Length: "
			"3\r\n\r\nxyz",
			2, "xyz"},
	    {"multipart/x-mixed-replace;boundary=boundarydonotcross",
		"--boundarydonotcross\r\nContent-Type: image/jpeg\r\nContent-Length: 6\r\nX-Timestamp: "
		"1.5\r\n\r\n"
		"a\r\n--b\r\n--boundarydonotcross\r\nContent-Type: image/jpeg\r\n",
		1, "a\r\n--b"},
	    {"Multipart/X-Mixed-Replace; charset=x; Boundary=\"Ba4o Tv\"",
		"junk\r\n--Ba4o Tv\r\ncontent-LENGTH:  2 \r\n\r\nok\r\n", 1, "ok"},
	    {"multipart/x-mixed-replace; boundary=--frame",
		"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: 5\r\n\r\nhello\r\n--frame\r\n", 1,
		"hello"},
	    {"multipart/x-mixed-replace; boundary=frame",
		"--frame\nContent-Type: image/jpeg\n\nhel--fra-lo\n--frame\nContent-Type: "
		"image/jpeg\n\nab\r\n--frame\n",
		2, "ab"},
	    {"multipart/x-mixed-replace; boundary=--frame",
		"----frame\r\n\r\nhello\r\n----frame\r\n\r\nworld\r\n----frame\r\n", 2, "world"}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t bytes = strlen(rows[i].body);
		for (size_t piece = 1; piece <= bytes; piece++) {
			char last[64] = "";
			int n = pictures(rows[i].type, rows[i].body, bytes, piece, last);
			ck_assert_msg(n == rows[i].count, "row %zu in pieces of %zu: %d", i, piece, n);
			ck_assert_str_eq(last, rows[i].last);
		}
	}
	cairn_mjpeg_free(&stream);
}
END_TEST

START_TEST(what_is_no_stream_is_refused_with_the_reason)
{
	static const struct {
		const char *type, *said;
	} rows[] = {{NULL, "it sends no type: no stream of pictures"},
	    {"text/html", "it sends text/html: no stream"}, {"image/jpeg", "it sends image/jpeg: no stream"},
	    {"multipart/x-mixed-replace", "a stream without a boundary"},
	    {"multipart/x-mixed-replace; boundary=", "a stream without a boundary"},
	    {"multipart/x-mixed-replace; boundary=--", "a stream without a boundary"},
	    {"multipart/x-mixed-replace; boundary="
	     "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
		"a stream without a boundary"}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ck_assert(!cairn_mjpeg_begin(&stream, rows[i].type));
		ck_assert_msg(strstr(stream.problem.text, rows[i].said) != NULL, "%s", stream.problem.text);
	}
}
END_TEST

static const char *broken_by(const char *body, size_t bytes, char fill, size_t fill_bytes)
{
	static uint8_t piece[1000];
	enum cairn_mjpeg_event event = CAIRN_MJPEG_NONE;
	memset(piece, fill, sizeof(piece));
	ck_assert(cairn_mjpeg_begin(&stream, "multipart/x-mixed-replace; boundary=f"));
	for (size_t at = 0; at < bytes;)
		at += cairn_mjpeg_feed(&stream, (const uint8_t *)body + at, bytes - at, &event);
	for (size_t i = 0; i < fill_bytes && event != CAIRN_MJPEG_BROKEN;) {
		size_t n = fill_bytes - i < sizeof(piece) ? fill_bytes - i : sizeof(piece);
		i += cairn_mjpeg_feed(&stream, piece, n, &event);
		ck_assert_int_ne(event, CAIRN_MJPEG_PICTURE);
	}
	ck_assert_int_eq(event, CAIRN_MJPEG_BROKEN);
	cairn_mjpeg_free(&stream);
	return stream.problem.text;
}

#define BROKEN(body, fill, n) broken_by(body, sizeof(body) - 1, fill, n)

START_TEST(bodies_without_an_end_or_a_measure_are_broken_off)
{
	ck_assert_str_eq(BROKEN("--f\r\nContent-Length: 8388609\r\n", 0, 0), "a picture of more than 8 MB");
	ck_assert_str_eq(BROKEN("--f\r\nContent-Length: 99999999999999999999999\r\n", 0, 0),
	    "a picture of more than 8 MB");
	ck_assert_str_eq(BROKEN("--f\r\nContent-Length: -1\r\n", 0, 0), "a Content-Length that is no number");
	ck_assert_str_eq(
	    BROKEN("--f\r\nContent-Length: 12x\r\n", 0, 0), "a Content-Length that is no number");
	ck_assert_str_eq(BROKEN("--f\r\n\r\n", 'a', (8u << 20) + 1), "a picture of more than 8 MB");
	ck_assert_str_eq(BROKEN("--f\r\nX: ", 'a', 2000), "a header line of more than 1024 bytes");
	ck_assert_str_eq(BROKEN("", '\n', 9000), "no boundary where a picture has ended");
	ck_assert_str_eq(
	    BROKEN("--f\r\nContent-Length: 1\r\n\r\na\r\n--f--\r\n", '\n', 1), "the stream has ended");
}
END_TEST

/* Whatever comes: no picture is larger than what was fed, every byte is consumed, and it ends. */
START_TEST(any_bytes_are_pictures_or_nothing)
{
	static const char *const words[] = {"--f", "\r\n", "\n", "Content-Length: ", "7", "99999", "\r\n\r\n",
	    "--", "f", "-", "abc", "\xff\xd8", ":", " "};
	struct cairn_rng rng;
	int total = 0;
	cairn_rng_seed(&rng, 31, 2);
	for (int round = 0; round < CAIRN_ROUNDS(20000); round++) {
		char body[400];
		size_t bytes = 0;
		while (bytes < 300) {
			const char *word = words[cairn_rng_u32(&rng) % (sizeof(words) / sizeof(words[0]))];
			memcpy(body + bytes, word, strlen(word));
			bytes += strlen(word);
		}
		enum cairn_mjpeg_event event = CAIRN_MJPEG_NONE;
		ck_assert(cairn_mjpeg_begin(&stream, "multipart/x-mixed-replace; boundary=f"));
		for (size_t at = 0, calls = 0; at < bytes && event != CAIRN_MJPEG_BROKEN; calls++) {
			size_t n = 1 + cairn_rng_u32(&rng) % 50;
			n = n < bytes - at ? n : bytes - at;
			at += cairn_mjpeg_feed(&stream, (const uint8_t *)body + at, n, &event);
			ck_assert_uint_lt(calls, 2 * bytes);
			if (event == CAIRN_MJPEG_PICTURE) {
				ck_assert(stream.picture_bytes > 0 && stream.picture_bytes < at);
				total++;
			}
		}
	}
	ck_assert_int_gt(total, 1000);
	cairn_mjpeg_free(&stream);
}
END_TEST

/* ---- the link ---- */

static struct cairn_mjpeg_link link_;

static void ask(int64_t now_ns)
{
	ck_assert(cairn_mjpeg_link_wants_open(&link_, now_ns));
	cairn_mjpeg_link_opened(&link_, now_ns);
	ck_assert(!cairn_mjpeg_link_wants_open(&link_, now_ns));
}

static bool picture(int64_t now_ns, const char *why_not)
{
	static const char body[] = "--f\r\nContent-Length: 3\r\n\r\nabc\r\n";
	struct cairn_camera_header hdr;
	const uint8_t *payload;
	size_t at = 0;
	bool some = false;
	while (at < sizeof(body) - 1 && link_.open) {
		at += cairn_mjpeg_link_feed(
		    &link_, (const uint8_t *)body + at, sizeof(body) - 1 - at, now_ns, &hdr, &payload);
		if (payload == NULL)
			continue;
		some = true;
		ck_assert(hdr.format == CAIRN_CAMERA_JPEG && hdr.payload_bytes == 3 && hdr.t_ns == now_ns);
		ck_assert_mem_eq(payload, "abc", 3);
		cairn_mjpeg_link_used(&link_, why_not, now_ns);
	}
	return some;
}

static void begin(void)
{
	static const struct cairn_mjpeg_want want = {"http://cam/stream", 640, 480, 10.0};
	cairn_mjpeg_link_free(&link_);
	cairn_mjpeg_link_init(&link_, &want);
}

START_TEST(a_stream_that_ends_is_asked_for_again_less_and_less_often)
{
	int64_t t = 0, waited_ns = 0;
	begin();
	ask(t);
	ck_assert(cairn_mjpeg_link_answered(&link_, 200, "multipart/x-mixed-replace; boundary=f", t));
	ck_assert(picture(t, NULL));
	for (int i = 0; i < 8; i++) {
		int64_t lost_ns = t;
		cairn_mjpeg_link_lost(&link_, "the stream has ended", t);
		ck_assert_str_eq(link_.problem.text, "http://cam/stream: the stream has ended");
		while (!cairn_mjpeg_link_wants_open(&link_, t))
			t += 50 * MS;
		ck_assert_int_ge(t - lost_ns, waited_ns); /* never sooner than the last time */
		waited_ns = t - lost_ns;
		ask(t);
	}
	ck_assert_int_eq(waited_ns, 5000 * MS);
	ck_assert(cairn_mjpeg_link_answered(&link_, 200, "multipart/x-mixed-replace; boundary=f", t));
	ck_assert(picture(t, NULL));
	ck_assert_str_eq(link_.problem.text, "");
	cairn_mjpeg_link_lost(&link_, "the stream has ended", t);
	ck_assert(cairn_mjpeg_link_wants_open(&link_, t + 250 * MS)); /* it was good in between */
}
END_TEST

START_TEST(answers_that_are_no_stream_close_it_with_what_to_do)
{
	begin();
	ask(0);
	ck_assert(!cairn_mjpeg_link_answered(&link_, 404, "text/html", 0));
	ck_assert_str_eq(link_.problem.text, "http://cam/stream: it answers with status 404: check the path");
	ck_assert(!link_.open);
	begin();
	ask(0);
	ck_assert(!cairn_mjpeg_link_answered(&link_, 401, NULL, 0));
	ck_assert_ptr_nonnull(strstr(link_.problem.text, "status 401: take its password off"));
	begin();
	ask(0);
	ck_assert(!cairn_mjpeg_link_answered(&link_, 200, "image/jpeg", 0));
	ck_assert_ptr_nonnull(strstr(link_.problem.text, "it sends image/jpeg: no stream of pictures"));
}
END_TEST

START_TEST(a_stream_without_pictures_of_use_for_five_seconds_is_closed)
{
	begin();
	ask(0);
	ck_assert(cairn_mjpeg_link_answered(&link_, 200, "multipart/x-mixed-replace; boundary=f", 0));
	ck_assert(picture(1000 * MS, NULL));
	ck_assert(cairn_mjpeg_link_tick(&link_, 6000 * MS));
	ck_assert(!cairn_mjpeg_link_tick(&link_, 6001 * MS));
	ck_assert_ptr_nonnull(strstr(link_.problem.text, "no picture of use for 5 s: it is asked again"));
	ask(7000 * MS);
	ck_assert(cairn_mjpeg_link_answered(&link_, 200, "multipart/x-mixed-replace; boundary=f", 7000 * MS));
	for (int64_t t = 7000; t <= 12000; t += 100) {
		ck_assert(cairn_mjpeg_link_tick(&link_, t * MS));
		ck_assert(picture(t * MS, "it repeats an earlier picture"));
	}
	ck_assert(!cairn_mjpeg_link_tick(&link_, 12100 * MS));
	ck_assert_ptr_nonnull(strstr(link_.problem.text, "for 5 s: it repeats an earlier picture"));
}
END_TEST

START_TEST(of_a_fast_stream_as_many_pictures_are_taken_as_are_wanted)
{
	int n = 0;
	begin();
	ask(0);
	ck_assert(cairn_mjpeg_link_answered(&link_, 200, "multipart/x-mixed-replace; boundary=f", 0));
	for (int64_t t = 0; t < 10000; t += 33)
		n += picture(t * MS, NULL);
	ck_assert_int_ge(n, 95);
	ck_assert_int_le(n, 101);
	cairn_mjpeg_link_free(&link_);
}
END_TEST

CAIRN_TEST_MAIN("mjpeg", bodies_as_real_servers_send_them_are_read_in_any_pieces,
    what_is_no_stream_is_refused_with_the_reason, bodies_without_an_end_or_a_measure_are_broken_off,
    any_bytes_are_pictures_or_nothing, a_stream_that_ends_is_asked_for_again_less_and_less_often,
    answers_that_are_no_stream_close_it_with_what_to_do,
    a_stream_without_pictures_of_use_for_five_seconds_is_closed,
    of_a_fast_stream_as_many_pictures_are_taken_as_are_wanted)
