/* crash_stop.c - a crash must stop the wheels, too. */
#include <signal.h>
#include <unistd.h>

#include "procs/motor/motor_stage.h"

/* A signal handler can only reach statics. */
static volatile sig_atomic_t crash_fd = -1;
static uint8_t crash_frame[CAIRN_BASE_FRAME_MAX];
static size_t crash_bytes;

static void on_crash(int sig)
{
	if (crash_fd >= 0) {
		ssize_t n = write(crash_fd, crash_frame, crash_bytes);
		(void)n;
	}
	raise(sig); /* the handler was one-shot: now the default action */
}

void crash_stop_arm(enum cairn_choice_base_model model)
{
	static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	crash_bytes = cairn_base_stop_frame(model, crash_frame);
	struct sigaction sa = {.sa_handler = on_crash, .sa_flags = (int)SA_RESETHAND | SA_NODEFER};
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
		sigaction(deadly[i], &sa, NULL);
}

void crash_stop_through(int fd)
{
	crash_fd = fd;
}
