#include "procs/robot-sim/sight.h"

#include <stdlib.h>

#include "common/sim/detector/detect.h"
#include "procs/shell/helper_port.h"

struct sight_server {
	struct cairn_sim *sim;
	const struct cairn_world *world;
	struct cairn_sim_detector *detector;
	struct helper_port *port;
	struct cairn_detected_list list;
};

/* A figure for each person; the leaves of doors that turn with one are none. */
static size_t people(const struct sight_server *s, struct cairn_figure figures[CAIRN_WORLD_PEOPLE_MAX])
{
	struct cairn_disc discs[CAIRN_WORLD_PEOPLE_MAX];
	size_t n = cairn_sim_people(s->sim, discs);
	for (size_t i = 0; i < n; i++)
		figures[i] = (struct cairn_figure){discs[i], s->world->people[i].paint};
	return n;
}

static void answer(void *ctx, uint64_t look)
{
	struct sight_server *s = ctx;
	struct cairn_figure figures[CAIRN_WORLD_PEOPLE_MAX];
	size_t n = people(s, figures);
	int64_t t_ns = cairn_now_ns();
	cairn_sim_detector_look(s->detector, cairn_sim_state(s->sim)->body.pose, figures, n, &s->list);
	s->list.look = look;
	s->list.t_ns = t_ns;
	helper_port_answer(s->port, &s->list);
}

struct sight_server *sight_server_new(struct cairn_stage *stage, const char *path, struct cairn_sim *sim,
    const struct cairn_world *world, struct cairn_error *err)
{
	const struct cairn_config *cfg = cairn_stage_config(stage);
	struct sight_server *s = calloc(1, sizeof(*s));
	if (s == NULL) {
		cairn_error_set(err, "out of memory");
		return NULL;
	}
	s->sim = sim;
	s->world = world;
	s->detector = cairn_sim_detector_new(cfg, world, (uint64_t)cfg->sim.seed);
	if (s->detector == NULL)
		cairn_error_set(err, "out of memory");
	else
		cairn_sim_detector_props(s->detector, &cairn_sim_state(sim)->props);
	if (s->detector != NULL)
		s->port = helper_port_new(stage, path, answer, s, err);
	if (s->port == NULL)
		sight_server_destroy(&s);
	return s;
}

void sight_server_destroy(struct sight_server **server_p)
{
	struct sight_server *s = *server_p;
	*server_p = NULL;
	if (s == NULL)
		return;
	helper_port_destroy(&s->port);
	cairn_sim_detector_destroy(&s->detector);
	free(s);
}
