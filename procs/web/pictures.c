/* pictures.c - the newest picture of each kind, from a process that runs while somebody wants one.
 *
 * That process joins the data plane in our place: the plane's library may block and end whoever uses it, and a stop must
 * not wait for it. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/geom.h"
#include "procs/web/web.h"

#define AGAIN_NS CAIRN_NS_PER_S
#define LINGER_NS (5 * CAIRN_NS_PER_S) /* it costs a moment to join */
#define LEAVE_NS (2 * CAIRN_NS_PER_S)
#define CHILD_FD 3

static uint32_t wanted(const struct web *web)
{
	uint32_t set = 0;
	for (int i = 0; i < WEB_PICTURES; i++)
		set |= web->picture_users[i] > 0 ? WEB_PICTURE_BIT(i) : 0;
	return set;
}

/* Its end, whether it was asked for or not: it leaves the data plane in good order when its socket closes. */
static void end_child(struct web *web)
{
	if (web->frames_fd >= 0) {
		cairn_stage_unwatch_fd(web->stage, web->frames_fd);
		close(web->frames_fd);
	}
	web->leaving_pid = web->frames_pid;
	web->kill_ns = cairn_now_ns() + LEAVE_NS;
	web->frames_fd = -1;
	web->frames_pid = 0;
	web->frames_have = 0;
	web->frames_told = 0;
	web->frames_due_ns = cairn_now_ns() + AGAIN_NS;
}

static void see_off(struct web *web)
{
	if (web->leaving_pid == 0)
		return;
	if (cairn_now_ns() > web->kill_ns)
		kill(web->leaving_pid, SIGKILL);
	if (waitpid(web->leaving_pid, NULL, WNOHANG) != 0)
		web->leaving_pid = 0;
}

static void keep(struct web_seen *ring, unsigned count, unsigned *next, uint64_t id, struct web_blob *blob)
{
	struct web_seen *place = &ring[(*next)++ % count];
	web_blob_drop(&place->blob);
	*place = (struct web_seen){id, web_blob_hold(blob)};
}

static struct web_blob *find(const struct web_seen *ring, unsigned count, uint64_t id)
{
	for (unsigned i = 0; i < count; i++) {
		if (ring[i].id == id && ring[i].blob != NULL)
			return ring[i].blob;
	}
	return NULL;
}

void pictures_decided(struct web *web, uint64_t decision, uint64_t snapshot)
{
	struct web_blob *blob = find(web->seen, WEB_SEEN_MAX, snapshot);
	if (blob != NULL && find(web->decided, WEB_DECIDED_MAX, decision) == NULL)
		keep(web->decided, WEB_DECIDED_MAX, &web->decided_next, decision, blob);
}

struct web_blob *pictures_of_decision(const struct web *web, uint64_t decision)
{
	return find(web->decided, WEB_DECIDED_MAX, decision);
}

static void take_frame(struct web *web, const struct web_frame_head *head, const char *data)
{
	struct web_picture_now *now = &web->pictures[head->picture];
	web_blob_drop(&now->blob);
	web_blob_drop(&now->text);
	if (head->text_bytes > 0)
		now->text = web_blob_new(data, head->text_bytes);
	if (head->picture_bytes > 0)
		now->blob = web_blob_new(data + head->text_bytes, head->picture_bytes);
	now->number++;
	now->arrived_ns = cairn_now_ns();
	now->t_ns = head->t_ns;
	if (head->picture == WEB_SNAPSHOT && now->blob != NULL)
		keep(web->seen, WEB_SEEN_MAX, &web->seen_next, head->id, now->blob);
	if (head->picture == WEB_MAP) {
		char text[64];
		int n = snprintf(text, sizeof(text), "{\"op\":\"map\",\"version\":\"%llu\"}",
		    (unsigned long long)now->number);
		hub_put(web, hub_slot(web, "map"), text, (size_t)n);
	}
	hub_picture(web, (enum web_picture)head->picture, head->t_ns);
	http_picture(web, (enum web_picture)head->picture);
}

/* Takes the whole frames that have come. False when what came is none. */
static bool take_frames(struct web *web)
{
	for (;;) {
		struct web_frame_head head;
		if (web->frames_have < sizeof(head))
			return true;
		memcpy(&head, web->frames_buf, sizeof(head));
		if (head.magic != WEB_FRAME_MAGIC || head.picture >= WEB_PICTURES ||
		    head.text_bytes > WEB_FRAME_MAX / 2 || head.picture_bytes > WEB_FRAME_MAX / 2)
			return false;
		size_t whole = sizeof(head) + head.text_bytes + head.picture_bytes;
		if (web->frames_have < whole)
			return true;
		take_frame(web, &head, web->frames_buf + sizeof(head));
		web->frames_have -= whole;
		memmove(web->frames_buf, web->frames_buf + whole, web->frames_have);
	}
}

static int on_frames(void *ctx)
{
	struct web *web = ctx;
	for (int i = 0; i < 8; i++) {
		ssize_t n = recv(web->frames_fd, web->frames_buf + web->frames_have,
		    sizeof(struct web_frame_head) + WEB_FRAME_MAX - web->frames_have, MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		web->frames_have += n > 0 ? (size_t)n : 0;
		if (n <= 0 || !take_frames(web)) {
			cairn_stage_tried(web->stage, "read pictures",
			    n <= 0 ? "their reader has ended; see its log" : "not a frame");
			end_child(web);
			return 0;
		}
		cairn_stage_tried(web->stage, "read pictures", NULL);
	}
	return 0;
}

_Noreturn static void be_child(const struct web *web, int fd, pid_t parent)
{
	char program[512];
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 16);
	if (getppid() != parent || n <= 0 || dup2(fd, CHILD_FD) < 0)
		_exit(1);
	program[n] = '\0';
	snprintf(program + n, sizeof(program) - (size_t)n, "-frames");
	(void)close_range(CHILD_FD + 1, ~0U, 0);
	execl(program, program, cairn_stage_run_dir(web->stage), (char *)NULL);
	_exit(127);
}

static void start_child(struct web *web)
{
	int pair[2];
	if (web->frames_buf == NULL)
		web->frames_buf = malloc(sizeof(struct web_frame_head) + WEB_FRAME_MAX);
	if (web->frames_buf == NULL || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
		cairn_stage_tried(web->stage, "read pictures", strerror(errno));
		web->frames_due_ns = cairn_now_ns() + AGAIN_NS;
		return;
	}
	pid_t parent = getpid();
	web->frames_pid = fork();
	if (web->frames_pid == 0)
		be_child(web, pair[1], parent);
	close(pair[1]);
	web->frames_fd = pair[0];
	if (web->frames_pid < 0) {
		web->frames_pid = 0;
		end_child(web);
		return;
	}
	cairn_stage_watch_fd(web->stage, web->frames_fd, POLLIN, on_frames, web);
}

static void tell_child(struct web *web)
{
	uint32_t change = wanted(web) ^ web->frames_told;
	for (int i = 0; i < WEB_PICTURES; i++) {
		bool on = web->picture_users[i] > 0;
		uint8_t wish = (uint8_t)(i | (on ? WEB_PICTURE_ON : 0));
		if ((change & WEB_PICTURE_BIT(i)) != 0 &&
		    send(web->frames_fd, &wish, 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1)
			web->frames_told ^= WEB_PICTURE_BIT(i);
	}
}

int pictures_on_tick(void *ctx)
{
	struct web *web = ctx;
	int64_t now_ns = cairn_now_ns();
	uint32_t set = wanted(web);
	see_off(web);
	if (set != 0 && web->frames_pid == 0 && web->leaving_pid == 0 && now_ns >= web->frames_due_ns)
		start_child(web);
	if (web->frames_pid == 0)
		return 0;
	tell_child(web);
	if (set != 0)
		web->frames_due_ns = now_ns + LINGER_NS;
	else if (now_ns >= web->frames_due_ns)
		end_child(web);
	return 0;
}

void pictures_use(struct web *web, enum web_picture which)
{
	web->picture_users[which]++;
	(void)pictures_on_tick(web);
}

void pictures_leave(struct web *web, enum web_picture which)
{
	web->picture_users[which]--;
}

void pictures_close(struct web *web)
{
	end_child(web);
	for (int i = 0; i < WEB_PICTURES; i++) {
		web_blob_drop(&web->pictures[i].blob);
		web_blob_drop(&web->pictures[i].text);
	}
	for (int i = 0; i < WEB_SEEN_MAX; i++)
		web_blob_drop(&web->seen[i].blob);
	for (int i = 0; i < WEB_DECIDED_MAX; i++)
		web_blob_drop(&web->decided[i].blob);
	free(web->frames_buf);
}
