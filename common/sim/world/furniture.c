#include "common/sim/world/furniture.h"

#include <string.h>

#define OAK CAIRN_PAINT(176, 132, 84, WOOD)
#define WALNUT CAIRN_PAINT(112, 74, 48, WOOD)
#define WHITE CAIRN_PAINT(236, 236, 232, PLAIN)
#define STEEL CAIRN_PAINT(168, 172, 178, PLAIN)
#define BLACK CAIRN_PAINT(38, 38, 42, PLAIN)
#define LINEN CAIRN_PAINT(232, 228, 216, FABRIC)
#define SHEET CAIRN_PAINT(240, 240, 238, FABRIC)
#define GRANITE CAIRN_PAINT(96, 96, 100, STONE)
#define CLAY CAIRN_PAINT(186, 98, 62, PLAIN)
#define GREEN CAIRN_PAINT(58, 122, 52, LEAVES)

/* A box of the piece, in its own frame. */
static void part(struct cairn_builder *b, const struct cairn_item *it, double x_m, double y_m, double width_m,
    double depth_m, double z0_m, double z1_m, struct cairn_paint paint)
{
	cairn_build_box(b, cairn_item_box(it, x_m, y_m, width_m, depth_m, z0_m, z1_m), paint);
}

static struct cairn_paint shade(struct cairn_paint p, double factor)
{
	p.r = (uint8_t)cairn_clamp(p.r * factor, 0.0, 255.0);
	p.g = (uint8_t)cairn_clamp(p.g * factor, 0.0, 255.0);
	p.b = (uint8_t)cairn_clamp(p.b * factor, 0.0, 255.0);
	return p;
}

static struct cairn_paint look(struct cairn_paint p, enum cairn_texture texture)
{
	p.texture = (uint8_t)texture;
	return p;
}

static void legs(struct cairn_builder *b, const struct cairn_item *it, double inset_m, double thick_m,
    double top_m, struct cairn_paint paint)
{
	double x = 0.5 * it->width_m - inset_m - 0.5 * thick_m,
	       y = 0.5 * it->depth_m - inset_m - 0.5 * thick_m;
	for (int i = 0; i < 4; i++)
		part(b, it, i & 1 ? x : -x, i & 2 ? y : -y, thick_m, thick_m, 0.0, top_m, paint);
}

/* A thin panel on the front, so that one side looks different from the others. */
static void front(
    struct cairn_builder *b, const struct cairn_item *it, double z0_m, double z1_m, struct cairn_paint paint)
{
	part(b, it, 0.0, -0.5 * it->depth_m, it->width_m - 0.02, 0.02, z0_m, z1_m, paint);
}

static void box(struct cairn_builder *b, const struct cairn_item *it)
{
	part(b, it, 0.0, 0.0, it->width_m, it->depth_m, it->bottom_m, it->height_m, it->paint);
}

static void cylinder(struct cairn_builder *b, const struct cairn_item *it)
{
	cairn_build_cylinder(b, it->x_m, it->y_m, 0.5 * it->width_m, it->bottom_m, it->height_m, it->paint);
}

static void polygon(struct cairn_builder *b, const struct cairn_item *it)
{
	cairn_build_prism(b, it->corners, it->corner_count, it->bottom_m, it->height_m, it->paint);
}

static void ball(struct cairn_builder *b, const struct cairn_item *it)
{
	enum { SLICES = 15 };
	double r = 0.5 * it->width_m;
	for (int i = 0; i < SLICES; i++) {
		double z0 = 2.0 * r * i / SLICES, z1 = 2.0 * r * (i + 1) / SLICES, up = 0.5 * (z0 + z1) - r;
		cairn_build_cylinder(b, it->x_m, it->y_m, sqrt(r * r - up * up), it->bottom_m + z0,
		    it->bottom_m + z1, shade(it->paint, 0.75 + 0.3 * i / SLICES));
	}
}

static void table(struct cairn_builder *b, const struct cairn_item *it)
{
	legs(b, it, 0.03, 0.05, it->height_m - 0.04, shade(it->paint, 0.85));
	part(b, it, 0.0, 0.0, it->width_m, it->depth_m, it->height_m - 0.04, it->height_m, it->paint);
	part(b, it, 0.0, 0.0, it->width_m - 0.12, it->depth_m - 0.12, it->height_m - 0.11,
	    it->height_m - 0.04, shade(it->paint, 0.8));
}

static void round_table(struct cairn_builder *b, const struct cairn_item *it)
{
	cairn_build_cylinder(b, it->x_m, it->y_m, 0.06, 0.0, it->height_m - 0.04, shade(it->paint, 0.8));
	cairn_build_cylinder(
	    b, it->x_m, it->y_m, 0.5 * it->width_m, it->height_m - 0.04, it->height_m, it->paint);
}

static void desk(struct cairn_builder *b, const struct cairn_item *it)
{
	struct cairn_item block = *it;
	double w = 0.40;
	struct cairn_pose2 at = {it->x_m, it->y_m, it->yaw_rad};
	struct cairn_vec2 p = cairn_pose_apply(at, (struct cairn_vec2){0.5 * (it->width_m - w) - 0.02, 0.0});
	block.x_m = p.x_m;
	block.y_m = p.y_m;
	block.width_m = w;
	block.depth_m = it->depth_m - 0.06;
	part(b, &block, 0.0, 0.0, w, block.depth_m, 0.0, it->height_m - 0.04, shade(it->paint, 0.95));
	front(b, &block, 0.04, it->height_m - 0.06, look(it->paint, CAIRN_TEXTURE_DRAWERS));
	double x = -0.5 * it->width_m + 0.05, y = 0.5 * it->depth_m - 0.05;
	part(b, it, x, y, 0.05, 0.05, 0.0, it->height_m - 0.04, shade(it->paint, 0.8));
	part(b, it, x, -y, 0.05, 0.05, 0.0, it->height_m - 0.04, shade(it->paint, 0.8));
	part(b, it, 0.0, 0.0, it->width_m, it->depth_m, it->height_m - 0.04, it->height_m, it->paint);
}

static void chair(struct cairn_builder *b, const struct cairn_item *it)
{
	double seat = 0.45, y = 0.5 * it->depth_m - 0.02;
	legs(b, it, 0.0, 0.04, seat - 0.04, shade(it->paint, 0.85));
	part(b, it, 0.0, 0.0, it->width_m, it->depth_m, seat - 0.04, seat, it->paint);
	part(b, it, -0.5 * it->width_m + 0.02, y, 0.035, 0.035, seat, it->height_m - 0.02,
	    shade(it->paint, 0.9));
	part(b, it, 0.5 * it->width_m - 0.02, y, 0.035, 0.035, seat, it->height_m - 0.02,
	    shade(it->paint, 0.9));
	part(b, it, 0.0, y, it->width_m, 0.03, it->height_m - 0.24, it->height_m, it->paint);
}

static void sofa(struct cairn_builder *b, const struct cairn_item *it)
{
	double arm = 0.16, back = 0.22, w = it->width_m, d = it->depth_m;
	int seats = w > 1.9 ? 3 : w > 1.2 ? 2 : 1;
	double each = (w - 2.0 * arm) / seats;
	part(b, it, 0.0, 0.0, w - 0.02, d - 0.02, 0.0, 0.26, shade(it->paint, 0.72));
	part(b, it, 0.0, 0.5 * (d - back), w, back, 0.26, it->height_m, shade(it->paint, 0.9));
	part(b, it, 0.5 * (arm - w), 0.0, arm, d, 0.26, 0.60, shade(it->paint, 0.95));
	part(b, it, 0.5 * (w - arm), 0.0, arm, d, 0.26, 0.60, shade(it->paint, 0.95));
	for (int i = 0; i < seats; i++)
		part(b, it, -0.5 * w + arm + (i + 0.5) * each, -0.5 * back + 0.01, each - 0.015,
		    d - back - 0.02, 0.26, 0.44, it->paint);
}

static void bed(struct cairn_builder *b, const struct cairn_item *it)
{
	double w = it->width_m, d = it->depth_m;
	int pillows = w > 1.2 ? 2 : 1;
	part(b, it, 0.0, 0.0, w, d, 0.0, 0.28, OAK);
	part(b, it, 0.0, 0.02, w - 0.06, d - 0.10, 0.28, 0.46, SHEET);
	part(b, it, 0.0, -0.18 * d, w - 0.02, 0.60 * d, 0.24, it->height_m, it->paint);
	part(b, it, 0.0, 0.5 * d - 0.03, w + 0.04, 0.06, 0.0, 0.95, shade(OAK, 0.8));
	for (int i = 0; i < pillows; i++)
		part(b, it, (i + 0.5) * w / pillows - 0.5 * w, 0.5 * d - 0.30, 0.8 * w / pillows, 0.36, 0.46,
		    0.58, shade(SHEET, 0.96));
}

static void wardrobe(struct cairn_builder *b, const struct cairn_item *it)
{
	int doors = it->width_m > 1.3 ? 3 : 2;
	double each = it->width_m / doors;
	box(b, it);
	for (int i = 0; i < doors; i++)
		part(b, it, -0.5 * it->width_m + (i + 0.5) * each, -0.5 * it->depth_m, each - 0.02, 0.02,
		    0.05, it->height_m - 0.04, look(shade(it->paint, 1.08), CAIRN_TEXTURE_DOOR));
}

static void shelf(struct cairn_builder *b, const struct cairn_item *it)
{
	box(b, it);
	front(b, it, 0.04, it->height_m - 0.03, CAIRN_PAINT(214, 196, 170, BOOKS));
}

static void drawers(struct cairn_builder *b, const struct cairn_item *it)
{
	box(b, it);
	front(b, it, 0.04, it->height_m - 0.03, look(shade(it->paint, 1.05), CAIRN_TEXTURE_DRAWERS));
}

static void counter(struct cairn_builder *b, const struct cairn_item *it)
{
	int units = (int)fmax(1.0, it->width_m / 0.6 + 0.5);
	double each = it->width_m / units;
	part(b, it, 0.0, 0.0, it->width_m, it->depth_m, 0.0, it->height_m - 0.04, it->paint);
	for (int i = 0; i < units; i++)
		part(b, it, -0.5 * it->width_m + (i + 0.5) * each, -0.5 * it->depth_m, each - 0.015, 0.02,
		    0.06, it->height_m - 0.06,
		    look(it->paint, i % 2 ? CAIRN_TEXTURE_DOOR : CAIRN_TEXTURE_DRAWERS));
	part(b, it, 0.0, -0.01, it->width_m, it->depth_m + 0.02, it->height_m - 0.04, it->height_m, GRANITE);
}

static void appliance(struct cairn_builder *b, const struct cairn_item *it)
{
	box(b, it);
	front(b, it, 0.06, it->height_m - 0.02, look(it->paint, CAIRN_TEXTURE_OVEN));
}

static void fridge(struct cairn_builder *b, const struct cairn_item *it)
{
	box(b, it);
	front(b, it, 0.06, 0.38 * it->height_m, look(it->paint, CAIRN_TEXTURE_DOOR));
	front(b, it, 0.39 * it->height_m, it->height_m - 0.02, look(it->paint, CAIRN_TEXTURE_DOOR));
}

static void toilet(struct cairn_builder *b, const struct cairn_item *it)
{
	double d = it->depth_m;
	part(b, it, 0.0, 0.5 * d - 0.09, it->width_m, 0.18, 0.0, it->height_m, it->paint);
	part(b, it, 0.0, -0.08, it->width_m - 0.10, d - 0.18, 0.0, 0.34, shade(it->paint, 0.94));
	part(b, it, 0.0, -0.09, it->width_m - 0.02, d - 0.17, 0.34, 0.42, it->paint);
}

static void washbasin(struct cairn_builder *b, const struct cairn_item *it)
{
	struct cairn_item low = *it;
	low.height_m = it->height_m - 0.14;
	low.paint = OAK;
	drawers(b, &low);
	part(
	    b, it, 0.0, -0.01, it->width_m, it->depth_m + 0.02, it->height_m - 0.14, it->height_m, it->paint);
}

static void bathtub(struct cairn_builder *b, const struct cairn_item *it)
{
	part(b, it, 0.0, 0.0, it->width_m - 0.04, it->depth_m - 0.04, 0.0, it->height_m - 0.06,
	    look(shade(it->paint, 0.95), CAIRN_TEXTURE_TILES));
	part(b, it, 0.0, 0.0, it->width_m, it->depth_m, it->height_m - 0.06, it->height_m, it->paint);
}

static void plant(struct cairn_builder *b, const struct cairn_item *it)
{
	double r = 0.5 * it->width_m, h = it->height_m;
	cairn_build_cylinder(b, it->x_m, it->y_m, 0.75 * r, 0.0, 0.32, CLAY);
	cairn_build_cylinder(b, it->x_m, it->y_m, 0.03, 0.32, 0.55 * h, WALNUT);
	cairn_build_cylinder(b, it->x_m, it->y_m, 0.80 * r, 0.45 * h, 0.62 * h, shade(it->paint, 0.85));
	cairn_build_cylinder(b, it->x_m, it->y_m, 1.00 * r, 0.62 * h, 0.84 * h, it->paint);
	cairn_build_cylinder(b, it->x_m, it->y_m, 0.60 * r, 0.84 * h, h, shade(it->paint, 1.15));
}

static void lamp(struct cairn_builder *b, const struct cairn_item *it)
{
	double r = 0.5 * it->width_m, h = it->height_m;
	cairn_build_cylinder(b, it->x_m, it->y_m, 0.11, 0.0, 0.22, BLACK);
	cairn_build_cylinder(b, it->x_m, it->y_m, 0.02, 0.22, h - 0.3, STEEL);
	bool switched = b->prop != 0 && b->world->props[b->prop - 1].word == CAIRN_PROP_LIGHT;
	uint8_t shown = b->shown;
	b->shown = switched ? CAIRN_SHOWN_OPEN : shown;
	cairn_build_cylinder(b, it->x_m, it->y_m, r, h - 0.30, h, it->paint);
	b->shown = CAIRN_SHOWN_CLOSED; /* off: the shade is dark */
	if (switched)
		cairn_build_cylinder(b, it->x_m, it->y_m, r, h - 0.30, h, shade(it->paint, 0.45));
	b->shown = shown;
}

/* A flat thing on a wall or a stand: it spans bottom_m .. height_m. */
static void panel(struct cairn_builder *b, const struct cairn_item *it, struct cairn_paint frame,
    enum cairn_texture texture)
{
	part(b, it, 0.0, 0.0, it->width_m, it->depth_m, it->bottom_m, it->height_m, frame);
	part(b, it, 0.0, -0.5 * it->depth_m, it->width_m - 0.05, 0.01, it->bottom_m + 0.025,
	    it->height_m - 0.025, look(it->paint, texture));
}

static void picture(struct cairn_builder *b, const struct cairn_item *it)
{
	panel(b, it, WALNUT, CAIRN_TEXTURE_PICTURE);
}

static void window(struct cairn_builder *b, const struct cairn_item *it)
{
	panel(b, it, WHITE, CAIRN_TEXTURE_WINDOW);
}

static void screen(struct cairn_builder *b, const struct cairn_item *it)
{
	panel(b, it, BLACK, CAIRN_TEXTURE_SCREEN);
}

static void curtain(struct cairn_builder *b, const struct cairn_item *it)
{
	part(b, it, 0.0, 0.0, it->width_m, it->depth_m, it->bottom_m, it->height_m,
	    look(it->paint, CAIRN_TEXTURE_CURTAIN));
}

static void corners_of(const struct cairn_item *it, struct cairn_vec2 ret[4])
{
	struct cairn_pose2 at = {it->x_m, it->y_m, it->yaw_rad};
	for (int i = 0; i < 4; i++)
		ret[i] =
		    cairn_pose_apply(at, (struct cairn_vec2){(i == 1 || i == 2 ? 0.5 : -0.5) * it->width_m,
					     (i >= 2 ? 0.5 : -0.5) * it->depth_m});
}

static void rug(struct cairn_builder *b, const struct cairn_item *it)
{
	struct cairn_vec2 c[4];
	corners_of(it, c);
	cairn_build_rug(b, c, 4, it->paint);
}

/* Drawn as a dark piece of floor: the pictures, depth included, know no level below 0. */
static void drop(struct cairn_builder *b, const struct cairn_item *it)
{
	struct cairn_vec2 c[4];
	corners_of(it, c);
	cairn_build_drop(b, c);
	cairn_build_rug(b, c, 4, it->paint);
}

static void bottle(struct cairn_builder *b, const struct cairn_item *it)
{
	double h = it->height_m - it->bottom_m, neck_m = it->bottom_m + 0.62 * h;
	cairn_build_cylinder(b, it->x_m, it->y_m, 0.5 * it->width_m, it->bottom_m, neck_m, it->paint);
	cairn_build_cylinder(
	    b, it->x_m, it->y_m, 0.2 * it->width_m, neck_m, it->height_m, shade(it->paint, 0.8));
}

/* What is in it is drawn as a band around it, as it is no more transparent than anything else here. */
static void glass(struct cairn_builder *b, const struct cairn_item *it)
{
	double h = it->height_m - it->bottom_m, r = 0.5 * it->width_m;
	uint8_t shown = b->shown;
	cairn_build_cylinder(b, it->x_m, it->y_m, r, it->bottom_m, it->height_m, it->paint);
	if (b->prop == 0)
		return;
	b->shown = CAIRN_SHOWN_FILLED;
	cairn_build_cylinder(b, it->x_m, it->y_m, r + 0.002, it->bottom_m + 0.1 * h, it->bottom_m + 0.7 * h,
	    CAIRN_PAINT(110, 20, 40, PLAIN));
	b->shown = shown;
}

struct kind {
	const char *name;
	void (*build)(struct cairn_builder *b, const struct cairn_item *it);
	double width_m, depth_m, bottom_m, height_m; /* usual; 0: must be given */
	struct cairn_paint paint;
};

static const struct kind kinds[] = {
    {"box", box, 0.0, 0.0, 0.0, 0.0, {150, 150, 150, CAIRN_TEXTURE_PLAIN}},
    {"cylinder", cylinder, 0.0, 0.0, 0.0, 0.0, {150, 150, 150, CAIRN_TEXTURE_PLAIN}},
    {"polygon", polygon, 0.0, 0.0, 0.0, 0.0, {150, 150, 150, CAIRN_TEXTURE_PLAIN}},
    {"ball", ball, 0.30, 0.30, 0.0, 0.30, {200, 60, 50, CAIRN_TEXTURE_PLAIN}},
    {"table", table, 1.40, 0.80, 0.0, 0.74, {176, 132, 84, CAIRN_TEXTURE_WOOD}},
    {"round_table", round_table, 0.90, 0.90, 0.0, 0.74, {176, 132, 84, CAIRN_TEXTURE_WOOD}},
    {"desk", desk, 1.30, 0.65, 0.0, 0.74, {196, 160, 116, CAIRN_TEXTURE_WOOD}},
    {"chair", chair, 0.43, 0.43, 0.0, 0.90, {150, 104, 62, CAIRN_TEXTURE_WOOD}},
    {"sofa", sofa, 2.00, 0.90, 0.0, 0.82, {92, 112, 140, CAIRN_TEXTURE_FABRIC}},
    {"bed", bed, 1.60, 2.05, 0.0, 0.52, {110, 128, 168, CAIRN_TEXTURE_FABRIC}},
    {"wardrobe", wardrobe, 1.20, 0.60, 0.0, 2.05, {206, 184, 150, CAIRN_TEXTURE_WOOD}},
    {"shelf", shelf, 0.90, 0.32, 0.0, 1.90, {150, 110, 70, CAIRN_TEXTURE_WOOD}},
    {"drawers", drawers, 0.90, 0.45, 0.0, 0.85, {190, 150, 104, CAIRN_TEXTURE_WOOD}},
    {"counter", counter, 1.80, 0.60, 0.0, 0.90, {214, 218, 214, CAIRN_TEXTURE_PLAIN}},
    {"appliance", appliance, 0.60, 0.60, 0.0, 0.88, {222, 224, 226, CAIRN_TEXTURE_PLAIN}},
    {"fridge", fridge, 0.60, 0.65, 0.0, 1.80, {206, 210, 214, CAIRN_TEXTURE_PLAIN}},
    {"toilet", toilet, 0.40, 0.68, 0.0, 0.80, {240, 240, 238, CAIRN_TEXTURE_PLAIN}},
    {"washbasin", washbasin, 0.60, 0.46, 0.0, 0.85, {240, 240, 238, CAIRN_TEXTURE_PLAIN}},
    {"bathtub", bathtub, 1.60, 0.72, 0.0, 0.56, {240, 240, 238, CAIRN_TEXTURE_PLAIN}},
    {"plant", plant, 0.50, 0.50, 0.0, 1.30, {58, 122, 52, CAIRN_TEXTURE_LEAVES}},
    {"lamp", lamp, 0.36, 0.36, 0.0, 1.55, {250, 226, 168, CAIRN_TEXTURE_FABRIC}},
    {"picture", picture, 0.70, 0.03, 1.30, 1.85, {255, 255, 255, CAIRN_TEXTURE_PICTURE}},
    {"window", window, 1.30, 0.06, 0.90, 2.10, {255, 255, 255, CAIRN_TEXTURE_WINDOW}},
    {"screen", screen, 1.20, 0.05, 0.75, 1.45, {255, 255, 255, CAIRN_TEXTURE_SCREEN}},
    {"rug", rug, 2.00, 1.40, 0.0, 0.005, {170, 60, 56, CAIRN_TEXTURE_CARPET}},
    {"drop", drop, 2.00, 1.00, 0.0, 0.005, {40, 38, 36, CAIRN_TEXTURE_STONE}},
    {"bottle", bottle, 0.08, 0.08, 0.0, 0.30, {40, 74, 48, CAIRN_TEXTURE_PLAIN}},
    {"glass", glass, 0.08, 0.08, 0.0, 0.14, {206, 222, 228, CAIRN_TEXTURE_PLAIN}},
    {"laptop", cairn_build_laptop, 0.34, 0.24, 0.0, 0.24, {120, 124, 130, CAIRN_TEXTURE_PLAIN}},
    {"curtain", curtain, 0.40, 0.08, 0.0, 2.30, {190, 92, 72, CAIRN_TEXTURE_CURTAIN}},
};

int cairn_furniture_kinds(void)
{
	return (int)(sizeof(kinds) / sizeof(kinds[0]));
}

const char *cairn_furniture_kind_name(int kind)
{
	return kinds[kind].name;
}

struct cairn_furniture_size cairn_furniture_usual(const char *kind)
{
	for (int i = 0; i < cairn_furniture_kinds(); i++)
		if (strcmp(kinds[i].name, kind) == 0)
			return (struct cairn_furniture_size){
			    kinds[i].width_m, kinds[i].depth_m, kinds[i].bottom_m, kinds[i].height_m};
	return (struct cairn_furniture_size){0.0, 0.0, 0.0, 0.0};
}

static bool size_ok(double m)
{
	return isfinite(m) && m >= 0.005 && m <= 100.0;
}

bool cairn_furniture_build(
    struct cairn_builder *b, int kind, const struct cairn_item *item, struct cairn_error *err)
{
	const struct kind *k = &kinds[kind];
	struct cairn_item it = *item;
	bool is_polygon = strcmp(k->name, "polygon") == 0;
	if (it.width_m == 0.0)
		it.width_m = k->width_m;
	if (it.depth_m == 0.0)
		it.depth_m = k->depth_m > 0.0 ? k->depth_m : it.width_m;
	if (it.bottom_m == 0.0)
		it.bottom_m = k->bottom_m;
	bool stands = k->build == bottle || k->build == glass || k->build == cairn_build_laptop;
	if (it.height_m == 0.0 && (it.tall_m > 0.0 || stands))
		it.height_m = it.bottom_m + (it.tall_m > 0.0 ? it.tall_m : k->height_m);
	if (it.height_m == 0.0)
		it.height_m = strcmp(k->name, "ball") == 0 ? it.bottom_m + it.width_m : k->height_m;
	if (!it.painted)
		it.paint = k->paint;
	else if (it.paint.texture == CAIRN_TEXTURE_PLAIN)
		it.paint.texture = k->paint.texture;
	if (!is_polygon && (!size_ok(it.width_m) || !size_ok(it.depth_m))) {
		cairn_error_set(
		    err, "size: %s '%s' needs a width and depth between 0.005 and 100 m", k->name, it.name);
		return false;
	}
	if (is_polygon && it.corner_count < 3) {
		cairn_error_set(err, "points: polygon '%s' needs at least 3 of them", it.name);
		return false;
	}
	if (!isfinite(it.bottom_m) || it.bottom_m < 0.0 || !size_ok(it.height_m) ||
	    it.height_m <= it.bottom_m) {
		cairn_error_set(err, "height_m: the top of '%s' (%g m) must be above its bottom (%g m)",
		    it.name, it.height_m, it.bottom_m);
		return false;
	}
	if (it.hollow != NULL &&
	    (it.hollow->shelf_m < 0.0 || it.hollow->shelf_m > it.height_m - it.bottom_m - 0.05)) {
		cairn_error_set(err, "container.shelf_m: the shelf of '%s' must be inside of it", it.name);
		return false;
	}
	(void)cairn_build_thing(b, it.name, k->name, it.x_m, it.y_m);
	if (it.hollow != NULL)
		cairn_build_hollow(b, &it);
	else
		k->build(b, &it);
	return true;
}
