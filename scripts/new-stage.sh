#!/bin/sh
# Writes a working stage into the source tree, to be filled with life: a core without clocks and sockets (common/NAME), its ports,
# a program (procs/NAME), a message and a topic of its own, a unit test, and its rows in the tables.
#
#   scripts/new-stage.sh NAME [SOURCE]      NAME: small letters and digits, with dashes; SOURCE: another checkout than this
#
# As written it counts the poses it is given and the way between them, and publishes both once a second. It starts with
# `cairn up`, reports ready and shows in `cairn status`; nothing depends on it, and when it fails the robot goes on.
# Exit: 0 written, 1 not (nothing is changed then), 2 wrong usage.
set -eu

usage() {
	echo "usage: scripts/new-stage.sh NAME [SOURCE]   (NAME: small letters and digits, with dashes, at most 20)" >&2
	exit 2
}
fail() {
	echo "new-stage.sh: $1" >&2
	exit 1
}
case "$#" in 1 | 2) ;; *) usage ;; esac
name=$1
case "$name" in
*[!a-z0-9-]* | -* | *- | [0-9]* | '') usage ;;
esac
[ "${#name}" -le 20 ] || usage
root=${2:-$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)}
cd "$root" || fail "$root: no such folder"
[ -f procs/launcher/stages.def ] || fail "$root: not a checkout of cairn"
id=$(printf '%s' "$name" | tr '-' '_')
upper=$(printf '%s' "$id" | tr '[:lower:]' '[:upper:]')
for path in "common/$id" "procs/$name" "test/unit/$id"; do
	[ ! -e "$path" ] || fail "$path is there already"
done
if grep -q "\"$name\"" procs/launcher/stages.def || grep -q "MSG_BEGIN($id," ipc/messages.def || grep -q "^TOPIC($upper," ipc/topics.def; then
	fail "a stage, message or topic is called $name already"
fi

# Adds a line in front of the first line that is exactly WHERE.
insert() { # FILE WHERE LINE
	grep -qxF -- "$2" "$1" || fail "$1: no line '$2' any more: new-stage.sh does not know where to write"
	awk -v where="$2" -v line="$3" '$0 == where && !done { print line; done = 1 } { print }' "$1" >"$1.new"
	mv "$1.new" "$1"
}
# All places are looked for before the first is written.
for pair in "ipc/messages.def:/* ---- asking ---- */" "ipc/topics.def:TOPIC(HEARTBEAT, " "common/meson.build:  'web'," "procs/meson.build:  'watchdog': [" "test/unit/meson.build:  'map': ["; do
	grep -qF -- "${pair#*:}" "${pair%%:*}" || fail "${pair%%:*}: no line '${pair#*:}' any more: new-stage.sh does not know where to write"
done

mkdir -p "common/$id" "procs/$name" "test/unit/$id"
insert ipc/messages.def '/* ---- asking ---- */' "MSG_BEGIN($id, \"what the stage $name has found\")
NUM($id, U64, poses, \"poses taken since the start\")
NUM($id, F64, way_m, \"length of the way between them\")
MSG_END($id)
"
insert ipc/topics.def "$(grep '^TOPIC(HEARTBEAT, ' ipc/topics.def)" "TOPIC($upper, \"$id\", $id, \"$name\", 1, 3000, LATEST, \"what the stage $name has found\")"
insert procs/launcher/stages.def '#undef STAGE' "STAGE($upper, \"$name\", \"cairn-$name\", false, ALWAYS, GO_ON, \"counts poses and the way between them\")"
insert common/meson.build "  'web'," "  '$id',"
insert procs/meson.build "$(grep "^  'watchdog': \[" procs/meson.build)" "  '$name': [['$name/main.c'], []],"
insert test/unit/meson.build "  'map': [" "  '$id': [
    '$name',
  ],"

cat >"common/$id/meson.build" <<END
core_src += files(
  '$id.c',
  '${id}_ports.c',
)
END
cat >"common/$id/$id.h" <<END
/* $id.h - counts the poses of the robot and the way between them.
 *
 * Pure: no sockets, no clock. All zero is a core that has seen nothing. */
#ifndef CAIRN_COMMON_${upper}_${upper}_H
#define CAIRN_COMMON_${upper}_${upper}_H

#include "ipc/messages.h"

struct cairn_$id {
	struct cairn_msg_$id found;
	struct cairn_msg_pose last; /* when found.poses > 0 */
	uint64_t rejects;
};

/* Takes a pose. One that is not finite is refused and counted: false. */
bool cairn_${id}_pose(struct cairn_$id *c, const struct cairn_msg_pose *pose);

#endif
END
cat >"common/$id/$id.c" <<END
#include "common/$id/$id.h"

#include <math.h>

bool cairn_${id}_pose(struct cairn_$id *c, const struct cairn_msg_pose *pose)
{
	if (!isfinite(pose->x_m) || !isfinite(pose->y_m)) {
		c->rejects++;
		return false;
	}
	if (c->found.poses > 0)
		c->found.way_m += hypot(pose->x_m - c->last.x_m, pose->y_m - c->last.y_m);
	c->found.poses++;
	c->last = *pose;
	return true;
}
END
cat >"common/$id/${id}_ports.h" <<END
/* ${id}_ports.h - what goes into the core and comes out of it, as tables (ipc/ports.h). */
#ifndef CAIRN_COMMON_${upper}_${upper}_PORTS_H
#define CAIRN_COMMON_${upper}_${upper}_PORTS_H

#include "common/$id/$id.h"
#include "ipc/ports.h"

extern const struct cairn_in cairn_${id}_in[]; /* core: struct cairn_$id */
extern const struct cairn_out cairn_${id}_out[];

#endif
END
cat >"common/$id/${id}_ports.c" <<END
#include "common/$id/${id}_ports.h"

CAIRN_TAKE(take_pose, cairn_$id, pose, cairn_${id}_pose(core, m))

const struct cairn_in cairn_${id}_in[] = {
    {CAIRN_TOPIC_POSE, CAIRN_ACCEPT_FRESH, take_pose},
    {.take = NULL},
};

const struct cairn_out cairn_${id}_out[] = {
    {CAIRN_TOPIC_$upper, 1000},
    {CAIRN_TOPIC_COUNT, 0},
};
END
cat >"procs/$name/main.c" <<END
/* $name - counts the poses of the robot and the way between them; the thin shell around common/$id. */
#include "common/$id/${id}_ports.h"
#include "procs/shell/stage.h"

#define STEP_MS 200

struct app {
	CAIRN_STAGE_STATE;
	struct cairn_$id core;
};

static int on_step(void *ctx)
{
	struct app *app = ctx;
	cairn_stage_notef(app->stage, "%.1f m driven", app->core.found.way_m);
	cairn_stage_core_rejects(app->stage, app->core.rejects);
	cairn_outbox_put(app->outbox, CAIRN_TOPIC_$upper, &app->core.found, false, cairn_now_ns());
	return 0;
}

static const struct cairn_port ports[] = {
    {CAIRN_PORT_OUT(cairn_${id}_out)},
    {CAIRN_PORT_IN_PART(cairn_${id}_in, struct app, core)},
    {CAIRN_PORT_EVERY(STEP_MS, on_step)},
    {.open = NULL},
};

CAIRN_STAGE_MAIN("cairn-$name", "counts poses and the way between them", struct app, .ports = ports)
END
cat >"test/unit/$id/test_$id.c" <<END
/* The core of the stage $name. */
#include <math.h>

#include "common/$id/${id}_ports.h"
#include "test/support/runner.h"

START_TEST(the_way_is_the_sum_of_the_steps_between_poses)
{
	struct cairn_$id c = {.rejects = 0};
	static const double way[][2] = {{5, 5}, {8, 9}, {8, 9}, {8, 8}};
	for (size_t i = 0; i < sizeof(way) / sizeof(way[0]); i++)
		ck_assert(cairn_${id}_pose(&c, &(struct cairn_msg_pose){.x_m = way[i][0], .y_m = way[i][1]}));
	ck_assert_uint_eq(c.found.poses, 4);
	ck_assert_double_eq_tol(c.found.way_m, 6.0, 1e-12); /* 3-4-5, nothing, and one back */
}
END_TEST

START_TEST(a_pose_that_is_not_finite_is_refused_and_counted)
{
	struct cairn_$id c = {.rejects = 0};
	ck_assert(!cairn_${id}_pose(&c, &(struct cairn_msg_pose){.x_m = NAN}));
	ck_assert_uint_eq(c.rejects, 1);
	ck_assert_uint_eq(c.found.poses, 0);
}
END_TEST

START_TEST(its_topic_is_published_by_its_stage)
{
	ck_assert_str_eq(cairn_topics[cairn_${id}_out[0].topic].stage, "$name");
}
END_TEST

CAIRN_TEST_MAIN("$name", the_way_is_the_sum_of_the_steps_between_poses,
    a_pose_that_is_not_finite_is_refused_and_counted, its_topic_is_published_by_its_stage)
END

cat <<END
The stage $name is written:
  common/$id/          the core: what it decides, and its ports
  procs/$name/main.c   the program
  test/unit/$id/       its test
  ipc/messages.def, ipc/topics.def, procs/launcher/stages.def, and three meson.build have a row each
Next: ninja -C build && build/test/unit/test_$id && build/procs/cairn up; scripts/docs.sh writes the new topic into docs/bus.md.
END
