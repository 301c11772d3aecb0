#include "procs/voice/synthesizer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS 10000
#define WORDS_AS_IS 175.0 /* a minute, of both programs */

extern char **environ;

/* The program's sound comes through a pipe; its words about it nobody reads. The text is one argument behind "--" or "-t": never an
 * option, never a shell's. */
static pid_t start(const struct voice_style *style, const char *text, int *ret_fd, struct cairn_error *err)
{
	bool flite = style->by == CAIRN_CHOICE_SYNTHESIZER_FLITE;
	const char *voice = style->voice[0] != '\0' ? style->voice : flite ? "slt" : "en-us";
	char speed[32], stretch[48];
	double rate = style->words_per_minute > 0 ? style->words_per_minute : WORDS_AS_IS;
	snprintf(speed, sizeof(speed), "%.0f", rate);
	snprintf(stretch, sizeof(stretch), "duration_stretch=%.3f", WORDS_AS_IS / rate);
	const char *espeak_args[] = {"espeak-ng", "-v", voice, "-s", speed, "--stdout", "--", text, NULL};
	const char *flite_args[] = {
	    "flite", "-voice", voice, "--setf", stretch, "-t", text, "-o", "/dev/stdout", NULL};
	const char **args = flite ? flite_args : espeak_args;
	int pipe_fd[2];
	pid_t pid = -1;
	posix_spawn_file_actions_t actions;
	if (pipe2(pipe_fd, O_CLOEXEC) != 0) {
		cairn_error_set(err, "pipe: %s", strerror(errno));
		return -1;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, pipe_fd[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	int failed = posix_spawnp(&pid, args[0], &actions, NULL, (char *const *)args, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(pipe_fd[1]);
	if (failed != 0) {
		close(pipe_fd[0]);
		cairn_error_set(err, "%s: %s (apt-get install %s)", args[0], strerror(failed), args[0]);
		return -1;
	}
	*ret_fd = pipe_fd[0];
	return pid;
}

static int64_t now_ms(void)
{
	struct timespec t;
	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static uint8_t *read_all(int fd, size_t *ret_count)
{
	uint8_t *bytes = NULL;
	size_t count = 0, cap = 0;
	int64_t end_ms = now_ms() + WAIT_MS;
	for (;;) {
		if (count == cap) {
			uint8_t *more =
			    cap < CAIRN_SOUND_BYTES_MAX ? realloc(bytes, cap = cap * 2 + 65536) : NULL;
			if (more == NULL)
				break;
			bytes = more;
		}
		struct pollfd p = {.fd = fd, .events = POLLIN};
		int64_t left_ms = end_ms - now_ms();
		if (left_ms <= 0 || poll(&p, 1, (int)left_ms) <= 0)
			break;
		ssize_t n = read(fd, bytes + count, cap - count);
		if (n == 0) {
			*ret_count = count;
			return bytes;
		}
		if (n > 0)
			count += (size_t)n;
		else if (errno != EINTR)
			break;
	}
	free(bytes);
	return NULL;
}

bool synthesizer_say(
    const struct voice_style *style, const char *text, struct cairn_sound *ret, struct cairn_error *err)
{
	int fd = -1;
	size_t count = 0;
	pid_t pid = start(style, text, &fd, err);
	if (pid < 0)
		return false;
	uint8_t *bytes = read_all(fd, &count);
	close(fd);
	if (bytes == NULL)
		kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	struct cairn_error why = {"no answer in time"};
	bool ok = bytes != NULL && cairn_sound_from_wav(bytes, count, ret, &why);
	free(bytes);
	if (!ok)
		cairn_error_set(err, "%s with voice '%.40s' made no sound: %.200s",
		    style->by == CAIRN_CHOICE_SYNTHESIZER_FLITE ? "flite" : "espeak-ng", style->voice,
		    why.text);
	return ok;
}
