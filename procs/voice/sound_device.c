#include "procs/voice/sound_device.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/geom.h"
#if CAIRN_ALSA
#include <alsa/asoundlib.h>
#endif

#define LATENCY_US 200000

struct sound_device {
	bool capture;
	int fd;                  /* of a pipe or a file; -1 */
	struct cairn_sound file; /* a WAV file that is heard */
	int64_t t_open_ns;       /* when that began; 0: not yet */
	size_t taken;
	const int16_t *pcm; /* being played */
	size_t count, at;
	int64_t t_end_ns;
#if CAIRN_ALSA
	snd_pcm_t *alsa;
#endif
};

static bool open_wav(struct sound_device *d, const char *path, struct cairn_error *err)
{
	size_t bytes;
	char *b = cairn_file_read(path, 0, CAIRN_SOUND_BYTES_MAX, &bytes, err);
	struct cairn_error why = {""};
	bool ok = b != NULL && cairn_sound_from_wav((const uint8_t *)b, bytes, &d->file, &why);
	if (b != NULL && !ok)
		cairn_error_set(err, "%s: %.200s", path, why.text);
	free(b);
	return ok;
}

static bool open_path(struct sound_device *d, const char *name, const char *dir, struct cairn_error *err)
{
	char path[600];
	struct stat st;
	(void)cairn_path_below(path, sizeof(path), dir, name);
	bool there = stat(path, &st) == 0;
	if (d->capture && (!there || S_ISREG(st.st_mode)))
		return open_wav(d, path, err);
	int flags = d->capture                      ? O_RDONLY
		    : there && S_ISFIFO(st.st_mode) ? O_RDWR
						    : O_WRONLY | O_APPEND | O_CREAT;
	d->fd = open(path, flags | O_NONBLOCK | O_CLOEXEC, 0644);
	if (d->fd < 0)
		cairn_error_set(err, "%s: %s", path, strerror(errno));
	return d->fd >= 0;
}

#if CAIRN_ALSA
static bool open_alsa(struct sound_device *d, const char *device, struct cairn_error *err)
{
	int rc = snd_pcm_open(&d->alsa, device, d->capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK,
	    SND_PCM_NONBLOCK);
	if (rc == 0)
		rc = snd_pcm_set_params(d->alsa, SND_PCM_FORMAT_S16_LE, SND_PCM_ACCESS_RW_INTERLEAVED, 1,
		    CAIRN_SOUND_HZ, 1, LATENCY_US);
	if (rc == 0 && d->capture)
		rc = snd_pcm_start(d->alsa);
	if (rc < 0)
		cairn_error_set(err, "sound device '%s': %s ('arecord -L' and 'aplay -L' list them)", device,
		    snd_strerror(rc));
	return rc >= 0;
}
#endif

struct sound_device *sound_device_open(
    const char *device, const char *dir, bool capture, struct cairn_error *err)
{
	struct sound_device *d = calloc(1, sizeof(*d));
	bool ok = false;
	if (d == NULL)
		return NULL;
	d->capture = capture;
	d->fd = -1;
	if (strncmp(device, "file:", 5) == 0)
		ok = open_path(d, device + 5, dir, err);
	else
#if CAIRN_ALSA
		ok = open_alsa(d, device, err);
#else
		cairn_error_set(err,
		    "this build knows no sound devices: apt-get install libasound2-dev, then build again");
#endif
	if (!ok)
		sound_device_close(&d);
	return d;
}

void sound_device_close(struct sound_device **d_p)
{
	struct sound_device *d = *d_p;
	*d_p = NULL;
	if (d == NULL)
		return;
#if CAIRN_ALSA
	if (d->alsa != NULL)
		snd_pcm_close(d->alsa);
#endif
	if (d->fd >= 0)
		close(d->fd);
	cairn_sound_free(&d->file);
	free(d);
}

/* As much of the file as a microphone would have given by now, silence behind its end. */
static long read_paced(struct sound_device *d, int16_t *pcm, size_t max, int64_t now_ns)
{
	if (d->t_open_ns == 0)
		d->t_open_ns = now_ns;
	size_t due = (size_t)((double)(now_ns - d->t_open_ns) * 1e-9 * CAIRN_SOUND_HZ) - d->taken;
	size_t n = due < max ? due : max;
	for (size_t i = 0; i < n; i++, d->taken++)
		pcm[i] = d->taken < d->file.count ? d->file.pcm[d->taken] : 0;
	return (long)n;
}

long sound_device_read(
    struct sound_device *d, int16_t *pcm, size_t max, int64_t now_ns, struct cairn_error *err)
{
	if (d->file.pcm != NULL)
		return read_paced(d, pcm, max, now_ns);
#if CAIRN_ALSA
	if (d->alsa != NULL) {
		snd_pcm_sframes_t n = snd_pcm_readi(d->alsa, pcm, max);
		if (n >= 0 || n == -EAGAIN)
			return n > 0 ? n : 0;
		int rc = snd_pcm_recover(d->alsa, (int)n, 1);
		if (rc >= 0)
			rc = snd_pcm_start(d->alsa);
		if (rc >= 0 || rc == -EBADFD)
			return 0;
		cairn_error_set(err, "microphone: %s", snd_strerror(rc));
		return -1;
	}
#endif
	ssize_t n = read(d->fd, pcm, max * sizeof(*pcm));
	if (n >= 0)
		return n / (ssize_t)sizeof(*pcm);
	if (errno == EAGAIN || errno == EINTR)
		return 0;
	cairn_error_set(err, "microphone: %s", strerror(errno));
	return -1;
}

void sound_device_play(struct sound_device *d, const int16_t *pcm, size_t count, int64_t now_ns)
{
	sound_device_cut(d);
	d->pcm = pcm;
	d->count = count;
	d->at = 0;
	d->t_end_ns = now_ns + (int64_t)((double)count / CAIRN_SOUND_HZ * CAIRN_NS_PER_S);
}

void sound_device_cut(struct sound_device *d)
{
	d->pcm = NULL;
#if CAIRN_ALSA
	if (d->alsa != NULL) {
		(void)snd_pcm_drop(d->alsa);
		(void)snd_pcm_prepare(d->alsa);
	}
#endif
}

/* Gives the device what it takes now. Negative: it has failed. */
static int push(struct sound_device *d, struct cairn_error *err)
{
	while (d->at < d->count) {
#if CAIRN_ALSA
		if (d->alsa != NULL) {
			snd_pcm_sframes_t n = snd_pcm_writei(d->alsa, d->pcm + d->at, d->count - d->at);
			if (n == -EAGAIN)
				return 0;
			if (n < 0 && snd_pcm_recover(d->alsa, (int)n, 1) < 0) {
				cairn_error_set(err, "loudspeaker: %s", snd_strerror((int)n));
				return -1;
			}
			d->at += n > 0 ? (size_t)n : 0;
			continue;
		}
#endif
		ssize_t n = write(d->fd, d->pcm + d->at, (d->count - d->at) * sizeof(*d->pcm));
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		if (n < 0) {
			cairn_error_set(err, "loudspeaker: %s", strerror(errno));
			return -1;
		}
		d->at += (size_t)n / sizeof(*d->pcm);
	}
	return 0;
}

bool sound_device_playing(struct sound_device *d, int64_t now_ns, struct cairn_error *err)
{
	if (d->pcm == NULL)
		return false;
	if (push(d, err) < 0 || (d->at >= d->count && now_ns >= d->t_end_ns))
		d->pcm = NULL;
	return d->pcm != NULL;
}
