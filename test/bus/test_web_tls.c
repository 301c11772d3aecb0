/* The web stage beyond loopback: with a certificate it speaks TLS and nothing else, to pages, commands and viewers. The real
 * process, libcurl as the other end. */
#include <curl/curl.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "common/config/config.h"
#include "common/web/tokens.h"
#include "ipc/bus.h"
#include "test/support/run_dir.h"
#include "test/support/runner.h"

#define END_S 20 /* a limit for a broken stage, not a measure of a good one */

static char run_dir[CAIRN_RUN_DIR_BYTES], token[CAIRN_WEB_TOKEN_CHARS + 1], url[128];
static char answer[256 * 1024];
static size_t answer_bytes;
static pid_t stage = -1;
static struct cairn_error err;

static char *path_of(const char *name)
{
	static char path[CAIRN_RUN_DIR_BYTES + 64];
	snprintf(path, sizeof(path), "%s/%s", run_dir, name);
	return path;
}

static void write_file(const char *name, const char *text)
{
	FILE *out = fopen(path_of(name), "we");
	ck_assert_ptr_nonnull(out);
	fputs(text, out);
	fclose(out);
	ck_assert_int_eq(chmod(path_of(name), 0600), 0);
}

static bool make_certificate(void)
{
	char command[1024];
	snprintf(command, sizeof(command),
	    "cd %s && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
	    "-subj /CN=robot -addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out cert.pem 2>openssl.log",
	    run_dir);
	return system(command) == 0;
}

static void write_tokens(void)
{
	static struct cairn_web_tokens tokens;
	const uint8_t random[CAIRN_WEB_TOKEN_CHARS] = {1, 2, 3, 4, 5};
	char text[1024];
	cairn_web_token_make(random, token);
	tokens.count = 0;
	ck_assert(cairn_web_tokens_put(&tokens, "anna", CAIRN_RIGHT_BIT(CAIRN_RIGHT_DRIVE), token, &err));
	ck_assert_int_gt(cairn_web_tokens_format(&tokens, text, sizeof(text)), 0);
	write_file("state/web.tokens", text);
}

static void write_config(const char *cert)
{
	static struct cairn_config cfg;
	cairn_config_defaults(&cfg);
	snprintf(cfg.web.endpoint, sizeof(cfg.web.endpoint), "0.0.0.0:0");
	snprintf(cfg.web.cert_file, sizeof(cfg.web.cert_file), "%s", path_of(cert));
	snprintf(cfg.web.key_file, sizeof(cfg.web.key_file), "%s", path_of("key.pem"));
	ck_assert_msg(cairn_config_save(&cfg, path_of("config.yaml"), &err), "%s", err.text);
}

/* Whether it became ready; its words are in web.log. */
static bool start_stage(void)
{
	int ready[2];
	char c, fd[8];
	ck_assert_int_eq(pipe(ready), 0);
	pid_t parent = getpid();
	stage = fork();
	if (stage == 0) {
		int log = open(path_of("web.log"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent || log < 0)
			_exit(1);
		dup2(log, 2);
		snprintf(fd, sizeof(fd), "%d", ready[1]);
		execl(
		    CAIRN_WEB, CAIRN_WEB, "--run", run_dir, "--stage", "web", "--ready-fd", fd, (char *)NULL);
		_exit(127);
	}
	close(ready[1]);
	bool is_ready = read(ready[0], &c, 1) == 1;
	close(ready[0]);
	return is_ready;
}

static int end_stage(void)
{
	int status = -1;
	kill(stage, SIGTERM);
	ck_assert_int_eq(waitpid(stage, &status, 0), stage);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool set_up(void)
{
	cairn_run_dir_make(run_dir, "web");
	cairn_run_dir_folder(run_dir, "state");
	cairn_run_dir_folder(run_dir, "logs");
	write_tokens();
	return make_certificate();
}

static size_t keep(char *data, size_t one, size_t bytes, void *ctx)
{
	(void)ctx;
	ck_assert_uint_lt(answer_bytes + one * bytes, sizeof(answer));
	memcpy(answer + answer_bytes, data, one * bytes);
	answer_bytes += one * bytes;
	answer[answer_bytes] = '\0';
	return one * bytes;
}

static CURL *talk(const char *to)
{
	CURL *curl = curl_easy_init();
	ck_assert_ptr_nonnull(curl);
	answer[answer_bytes = 0] = '\0';
	curl_easy_setopt(curl, CURLOPT_URL, to);
	curl_easy_setopt(curl, CURLOPT_CAINFO, path_of("cert.pem"));
	curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)END_S);
	curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
	curl_easy_setopt(curl, CURLOPT_HEADER, 1L);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, keep);
	return curl;
}

/* A status of HTTP, or the negative code of the library. Body NULL: GET. */
static long ask(const char *path, const char *body)
{
	char to[256];
	long status = 0;
	snprintf(to, sizeof(to), "%s%s", url, path);
	CURL *curl = talk(to);
	struct curl_slist *json = curl_slist_append(NULL, "Content-Type: application/json");
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, json);
	if (body != NULL)
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
	CURLcode code = curl_easy_perform(curl);
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	curl_slist_free_all(json);
	curl_easy_cleanup(curl);
	return code == CURLE_OK ? status : -(long)code;
}

/* RUN/web.url names the machine's address; here it is reached by loopback, which the certificate names. */
static void read_url(void)
{
	char text[128] = "", scheme[8] = "";
	unsigned port = 0;
	FILE *in = fopen(path_of("web.url"), "re");
	ck_assert_ptr_nonnull(in);
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), in));
	fclose(in);
	ck_assert_msg(sscanf(text, "%7[a-z]://%*[^:]:%u/", scheme, &port) == 2, "%s", text);
	ck_assert_str_eq(scheme, "https");
	snprintf(url, sizeof(url), "https://127.0.0.1:%u", port);
}

START_TEST(beyond_loopback_pages_and_commands_come_by_tls_alone)
{
	char body[128];
	if (!set_up())
		CAIRN_SKIP("openssl makes no certificate here");
	write_config("cert.pem");
	ck_assert(start_stage());
	read_url();
	ck_assert_int_eq(ask("/", NULL), 200);
	ck_assert_ptr_nonnull(strstr(answer, "<title>"));
	snprintf(body, sizeof(body), "{\"token\":\"%s\"}", token);
	ck_assert_int_eq(ask("/api/login", body), 200);
	ck_assert_msg(strstr(answer, "HttpOnly") != NULL && strstr(answer, "; Secure") != NULL, "%s", answer);
	ck_assert_int_eq(ask("/api/login", "{\"token\":\"of nobody\"}"), 403);
	ck_assert_int_eq(ask("/api/command/goto", "{\"args\":\"1 1\"}"), 403);
	memmove(url + 4, url + 5, strlen(url + 4)); /* http: */
	ck_assert_msg(ask("/", NULL) != 200 && strstr(answer, "<title>") == NULL, "without TLS: %s", answer);
	ck_assert_int_eq(end_stage(), 0);
	cairn_run_dir_remove(run_dir);
}
END_TEST

START_TEST(a_viewer_is_greeted_over_tls)
{
	static const char hello[] = "GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
				    "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
				    "Sec-WebSocket-Key: Y2Fpcm4gaW4gdGhlIHRlc3Q=\r\n"
				    "Sec-WebSocket-Protocol: cairn.v1\r\n\r\n";
	size_t sent = 0, got = 0;
	if (!set_up())
		CAIRN_SKIP("openssl makes no certificate here");
	write_config("cert.pem");
	ck_assert(start_stage());
	read_url();
	CURL *curl = talk(url);
	curl_easy_setopt(curl, CURLOPT_CONNECT_ONLY, 1L);
	ck_assert_int_eq(curl_easy_perform(curl), CURLE_OK);
	ck_assert_int_eq(curl_easy_send(curl, hello, sizeof(hello) - 1, &sent), CURLE_OK);
	ck_assert_uint_eq(sent, sizeof(hello) - 1);
	for (time_t end = time(NULL) + END_S; strstr(answer, "\"hello\"") == NULL && time(NULL) < end;) {
		if (curl_easy_recv(curl, answer + answer_bytes, sizeof(answer) - 1 - answer_bytes, &got) !=
		    CURLE_OK) {
			(void)poll(NULL, 0, 5);
			continue;
		}
		/* Heads of frames have zeros in them. */
		for (size_t i = answer_bytes; i < answer_bytes + got; i++)
			answer[i] = answer[i] == '\0' ? ' ' : answer[i];
		answer_bytes += got;
		answer[answer_bytes] = '\0';
	}
	ck_assert_ptr_eq(strstr(answer, "HTTP/1.1 101"), answer);
	ck_assert_msg(strstr(answer, "\"hello\"") != NULL, "%s", answer);
	curl_easy_cleanup(curl);
	ck_assert_int_eq(end_stage(), 0);
	cairn_run_dir_remove(run_dir);
}
END_TEST

START_TEST(a_certificate_that_cannot_be_read_is_named_and_nothing_is_served)
{
	char words[4096] = "";
	int status = 0;
	(void)set_up();
	write_config("absent.pem");
	ck_assert(!start_stage());
	ck_assert_int_eq(waitpid(stage, &status, 0), stage);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) != 0);
	FILE *in = fopen(path_of("web.log"), "re");
	ck_assert_ptr_nonnull(in);
	ck_assert_uint_gt(fread(words, 1, sizeof(words) - 1, in), 0);
	fclose(in);
	ck_assert_msg(
	    strstr(words, "web.cert_file") != NULL && strstr(words, "absent.pem") != NULL, "%s", words);
	cairn_run_dir_remove(run_dir);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("web-tls", 120, beyond_loopback_pages_and_commands_come_by_tls_alone,
    a_viewer_is_greeted_over_tls, a_certificate_that_cannot_be_read_is_named_and_nothing_is_served)
