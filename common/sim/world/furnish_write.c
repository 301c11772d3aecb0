#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/sim/world/furnish_private.h"

#define POINTS_A_LINE 8

static void write_rooms(const struct furnish_house *h, FILE *out)
{
	fprintf(out, "\nrooms:\n");
	for (size_t i = 0; i < h->plan.box_count; i++) {
		const struct furnish_room *room = &h->rooms[i];
		const struct cairn_houseexpo_box *b = room->box;
		if (room->kind < 0)
			continue;
		fprintf(out,
		    "  - {name: %s, polygon: [[%.2f, %.2f], [%.2f, %.2f], [%.2f, %.2f], [%.2f, %.2f]], "
		    "floor: %s, floor_colour: \"%s\"}\n",
		    room->name, b->x_min_m, b->y_min_m, b->x_max_m, b->y_min_m, b->x_max_m, b->y_max_m,
		    b->x_min_m, b->y_max_m, room->floor, room->floor_colour);
	}
}

static void write_outline(const struct furnish_house *h, FILE *out)
{
	fprintf(out, "\noutline: [");
	for (size_t i = 0; i < h->plan.vert_count; i++)
		fprintf(out, "%s[%.2f, %.2f]",
		    i == 0                   ? ""
		    : i % POINTS_A_LINE == 0 ? ",\n  "
					     : ", ",
		    h->plan.verts[i].x_m, h->plan.verts[i].y_m);
	fprintf(out, "]\n");
}

static void write_piece(const struct furnish_piece *p, FILE *out)
{
	fprintf(out, "  - {name: %s%s%s, kind: %s, at: [%.3f, %.3f], size: [%.2f, %.2f], yaw_deg: %.0f",
	    p->colour, p->colour[0] != '\0' ? " " : "", p->name, p->kind, p->x_m, p->y_m, p->width_m,
	    p->depth_m, cairn_rad_to_deg(p->yaw_rad));
	if (p->bottom_m > 0.0)
		fprintf(out, ", bottom_m: %.3f", p->bottom_m);
	fprintf(out, ", height_m: %.3f", p->height_m);
	if (p->colour[0] != '\0')
		fprintf(out, ", colour: %s", p->colour);
	if (p->state == FURNISH_CONTAINER)
		fprintf(out, ", container: {}"); /* closed */
	else if (p->state == FURNISH_LIGHT)
		fprintf(out, ", state: {light: \"%s\"}", p->open ? "on" : "off");
	else if (p->state == FURNISH_LID)
		fprintf(out, ", state: {lid: %s}", p->open ? "open" : "closed");
	fprintf(out, "}\n");
}

static void write_pieces(const struct furnish_house *h, bool things, const char *key, FILE *out)
{
	uint32_t room = UINT32_MAX;
	fprintf(out, "\n%s:\n", key);
	for (uint32_t i = 0; i < h->piece_count; i++) {
		const struct furnish_piece *p = &h->pieces[i];
		if (p->thing != things)
			continue;
		if (!things && p->room != room)
			fprintf(out, "  # %s\n", h->rooms[p->room].name);
		room = p->room;
		write_piece(p, out);
	}
}

char *furnish_write(const struct furnish_house *h, uint64_t seed)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	if (out == NULL)
		return NULL;
	fprintf(out, "# Floor plan %s of HouseExpo (Li et al. 2019), furnished by chance: seed %llu.\n",
	    h->plan.id, (unsigned long long)seed);
	fprintf(out, "name: furnished %.12s %llu\n", h->plan.id, (unsigned long long)seed);
	fprintf(out, "start: {x_m: %.3f, y_m: %.3f, yaw_deg: %.1f}\n", h->start.x_m, h->start.y_m,
	    cairn_rad_to_deg(h->start.yaw_rad));
	write_rooms(h, out);
	write_outline(h, out);
	write_pieces(h, false, "furniture", out);
	write_pieces(h, true, "objects", out);
	bool failed = ferror(out) != 0;
	if (fclose(out) != 0 || failed) {
		free(text);
		return NULL;
	}
	return text;
}
