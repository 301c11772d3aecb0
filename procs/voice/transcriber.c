#include "procs/voice/transcriber.h"

#include <curl/curl.h>
#include <errno.h>
#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/base/secret.h"
#include "common/base/text.h"
#include "common/vlm/blot.h"

#define ANSWER_BYTES_MAX 65536

struct transcriber {
	const struct cairn_config_voice *cfg;
	char *key; /* NULL: it needs none */
	int fd;
	pthread_t thread;
	bool in_flight; /* the thread's from its start until fd is readable, the loop's otherwise: */
	uint8_t *wav;
	size_t bytes;
	struct cairn_text answer;
	char text[1024];
	bool ok;
	struct cairn_error err;
};

struct transcriber *transcriber_new(const struct cairn_config_voice *cfg, struct cairn_error *err)
{
	bool keyed = cfg->transcriber_key[0] != '\0';
	char *key = keyed ? cairn_secret_take(cfg->transcriber_key) : NULL;
	if (keyed && key == NULL) {
		cairn_error_set(
		    err, "voice.transcriber_key: the environment has no %s", cfg->transcriber_key);
		return NULL;
	}
	struct transcriber *t = calloc(1, sizeof(*t));
	if (t == NULL) {
		cairn_secret_free(&key);
		return NULL;
	}
	t->key = key;
	t->cfg = cfg;
	t->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (t->fd < 0) {
		cairn_error_set(err, "eventfd: %s", strerror(errno));
		cairn_secret_free(&t->key);
		free(t);
		return NULL;
	}
	return t;
}

void transcriber_destroy(struct transcriber **t_p)
{
	struct transcriber *t = *t_p;
	*t_p = NULL;
	if (t == NULL)
		return;
	if (t->in_flight)
		(void)pthread_join(t->thread, NULL);
	close(t->fd);
	free(t->wav);
	cairn_text_free(&t->answer);
	cairn_secret_free(&t->key);
	free(t);
}

int transcriber_fd(const struct transcriber *t)
{
	return t->fd;
}

static size_t on_body(char *data, size_t size, size_t count, void *ctx)
{
	struct transcriber *t = ctx;
	if (t->answer.len + size * count > ANSWER_BYTES_MAX)
		return 0;
	cairn_text_bytes(&t->answer, data, size * count);
	return size * count;
}

static void read_answer(struct transcriber *t, CURLcode rc, long status)
{
	json_error_t why;
	if (rc != CURLE_OK) {
		cairn_error_set(&t->err, "the transcription service: %s", curl_easy_strerror(rc));
		return;
	}
	if (status != 200) {
		cairn_error_set(&t->err, "the transcription service answers with status %ld", status);
		return;
	}
	(void)cairn_blot(t->answer.data, t->answer.len, t->key);
	json_t *j = json_loadb(t->answer.data != NULL ? t->answer.data : "", t->answer.len, 0, &why);
	const char *text = json_string_value(json_object_get(j, "text"));
	if (text == NULL)
		cairn_error_set(&t->err, "the transcription service sends no text");
	else
		cairn_text_clean(t->text, sizeof(t->text), text, strlen(text));
	t->ok = text != NULL;
	json_decref(j);
}

static void call(struct transcriber *t, CURL *curl)
{
	struct curl_slist *headers = NULL;
	char line[600];
	long status = 0;
	curl_mime *mime = curl_mime_init(curl);
	curl_mimepart *part = curl_mime_addpart(mime);
	curl_mime_name(part, "file");
	curl_mime_data(part, (const char *)t->wav, t->bytes);
	curl_mime_filename(part, "said.wav");
	curl_mime_type(part, "audio/wav");
	part = curl_mime_addpart(mime);
	curl_mime_name(part, "model");
	curl_mime_data(part, t->cfg->transcriber_model, CURL_ZERO_TERMINATED);
	part = curl_mime_addpart(mime);
	curl_mime_name(part, "response_format");
	curl_mime_data(part, "json", CURL_ZERO_TERMINATED);
	if (t->key != NULL) {
		snprintf(line, sizeof(line), "Authorization: Bearer %s", t->key);
		headers = curl_slist_append(headers, line);
		explicit_bzero(line, sizeof(line));
	}
	curl_easy_setopt(curl, CURLOPT_URL, t->cfg->transcriber_url);
	curl_easy_setopt(curl, CURLOPT_MIMEPOST, mime);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)(t->cfg->transcriber_timeout_s * 1e3));
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, t);
	CURLcode rc = curl_easy_perform(curl);
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	read_answer(t, rc, status);
	curl_slist_free_all(headers);
	curl_mime_free(mime);
}

static void *run(void *ctx)
{
	struct transcriber *t = ctx;
	CURL *curl = curl_easy_init();
	uint64_t one = 1;
	if (curl != NULL)
		call(t, curl);
	else
		cairn_error_set(&t->err, "out of memory");
	curl_easy_cleanup(curl);
	if (write(t->fd, &one, sizeof(one)) != (ssize_t)sizeof(one))
		abort(); /* an eventfd takes a one */
	return NULL;
}

bool transcriber_send(struct transcriber *t, const int16_t *pcm, size_t count)
{
	uint8_t *wav = t->in_flight ? NULL : realloc(t->wav, CAIRN_WAV_HEAD_BYTES + count * sizeof(*pcm));
	if (wav == NULL)
		return false;
	t->wav = wav;
	t->bytes = CAIRN_WAV_HEAD_BYTES + count * sizeof(*pcm);
	cairn_wav_head(wav, count);
	memcpy(wav + CAIRN_WAV_HEAD_BYTES, pcm, count * sizeof(*pcm));
	cairn_text_clear(&t->answer);
	t->ok = false;
	t->err.text[0] = '\0';
	t->in_flight = pthread_create(&t->thread, NULL, run, t) == 0;
	return t->in_flight;
}

bool transcriber_take(struct transcriber *t, const char **ret_text, struct cairn_error *err)
{
	uint64_t ones;
	if (!t->in_flight || read(t->fd, &ones, sizeof(ones)) != (ssize_t)sizeof(ones))
		return false;
	(void)pthread_join(t->thread, NULL);
	t->in_flight = false;
	*ret_text = t->ok ? t->text : NULL;
	*err = t->err;
	return true;
}
