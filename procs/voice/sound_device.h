/* sound_device.h - microphone and loudspeaker: a device of ALSA, or a file or named pipe in its place ("file:PATH"). 16 kHz, 16 bit, one
 * channel. Nothing blocks; the caller comes by every 20 ms or so. */
#ifndef CAIRN_PROCS_VOICE_SOUND_DEVICE_H
#define CAIRN_PROCS_VOICE_SOUND_DEVICE_H

#include "common/voice/sound.h"

struct sound_device;

/* For capture: a WAV file is heard at the pace of the clock, from its opening on, then silence; a named pipe holds bare samples and is
 * heard as they come. For playback samples are added to the file or written into the pipe. A path that is relative is below dir. NULL
 * with the reason: no such device, or a build without ALSA. */
struct sound_device *sound_device_open(
    const char *device, const char *dir, bool capture, struct cairn_error *err);
void sound_device_close(struct sound_device **d_p);

/* Samples that have come since: at most max of them, 0 none; negative: the device is gone, with the reason. */
long sound_device_read(
    struct sound_device *d, int16_t *pcm, size_t max, int64_t now_ns, struct cairn_error *err);

/* Begins to play; the samples stay the caller's and must live until it has ended. What played before is cut. */
void sound_device_play(struct sound_device *d, const int16_t *pcm, size_t count, int64_t now_ns);
/* Silence, at once. */
void sound_device_cut(struct sound_device *d);
/* True while something plays. False with a reason in err: the device has failed. */
bool sound_device_playing(struct sound_device *d, int64_t now_ns, struct cairn_error *err);

#endif
