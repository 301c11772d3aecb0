#include "procs/cairn/found.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/geom.h"
#include "common/scene/scene_file.h"
#include "common/vlm/memory.h"
#include "procs/cairn/commands.h"

#define PATH_BYTES 1024

bool found_home(const char *run_dir, struct cairn_error *err)
{
	static const char *const folders[] = {"state", "bus"};
	char path[PATH_BYTES];
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", run_dir, folders[i]);
		if (access(path, F_OK) == 0)
			return true;
	}
	cairn_error_set(
	    err, "no robot has run in %s: 'cairn up' starts one, --run names another directory", run_dir);
	return false;
}

bool found_load(const char *state_dir, struct cairn_msg_discoveries *ret, struct cairn_error *err)
{
	static struct cairn_memory memory; /* large */
	struct cairn_ledger ledger;
	char path[PATH_BYTES];
	snprintf(path, sizeof(path), "%s/memory.yaml", state_dir);
	bool ok = cairn_memory_load(&memory, &ledger, path, err);
	cairn_memory_discoveries(&memory, ret);
	return ok;
}

bool found_scene(const char *state_dir, struct cairn_msg_scene *ret, struct cairn_error *err)
{
	struct cairn_config cfg;
	char path[PATH_BYTES];
	bool damaged;
	*ret = (struct cairn_msg_scene){0};
	cairn_config_defaults(&cfg);
	struct cairn_scene *scene = cairn_scene_new(&cfg);
	if (scene == NULL) {
		cairn_error_set(err, "out of memory");
		return false;
	}
	snprintf(path, sizeof(path), "%s/%s", state_dir, CAIRN_SCENE_FILE_NAME);
	bool ok = cairn_scene_load(scene, path, &damaged, err);
	if (ok)
		cairn_scene_message(scene, (struct cairn_pose2){0}, ret);
	cairn_scene_destroy(&scene);
	return ok;
}

static void time_text(double unix_s, char *buf, size_t bytes)
{
	time_t t = (time_t)unix_s;
	struct tm local;
	if (!(unix_s > 0.0) || localtime_r(&t, &local) == NULL ||
	    strftime(buf, bytes, "%Y-%m-%d %H:%M:%S", &local) == 0)
		snprintf(buf, bytes, "-");
}

static bool is_of(const struct cairn_msg_scene_node *n, bool rooms)
{
	bool thing = n->kind == CAIRN_SCENE_KIND_OBJECT || n->kind == CAIRN_SCENE_KIND_AGENT;
	return rooms ? n->kind == CAIRN_SCENE_KIND_ROOM : thing && !n->stale;
}

void found_scene_print(const struct cairn_msg_scene *scene, uint32_t most, FILE *out)
{
	for (int rooms = 1; rooms >= 0; rooms--) {
		uint32_t shown = 0, all = 0;
		for (uint32_t i = 0; i < scene->nodes_count; i++)
			all += is_of(&scene->nodes[i], rooms != 0);
		if (all == 0)
			continue;
		fprintf(out, "%-12s %u:", rooms != 0 ? "rooms" : "things", all);
		for (uint32_t i = 0; i < scene->nodes_count && shown < most; i++) {
			struct cairn_msg_scene_node n = scene->nodes[i];
			if (!is_of(&n, rooms != 0))
				continue;
			fprintf(out, "%s %s at %.1f %.1f", shown > 0 ? ";" : "", cli_printable(n.id),
			    cairn_tenth(n.x_m), cairn_tenth(n.y_m));
			shown++;
		}
		fprintf(out, "%s\n", shown < all ? "; and more ('cairn scene')" : "");
	}
}

void found_print(const struct cairn_msg_discoveries *found, const char *lead, uint32_t most,
    const char *state_dir, FILE *out)
{
	uint32_t i = 0;
	for (; i < found->items_count && i < most; i++) {
		struct cairn_msg_discovery d = found->items[i];
		char when[32];
		time_text(d.unix_s, when, sizeof(when));
		fprintf(out, "%s%-8s \"%s\" at %.1f %.1f, %s", lead,
		    cairn_enum_text(&cairn_enum_significance, (int)d.kind), cli_printable(d.label),
		    cairn_tenth(d.x_m), cairn_tenth(d.y_m), when);
		if (d.room[0] != '\0')
			fprintf(out, ", %s \"%s\"", d.kind == CAIRN_SIGNIFICANCE_ROOM ? "entered from" : "in",
			    cli_printable(d.room));
		if (d.notes[0] != '\0')
			fprintf(out, ": %s", cli_printable(d.notes));
		if (state_dir != NULL && d.picture[0] != '\0')
			fprintf(out, " [%s/pictures/%s]", state_dir, cli_printable(d.picture));
		fprintf(out, "\n");
	}
	if (i < found->items_count)
		fprintf(out, "%sand %u more: cairn discoveries\n", lead, found->items_count - i);
	if (found->dropped > 0) {
		char label[sizeof(found->dropped_last)];
		memcpy(label, found->dropped_last, sizeof(label));
		fprintf(out,
		    "%s%llu made room for newer ones, \"%s\" last (vlm.rooms_max rooms and "
		    "vlm.discoveries_max things are kept)\n",
		    lead, (unsigned long long)found->dropped, cli_printable(label));
	}
}

bool found_save(const struct cairn_msg_discoveries *found, const char *name, struct cairn_error *err)
{
	char path[PATH_BYTES], *text = NULL;
	size_t bytes = 0, stem = strlen(name);
	const char *dot = strrchr(name, '.');
	if (dot != NULL && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".pgm") == 0))
		stem = (size_t)(dot - name);
	snprintf(path, sizeof(path), "%.*s.discoveries.yaml", (int)stem, name);
	FILE *out = open_memstream(&text, &bytes);
	if (out == NULL) {
		cairn_error_set(err, "%s: out of memory", path);
		return false;
	}
	fprintf(out, "# rooms and things on this map; metres in its frame, where the robot saw them from\n");
	fprintf(out, "dropped: %llu\ndiscoveries:%s\n", (unsigned long long)found->dropped,
	    found->items_count == 0 ? " []" : "");
	for (uint32_t i = 0; i < found->items_count; i++) {
		const struct cairn_msg_discovery *d = &found->items[i];
		fprintf(out, "- id: %llu\n  kind: %s\n  label: ", (unsigned long long)d->id,
		    cairn_enum_text(&cairn_enum_significance, (int)d->kind));
		cli_print_json_string(out, d->label);
		fprintf(
		    out, "\n  x_m: %.2f\n  y_m: %.2f\n  unix_s: %.0f\n  room: ", d->x_m, d->y_m, d->unix_s);
		cli_print_json_string(out, d->room);
		fprintf(out, "\n  notes: ");
		cli_print_json_string(out, d->notes);
		fprintf(out, "\n  picture: ");
		cli_print_json_string(out, d->picture);
		fprintf(out, "\n");
	}
	bool ok = fclose(out) == 0 && cairn_file_replace(path, 0, 0644, text, bytes, err);
	free(text);
	return ok;
}
