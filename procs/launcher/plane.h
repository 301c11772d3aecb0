/* plane.h - RouDi and the memory behind the data plane: configuration, size, life.
 *
 * The plane is one thing: when RouDi dies or hangs, all of its users are ended, everything is removed and
 * built anew (a new namespace where there is one). Rules are in the launcher's main loop; this file does the
 * work. */
#ifndef CAIRN_PROCS_LAUNCHER_PLANE_H
#define CAIRN_PROCS_LAUNCHER_PLANE_H

#include "common/config/config.h"
#include "procs/launcher/last_words.h"
#include "procs/launcher/logfile.h"
#include "procs/launcher/spawn.h"

#define CAIRN_ROUDI "/usr/bin/iox-roudi"

/* Bytes of shared memory the plane needs, RouDi's own management segment included. */
uint64_t cairn_plane_bytes(const struct cairn_config *cfg);
/* RouDi's TOML: one pool a frame topic, ascending, equal sizes merged. Bytes written, or -ENOBUFS. */
int cairn_plane_config(const struct cairn_config *cfg, char *buf, size_t bytes);

enum cairn_plane_state { CAIRN_PLANE_DOWN, CAIRN_PLANE_STARTING, CAIRN_PLANE_UP };

struct cairn_plane {
	const struct cairn_config *cfg;
	const char *run_dir;
	enum cairn_plane_state state;
	struct cairn_namespace ns; /* inactive: the host's own */
	struct cairn_child child;  /* RouDi; pid 0 = none */
	int64_t since_ns;
	char seen[64]; /* tail of its output, to find the line that says it is ready */
	struct cairn_logfile log;
	struct cairn_last_words words; /* of the newest RouDi */
	char note[160]; /* how it is isolated when not as wished, or why it could not be started; empty
			   otherwise */
	bool on_host;   /* what is in the host's /tmp and /dev/shm is this one's */
};

void cairn_plane_init(struct cairn_plane *plane, const struct cairn_config *cfg, const char *run_dir);
/* Would the plane start? False with err set when launcher.isolation cannot be had: no namespace, another
 * RouDi on the host, too little memory there. note: what it falls back to, or empty. Starts nothing. */
bool cairn_plane_possible(
    const struct cairn_config *cfg, char *note, size_t note_bytes, struct cairn_error *err);
/* Makes the namespace (as launcher.isolation says) and starts RouDi. False with err set. */
bool cairn_plane_start(struct cairn_plane *plane, int64_t now_ns, struct cairn_error *err);
/* Reads RouDi's output into its log; the state becomes UP when it says that it is ready. */
void cairn_plane_read(struct cairn_plane *plane, int64_t now_ns);
/* The caller has reaped RouDi. */
void cairn_plane_reaped(struct cairn_plane *plane);
/* SIGKILL to RouDi if it lives, wait for it, forget the namespace and with it everything inside. */
void cairn_plane_remove(struct cairn_plane *plane);
/* Orderly end: SIGTERM, at most timeout_ms, then as above. */
void cairn_plane_stop(struct cairn_plane *plane, int timeout_ms);

#endif
