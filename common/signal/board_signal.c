#include "common/signal/board_signal.h"

#include "common/base/geom.h"

#define SPACING_NS (100 * CAIRN_NS_PER_MS)
#define REFRESH_NS (1000 * CAIRN_NS_PER_MS)

static void take(struct cairn_board_signal *b, const struct cairn_msg_signal *m, int64_t t_ns)
{
	b->told = m->signal;
	b->told_ns = t_ns;
}

CAIRN_TAKE(take_signal, cairn_board_signal, signal, (take(core, m, hdr->t_ns), 0))

const struct cairn_in cairn_board_signal_in[] = {
    {CAIRN_TOPIC_SIGNAL, CAIRN_ACCEPT_FRESH, take_signal},
    {.take = NULL},
};

void cairn_board_signal_init(struct cairn_board_signal *b, const struct cairn_config_robot *robot)
{
	*b = (struct cairn_board_signal){.beeps = robot->signal_beeps};
	cairn_signals_init(&b->own, robot->battery_warn_percent);
}

void cairn_board_signal_restart(struct cairn_board_signal *b)
{
	b->effect_ended = false;
	b->lit_ns = 0;
}

static void choose(struct cairn_board_signal *b, int64_t now_ns)
{
	struct cairn_msg_signal m;
	cairn_signals_step(&b->own, now_ns, &m);
	bool fresh = b->told_ns != 0 && cairn_topic_fresh(CAIRN_TOPIC_SIGNAL, b->told_ns, now_ns);
	enum cairn_signal signal = fresh && b->told > m.signal ? b->told : m.signal;
	if (signal == b->shown)
		return;
	b->shown = signal;
	b->since_ns = now_ns;
	b->beeped = 0;
}

size_t cairn_board_signal_next(
    struct cairn_board_signal *b, int64_t now_ns, uint8_t out[CAIRN_ROSMASTER_FRAME_MAX])
{
	choose(b, now_ns);
	if (now_ns < b->next_ns)
		return 0;
	struct cairn_signal_look look = cairn_signal_look(b->shown, now_ns - b->since_ns);
	size_t n = 0;
	if (!b->effect_ended) {
		b->effect_ended = true;
		n = cairn_rosmaster_effect_off(out);
	} else if (b->beeps && look.beeps > b->beeped) {
		b->beeped = look.beeps;
		n = cairn_rosmaster_beep(out, cairn_signal_rows[b->shown].beep_ms);
	} else if (b->lit_ns == 0 || look.rgb != b->rgb || now_ns - b->lit_ns >= REFRESH_NS) {
		b->rgb = look.rgb;
		b->lit_ns = now_ns;
		n = cairn_rosmaster_lamps(out, look.rgb);
	}
	if (n > 0)
		b->next_ns = now_ns + SPACING_NS;
	return n;
}
