/* What the service manager hears, over a socket of its kind. */
#include "procs/cairn/up_notify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "test/support/runner.h"

static int listener = -1;
static char name[64];

/* A name without a file, of this process alone. */
static void listen_at(void)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	snprintf(name, sizeof(name), "@cairn-notify-%d", (int)getpid());
	memcpy(at.sun_path + 1, name + 1, strlen(name) - 1);
	listener = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	ck_assert_int_ge(listener, 0);
	ck_assert_int_eq(bind(listener, (struct sockaddr *)&at,
			     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name))),
	    0);
	setenv("NOTIFY_SOCKET", name, 1);
}

static const char *heard(void)
{
	static char buf[256];
	ssize_t n = recv(listener, buf, sizeof(buf) - 1, 0);
	buf[n > 0 ? n : 0] = '\0';
	return buf;
}

START_TEST(a_manager_hears_once_that_the_stack_is_up_and_that_it_ends)
{
	struct up_notify n;
	listen_at();
	up_notify_open(&n);
	ck_assert_ptr_null(getenv("NOTIFY_SOCKET")); /* children must not speak for us */
	up_notify_ready(&n);
	up_notify_ready(&n);
	ck_assert_ptr_nonnull(strstr(heard(), "READY=1"));
	ck_assert_str_eq(heard(), "");
	up_notify_stopping(&n);
	ck_assert_ptr_nonnull(strstr(heard(), "STOPPING=1"));
	up_notify_close(&n);
	close(listener);
}
END_TEST

START_TEST(signs_of_life_come_twice_as_often_as_they_are_needed)
{
	struct up_notify n;
	listen_at();
	setenv("WATCHDOG_USEC", "2000000", 1);
	up_notify_open(&n);
	int64_t t_ns = INT64_C(5000000000);
	up_notify_alive(&n, t_ns);
	ck_assert_str_eq(heard(), "WATCHDOG=1");
	up_notify_alive(&n, t_ns + 999999999);
	ck_assert_str_eq(heard(), "");
	up_notify_alive(&n, t_ns + 1000000000);
	ck_assert_str_eq(heard(), "WATCHDOG=1");
	up_notify_close(&n);
	close(listener);
}
END_TEST

START_TEST(without_a_manager_or_with_a_nonsense_address_nothing_happens)
{
	static const char *const paths[] = {"", "relative", "/nowhere/at/all", "@nobody-listens-here"};
	for (size_t i = 0; i <= sizeof(paths) / sizeof(paths[0]); i++) {
		struct up_notify n;
		if (i > 0)
			setenv("NOTIFY_SOCKET", paths[i - 1], 1);
		up_notify_open(&n);
		ck_assert_int_eq(n.fd, -1);
		up_notify_ready(&n);
		up_notify_alive(&n, 1);
		up_notify_close(&n);
	}
}
END_TEST

CAIRN_TEST_MAIN("up-notify", a_manager_hears_once_that_the_stack_is_up_and_that_it_ends,
    signs_of_life_come_twice_as_often_as_they_are_needed,
    without_a_manager_or_with_a_nonsense_address_nothing_happens)
