#include "common/slam/mapper_private.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "common/base/file.h"
#include "common/base/whole_io.h"

/* File: magic, u32 version, u32 crc32 of the payload, u64 payload bytes, payload. Little-endian as the
 * machine; a file of another machine fails by its magic. The payload is written and read by the same walk
 * (exchange), so that the two cannot disagree. */
#define MAGIC UINT64_C(0x3150414D4E524943) /* "CIRNMAP1" */
#define VERSION 5u
#define HEAD_BYTES 24u
#define FILE_BYTES_MAX (UINT64_C(1) << 31)

struct head {
	uint64_t magic;
	uint32_t version, crc;
	uint64_t bytes;
};
static_assert(sizeof(struct head) == HEAD_BYTES, "the head has no holes");

/* A walk over the state, writing or reading. What is written goes out whenever the part is full, so that
 * saving takes the same memory whatever the size of the map. */
struct walk {
	enum { WRITE, READ } mode;
	struct cairn_replace *file; /* WRITE */
	unsigned char *part;
	size_t filled;
	uint32_t crc;
	const unsigned char *at; /* READ */
	uint64_t left;
	uint64_t bytes;
	const char *broken; /* READ: what does not make sense */
};

static void send_part(struct walk *w)
{
	w->crc = (uint32_t)crc32_z(w->crc, w->part, w->filled);
	cairn_replace_add(w->file, w->part, w->filled);
	w->filled = 0;
}

static void write_item(struct walk *w, const void *value, size_t bytes)
{
	for (const unsigned char *from = value; bytes > 0;) {
		size_t room = CAIRN_MAPPER_FILE_PART - w->filled, n = bytes < room ? bytes : room;
		memcpy(w->part + w->filled, from, n);
		w->filled += n;
		from += n;
		bytes -= n;
		if (w->filled == CAIRN_MAPPER_FILE_PART)
			send_part(w);
	}
}

static void item(struct walk *w, void *value, size_t bytes)
{
	w->bytes += bytes;
	if (bytes == 0 || w->broken != NULL) /* an empty list may have no memory at all */
		return;
	if (w->mode == WRITE) {
		write_item(w, value, bytes);
		return;
	}
	if (bytes > w->left) {
		w->broken = "it ends too early";
		return;
	}
	memcpy(value, w->at, bytes);
	w->at += bytes;
	w->left -= bytes;
}

#define ITEM(walk, value) item(walk, &(value), sizeof(value))

static void refuse(struct walk *w, const char *what)
{
	if (w->broken == NULL)
		w->broken = what;
}

/* An array with its count in front; reading takes memory where there is not enough. */
static void array(struct walk *w, void *array_p, uint32_t *count, uint32_t *capacity, size_t item_bytes)
{
	ITEM(w, *count);
	if (w->mode == READ) {
		if (w->broken == NULL && (uint64_t)*count * item_bytes > w->left)
			refuse(w, "a list is longer than the file");
		if (w->broken != NULL) {
			*count = 0;
			return;
		}
		if (*count > *capacity) {
			void *made = malloc((size_t)*count * item_bytes);
			if (made == NULL) {
				refuse(w, "there is not enough memory for it");
				*count = 0;
				return;
			}
			free(*(void **)array_p);
			*(void **)array_p = made;
			*capacity = *count;
		}
	}
	item(w, *(void **)array_p, (size_t)*count * item_bytes);
}

static void number_item(struct walk *w, double *value)
{
	ITEM(w, *value);
	if (w->mode == READ && !(fabs(*value) < 1e9))
		refuse(w, "a number is not a number");
}

static void pose_item(struct walk *w, struct cairn_pose2 *pose)
{
	ITEM(w, pose->x_m);
	ITEM(w, pose->y_m);
	ITEM(w, pose->yaw_rad);
	if (w->mode == READ && !(fabs(pose->x_m) < 1e5 && fabs(pose->y_m) < 1e5 && fabs(pose->yaw_rad) < 1e5))
		refuse(w, "a pose is not a pose");
}

/* The newest odometry, so that a mapper that comes back knows how far the robot has gone meanwhile. */
static void track_items(struct walk *w, struct cairn_odometry_track *track)
{
	struct cairn_odometry_track_point newest = {0};
	const struct cairn_odometry_track_point *have = cairn_odometry_track_newest(track);
	if (have != NULL)
		newest = *have;
	uint8_t any = have != NULL;
	ITEM(w, any);
	ITEM(w, newest.t_ns);
	pose_item(w, &newest.pose);
	pose_item(w, &track->raw);
	ITEM(w, track->epoch);
	number_item(w, &track->distance_m);
	ITEM(w, track->wild);
	ITEM(w, track->restarts);
	if (w->mode != READ)
		return;
	track->points[0] = newest;
	track->newest = 0;
	track->count = any != 0;
}

static void memory_items(struct walk *w, struct cairn_frontier_memory *memory)
{
	ITEM(w, memory->count);
	ITEM(w, memory->next_id);
	ITEM(w, memory->update);
	if (memory->count > sizeof(memory->items) / sizeof(memory->items[0])) {
		refuse(w, "it holds too many frontiers");
		memory->count = 0;
	}
	for (uint32_t i = 0; i < memory->count; i++) {
		struct cairn_frontier_known *k = &memory->items[i];
		ITEM(w, k->id);
		number_item(w, &k->at.x_m);
		number_item(w, &k->at.y_m);
		ITEM(w, k->cells);
		ITEM(w, k->seen);
		ITEM(w, k->stared);
	}
}

/* Doorways' ids, claims, and how guesses have turned out; visits follow from the path. */
static void feature_items(struct walk *w, struct cairn_mapper_features *f)
{
	ITEM(w, f->memory);
	ITEM(w, f->belief);
	ITEM(w, f->predictions.right);
	ITEM(w, f->predictions.wrong);
	if (w->mode != READ)
		return;
	bool sound = f->memory.count <= sizeof(f->memory.items) / sizeof(f->memory.items[0]) &&
		     f->belief.count <= CAIRN_BELIEF_MAX;
	for (uint32_t i = 0; sound && i < f->memory.count; i++)
		sound = fabs(f->memory.items[i].at.x_m) < 1e6 && fabs(f->memory.items[i].at.y_m) < 1e6 &&
			fabs(f->memory.items[i].yaw_rad) < 10.0;
	for (uint32_t i = 0; sound && i < f->belief.count; i++)
		sound = abs(f->belief.cells[i].cx) < 1 << 24 && abs(f->belief.cells[i].cy) < 1 << 24 &&
			(f->belief.cells[i].state == CAIRN_CELL_STATE_FREE ||
			    f->belief.cells[i].state == CAIRN_CELL_STATE_OCCUPIED) &&
			f->belief.cells[i].confidence >= 0.0F && f->belief.cells[i].confidence <= 1.0F;
	if (sound)
		return;
	refuse(w, "its doorways or claims make no sense");
	memset(&f->memory, 0, sizeof(f->memory));
	memset(&f->belief, 0, sizeof(f->belief));
}

static void grid_row(struct walk *w, struct cairn_grid *g, size_t index, size_t n)
{
	item(w, g->odds + index, n);
	item(w, g->hits + index, n);
	item(w, g->sub_x + index, n);
	item(w, g->sub_y + index, n);
	item(w, g->visits + index, n * sizeof(*g->visits));
}

/* Counts what the cells say, rather than believing figures beside them. */
static void recount(struct cairn_grid *g)
{
	g->free_cells = g->occupied_cells = g->visited_cells = 0;
	for (size_t i = 0, n = (size_t)g->width * (size_t)g->height; i < n; i++) {
		g->free_cells += cairn_odds_free(g->odds[i]);
		g->occupied_cells += cairn_odds_occupied(g->odds[i]);
		g->visited_cells += g->visits[i] != 0;
	}
}

static void grid_items(struct walk *w, struct cairn_grid *g)
{
	struct cairn_cell_box box = g->known;
	ITEM(w, box.min_cx);
	ITEM(w, box.min_cy);
	ITEM(w, box.max_cx);
	ITEM(w, box.max_cy);
	if (w->mode == READ) {
		const int32_t most = 1 << 24;
		if (w->broken != NULL || cairn_cell_box_empty(box))
			return;
		if (box.min_cx < -most || box.min_cy < -most || box.max_cx > most || box.max_cy > most ||
		    (uint64_t)(box.max_cx - box.min_cx + 1) * (uint64_t)(box.max_cy - box.min_cy + 1) >
			w->left) {
			refuse(w, "its size makes no sense");
			return;
		}
		if (!cairn_grid_reserve(g, box)) {
			refuse(w, "the map is larger than map.extent_max_m or memory allows");
			return;
		}
		g->known = box;
	}
	if (cairn_cell_box_empty(box))
		return;
	for (int32_t cy = box.min_cy; cy <= box.max_cy; cy++)
		grid_row(w, g, cairn_grid_index(g, box.min_cx, cy), (size_t)(box.max_cx - box.min_cx + 1));
	if (w->mode == READ)
		recount(g);
}

/* Nodes and edges; the chains of edges are made again. */
static void graph_items(struct walk *w, struct cairn_pose_graph *g)
{
	array(w, &g->nodes, &g->node_count, &g->node_capacity, sizeof(*g->nodes));
	array(w, &g->edges, &g->edge_count, &g->edge_capacity, sizeof(*g->edges));
	if (w->mode != READ || w->broken != NULL)
		return;
	if (!cairn_pose_graph_check(g))
		refuse(w, "its graph makes no sense");
}

static void keyframe_items(struct walk *w, struct cairn_mapper *m)
{
	array(w, &m->points, &m->point_count, &m->point_capacity, 2 * sizeof(*m->points));
	array(w, &m->keyframes, &m->keyframe_count, &m->keyframe_capacity, sizeof(*m->keyframes));
	if (w->mode != READ)
		return;
	for (uint32_t i = 0; i < m->keyframe_count; i++) {
		const struct cairn_keyframe *k = &m->keyframes[i];
		if (k->first > m->point_count || k->count > m->point_count - k->first || k->hits > k->count)
			refuse(w, "a keyframe points outside");
	}
	if (m->graph.node_count != m->keyframe_count)
		refuse(w, "its graph is not that of its keyframes");
}

static void check_driven(struct walk *w, const struct cairn_mapper *m, uint32_t keys)
{
	if (keys != m->driven_count || m->chain_from > m->keyframe_count)
		refuse(w, "its lists do not belong together");
	for (uint32_t i = 0; i < m->driven_count && w->broken == NULL; i++) {
		if (m->driven_key[i] >= m->keyframe_count)
			refuse(w, "its path points outside");
	}
}

static void exchange(struct walk *w, struct cairn_mapper *m)
{
	double cell_m = m->grid.cell_m;
	ITEM(w, cell_m);
	if (w->mode == READ && cell_m != m->grid.cell_m)
		refuse(w, "its cells are not map.cell_m wide");
	uint32_t started = m->tracking != CAIRN_TRACKING_NONE;
	ITEM(w, started);
	m->tracking = w->mode == READ && started != 0 ? CAIRN_TRACKING_WEAK : m->tracking;
	pose_item(w, &m->local_from_track);
	pose_item(w, &m->map_from_local);
	pose_item(w, &m->visit_pose);
	ITEM(w, m->map_epoch);
	ITEM(w, m->map_id);
	ITEM(w, m->chain_from);
	uint32_t detached = m->detached;
	ITEM(w, detached);
	m->detached = detached != 0;
	number_item(w, &m->fit_distance_m);
	number_item(w, &m->unsure_m);
	number_item(w, &m->unsure_rad);
	ITEM(w, m->counts);
	track_items(w, &m->track);
	memory_items(w, &m->memory);
	feature_items(w, &m->features);
	array(w, &m->driven, &m->driven_count, &m->driven_capacity, 2 * sizeof(*m->driven));
	uint32_t driven = m->driven_count;
	array(w, &m->driven_key, &driven, &m->driven_key_capacity, sizeof(*m->driven_key));
	graph_items(w, &m->graph);
	keyframe_items(w, m);
	if (w->mode == READ)
		check_driven(w, m, driven);
	grid_items(w, &m->grid);
	if (w->mode == READ && w->left != 0)
		refuse(w, "it is longer than it should be");
}

bool cairn_mapper_save(struct cairn_mapper *m, const char *path, struct cairn_error *err)
{
	struct cairn_replace file;
	struct head head = {MAGIC, VERSION, 0, 0};
	if (!cairn_replace_begin(&file, path, 0, 0644, err))
		return false;
	cairn_replace_add(&file, &head, HEAD_BYTES);
	struct walk w = {.mode = WRITE, .file = &file, .part = m->file_part};
	exchange(&w, m);
	send_part(&w);
	head.crc = w.crc;
	head.bytes = w.bytes;
	cairn_replace_head(&file, &head, HEAD_BYTES);
	return cairn_replace_end(&file, err);
}

/* The payload of a file that is whole; NULL with the reason. */
static unsigned char *read_payload(int fd, const char *path, uint64_t *ret_bytes, struct cairn_error *err)
{
	struct stat st;
	struct head head;
	if (fstat(fd, &st) != 0 || st.st_size < (off_t)HEAD_BYTES ||
	    cairn_read_whole(fd, &head, HEAD_BYTES) != HEAD_BYTES || head.magic != MAGIC) {
		cairn_error_set(err, "%s: not a map", path);
		return NULL;
	}
	if (head.version != VERSION) {
		cairn_error_set(
		    err, "%s: map of version %u, this program knows %u", path, head.version, VERSION);
		return NULL;
	}
	if (head.bytes > FILE_BYTES_MAX || head.bytes + HEAD_BYTES != (uint64_t)st.st_size) {
		cairn_error_set(err, "%s: damaged map: %lld bytes instead of %llu", path,
		    (long long)st.st_size, (unsigned long long)(head.bytes + HEAD_BYTES));
		return NULL;
	}
	unsigned char *data = malloc((size_t)head.bytes + 1);
	if (data == NULL || cairn_read_whole(fd, data, (size_t)head.bytes) != head.bytes ||
	    (uint32_t)crc32_z(0, data, (size_t)head.bytes) != head.crc) {
		cairn_error_set(err, "%s: damaged map: its check sum is wrong", path);
		free(data);
		return NULL;
	}
	*ret_bytes = head.bytes;
	return data;
}

bool cairn_mapper_file_cell_m(const char *path, double *ret, struct cairn_error *err)
{
	struct head head;
	int fd = cairn_file_open(path, CAIRN_FILE_OWN, err);
	bool ok = fd >= 0 && cairn_read_whole(fd, &head, HEAD_BYTES) == HEAD_BYTES && head.magic == MAGIC &&
		  cairn_read_whole(fd, ret, sizeof(*ret)) == sizeof(*ret);
	if (fd >= 0)
		close(fd);
	if (fd >= 0 && !ok)
		cairn_error_set(err, "%s: not a map", path);
	return ok;
}

struct cairn_mapper *cairn_mapper_load(
    const struct cairn_config *cfg, const char *path, struct cairn_error *err)
{
	int fd = cairn_file_open(path, CAIRN_FILE_OWN, err);
	if (fd < 0)
		return NULL;
	uint64_t bytes = 0;
	unsigned char *data = read_payload(fd, path, &bytes, err);
	close(fd);
	errno = EBADMSG;
	if (data == NULL)
		return NULL;
	struct cairn_mapper *m = cairn_mapper_new(cfg);
	if (m != NULL) {
		struct walk w = {.mode = READ, .at = data, .left = bytes};
		exchange(&w, m);
		m->unconfirmed = m->tracking != CAIRN_TRACKING_NONE;
		if (w.broken == NULL && m->keyframe_count > 0)
			cairn_mapper_draw_local_now(m);
		if (w.broken == NULL && m->keyframe_count > 0 && !m->sheets[m->sheet].valid)
			refuse(&w, "there is not enough memory for it");
		if (w.broken == NULL)
			cairn_mapper_take_memory(m);
		if (w.broken != NULL) {
			cairn_error_set(err, "%s: damaged map: %s", path, w.broken);
			cairn_mapper_destroy(&m);
		}
	} else {
		cairn_error_set(err, "%s: no memory for a map", path);
	}
	free(data);
	errno = EBADMSG;
	return m;
}
