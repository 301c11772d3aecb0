/* ros2_status.c - what is said of the robot beside what it measures: diagnostics, things seen, its camera, its node. */
#include <inttypes.h>
#include <string.h>

#include "common/ros2/ros2.h"

void cairn_ros2_put_text(struct cairn_cdr *c, int64_t unix_ns, const void *from)
{
	(void)unix_ns; /* it has no header */
	cairn_cdr_put_text(c, from);
}

/* ---- camera ---- */

/* A pinhole with square pixels, the axis through the middle of the picture. */
void cairn_ros2_put_camera_info(struct cairn_cdr *c, int64_t unix_ns, const void *from)
{
	const struct cairn_ros2_camera *m = from;
	double f_px = 0.5 * m->width_px / tan(0.5 * m->hfov_rad), cx = 0.5 * m->width_px,
	       cy = 0.5 * m->height_px;
	const double k[9] = {f_px, 0.0, cx, 0.0, f_px, cy, 0.0, 0.0, 1.0},
		     r[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0},
		     p[12] = {f_px, 0.0, cx, 0.0, 0.0, f_px, cy, 0.0, 0.0, 0.0, 1.0, 0.0}, d[5] = {0};
	cairn_ros2_put_header(c, unix_ns, m->frame_id);
	cairn_cdr_put_u32(c, m->height_px);
	cairn_cdr_put_u32(c, m->width_px);
	cairn_cdr_put_text(c, "plumb_bob");
	cairn_cdr_put_u32(c, 5);
	cairn_ros2_put_f64s(c, d, 5);
	cairn_ros2_put_f64s(c, k, 9);
	cairn_ros2_put_f64s(c, r, 9);
	cairn_ros2_put_f64s(c, p, 12);
	for (int i = 0; i < 6; i++) /* binning; the region of interest: all of it */
		cairn_cdr_put_u32(c, 0);
	cairn_cdr_put_bool(c, false);
}

/* ---- diagnostics ---- */

enum level { OK, WARN, ERROR }; /* diagnostic_msgs/DiagnosticStatus */

static void put_value(struct cairn_cdr *c, const char *key, const char *format, double value)
{
	char text[32];
	snprintf(text, sizeof(text), format, value);
	cairn_cdr_put_text(c, key);
	cairn_cdr_put_text(c, text);
}

static void put_status(
    struct cairn_cdr *c, enum level level, const char *name, const char *message, uint32_t values)
{
	char full[64];
	snprintf(full, sizeof(full), "cairn: %s", name);
	cairn_cdr_put_u8(c, (uint8_t)level);
	cairn_cdr_put_text(c, full);
	cairn_cdr_put_text(c, message);
	cairn_cdr_put_text(c, "cairn");
	cairn_cdr_put_u32(c, values);
}

static void put_stage(struct cairn_cdr *c, const struct cairn_msg_stage *s)
{
	bool up = s->state == CAIRN_STAGE_STATE_UP, failed = s->state == CAIRN_STAGE_STATE_FAILED;
	const char *note =
	    s->note[0] != '\0' ? s->note : cairn_enum_text(&cairn_enum_stage_state, (int)s->state);
	put_status(c, up ? OK : failed ? ERROR : WARN, s->name, note, 4);
	put_value(c, "restarts", "%.0f", s->restarts);
	put_value(c, "uptime_s", "%.1f", s->uptime_s);
	put_value(c, "cpu_cores", "%.3f", s->cpu_cores);
	put_value(c, "rss_mb", "%.1f", s->rss_mb);
}

void cairn_ros2_put_diagnostics(struct cairn_cdr *c, int64_t unix_ns, const void *from)
{
	const struct cairn_ros2_health *h = from;
	cairn_ros2_put_header(c, unix_ns, "");
	cairn_cdr_put_u32(c, h->stages->items_count + (h->health != NULL ? 1 : 0));
	if (h->health != NULL)
		put_status(c, h->health->ok ? OK : ERROR, "watchdog's verdict",
		    h->health->ok ? "all is well" : h->health->problem, 0);
	for (uint32_t i = 0; i < h->stages->items_count; i++)
		put_stage(c, &h->stages->items[i]);
}

/* ---- things ---- */

static void put_detection(struct cairn_cdr *c, int64_t unix_ns, const struct cairn_msg_detection *d)
{
	static const double unknown[36];
	double middle[3] = {d->x_m, d->y_m, d->z_m}, size[3] = {0};
	for (int i = 0; d->box_m_count == 6 && i < 3; i++) {
		middle[i] = 0.5 * ((double)d->box_m[i] + (double)d->box_m[3 + i]);
		size[i] = (double)d->box_m[3 + i] - (double)d->box_m[i];
	}
	cairn_ros2_put_header(c, unix_ns, CAIRN_ROS2_FRAME_MAP);
	cairn_cdr_put_u32(c, 1);
	cairn_cdr_put_text(c, d->label);
	cairn_cdr_put_f64(c, (double)d->confidence);
	cairn_ros2_put_pose(c, d->x_m, d->y_m, d->z_m, 0.0);
	cairn_ros2_put_f64s(c, unknown, 36);
	cairn_ros2_put_pose(c, middle[0], middle[1], middle[2], 0.0);
	cairn_ros2_put_f64s(c, size, 3);
	cairn_cdr_put_text(c, ""); /* nothing is followed from picture to picture */
}

void cairn_ros2_put_detections(struct cairn_cdr *c, int64_t unix_ns, const void *from)
{
	const struct cairn_msg_detections *m = from;
	cairn_ros2_put_header(c, unix_ns, CAIRN_ROS2_FRAME_MAP);
	cairn_cdr_put_u32(c, m->items_count);
	for (uint32_t i = 0; i < m->items_count; i++)
		put_detection(c, unix_ns, &m->items[i]);
}

/* ---- node ---- */

static void put_gid(
    struct cairn_cdr *c, const struct cairn_ros2_nodes *n, const uint8_t gid[CAIRN_ROS2_GID_BYTES])
{
	cairn_cdr_put_bytes(c, gid, CAIRN_ROS2_GID_BYTES);
	for (uint32_t i = CAIRN_ROS2_GID_BYTES; i < n->gid_bytes; i++)
		cairn_cdr_put_u8(c, 0);
}

static void put_gids(struct cairn_cdr *c, const struct cairn_ros2_nodes *n,
    const uint8_t (*gids)[CAIRN_ROS2_GID_BYTES], uint32_t count)
{
	cairn_cdr_put_u32(c, count);
	for (uint32_t i = 0; i < count; i++)
		put_gid(c, n, gids[i]);
}

void cairn_ros2_put_nodes(struct cairn_cdr *c, int64_t unix_ns, const void *from)
{
	const struct cairn_ros2_nodes *n = from;
	(void)unix_ns; /* it has no header */
	put_gid(c, n, n->participant);
	cairn_cdr_put_u32(c, 1);
	cairn_cdr_put_text(c, "/");
	cairn_cdr_put_text(c, n->name);
	put_gids(c, n, n->readers, n->reader_count);
	put_gids(c, n, n->writers, n->writer_count);
}
