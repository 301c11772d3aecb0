#include "procs/ros2-bridge/dds_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/ros2/type_hash.h"
#include "procs/ros2-bridge/raw_type.h"

#define ENDPOINTS_MAX 32
#define TAKEN_AT_ONCE 8
#define NAME_BYTES 256
#define NODES_BYTES 4096
#define BLOCKED_MS 20 /* a reliable reader that is behind holds up the writer so long at most */

struct dds_writer {
	dds_entity_t entity;
	struct ddsi_sertype *type; /* the topic's */
};

struct reader {
	dds_entity_t entity;
	int row;
};

struct dds_link {
	const struct cairn_config_ros2 *cfg;
	char node[NAME_BYTES];
	dds_entity_t domain, participant;
	int fd;
	struct dds_writer writers[ENDPOINTS_MAX];
	struct reader readers[ENDPOINTS_MAX];
	int writer_count, reader_count;
};

/* What a domain on loopback needs beyond the defaults: it need not carry multicast, so nodes are looked for one by one at the
 * ports that they take in turn; and it takes datagrams as large as they come, which saves most of the cost of a picture. */
#define LOOPBACK                                                                                             \
	"<Discovery><ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>32"                    \
	"</MaxAutoParticipantIndex><Peers><Peer Address=\"127.0.0.1\"/></Peers></Discovery>"
#define LOOPBACK_SIZES "<MaxMessageSize>65500B</MaxMessageSize><FragmentSize>63000B</FragmentSize>"

struct dds_link *dds_link_open(const struct cairn_config_ros2 *cfg, const char *node, struct cairn_error *err)
{
	static const char enclave[] = "enclave=/;"; /* as nodes of ROS say in which enclave they are */
	char xml[1024];
	struct dds_link *link = calloc(1, sizeof(*link));
	if (link == NULL || (link->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) < 0) {
		cairn_error_set(err, "ros2: no memory or descriptor");
		free(link);
		return NULL;
	}
	link->cfg = cfg;
	snprintf(link->node, sizeof(link->node), "%s", node);
	bool loopback = strcmp(cfg->interface, "lo") == 0;
	snprintf(xml, sizeof(xml),
	    "<CycloneDDS><Domain Id=\"any\"><General><Interfaces><NetworkInterface name=\"%s\"/></Interfaces>"
	    "%s</General>%s</Domain></CycloneDDS>",
	    cfg->interface, loopback ? LOOPBACK_SIZES : "", loopback ? LOOPBACK : "");
	link->domain = dds_create_domain((dds_domainid_t)cfg->domain, xml);
	dds_qos_t *qos = dds_create_qos();
	dds_qset_userdata(qos, enclave, sizeof(enclave) - 1);
	link->participant =
	    link->domain > 0 ? dds_create_participant((dds_domainid_t)cfg->domain, qos, NULL) : link->domain;
	dds_delete_qos(qos);
	if (link->participant < 0) {
		cairn_error_set(err, "ros2: no DDS on interface '%s' (ros2.interface), domain %d: %s",
		    cfg->interface, (int)cfg->domain, dds_strretcode(-link->participant));
		dds_link_close(&link);
	}
	return link;
}

void dds_link_close(struct dds_link **link_p)
{
	struct dds_link *link = *link_p;
	if (link == NULL)
		return;
	if (link->participant > 0)
		(void)dds_delete(link->participant);
	if (link->domain > 0)
		(void)dds_delete(link->domain);
	close(link->fd);
	free(link);
	*link_p = NULL;
}

/* ---- names ---- */

/* "sensor_msgs/msg/LaserScan" is sensor_msgs::msg::dds_::LaserScan_. */
static void dds_type_name(char ret[NAME_BYTES], const char *type)
{
	const char *slash = strchr(type, '/'), *last = strrchr(type, '/');
	snprintf(ret, NAME_BYTES, "%.*s::msg::dds_::%s_", (int)(slash - type), type, last + 1);
}

static dds_qos_t *qos_of(enum cairn_ros2_qos qos)
{
	static const struct {
		bool reliable, latched;
		int32_t depth;
	} rows[] = {
	    [CAIRN_ROS2_QOS_SENSOR] = {false, false, 5},
	    [CAIRN_ROS2_QOS_STATE] = {true, false, 10},
	    [CAIRN_ROS2_QOS_TRANSFORM] = {true, false, 100},
	    [CAIRN_ROS2_QOS_LATCHED] = {true, true, 1},
	    [CAIRN_ROS2_QOS_COMMAND] = {true, false, 1},
	    [CAIRN_ROS2_QOS_STEER] = {false, false, 1},
	};
	static const dds_data_representation_id_t xcdr1[] = {DDS_DATA_REPRESENTATION_XCDR1};
	dds_qos_t *q = dds_create_qos();
	dds_qset_reliability(q, rows[qos].reliable ? DDS_RELIABILITY_RELIABLE : DDS_RELIABILITY_BEST_EFFORT,
	    DDS_MSECS(BLOCKED_MS));
	dds_qset_durability(q, rows[qos].latched ? DDS_DURABILITY_TRANSIENT_LOCAL : DDS_DURABILITY_VOLATILE);
	dds_qset_history(q, DDS_HISTORY_KEEP_LAST, rows[qos].depth);
	dds_qset_writer_data_lifecycle(q, false);
	dds_qset_data_representation(q, 1, xcdr1);
	return q;
}

/* The topic, and the quality of service of its endpoint, with which the type's hash is told. Negative: a code of DDS. */
static dds_entity_t make_topic(struct dds_link *link, const char *dds_name, enum cairn_ros2_type type,
    dds_qos_t *q, struct ddsi_sertype **ret_type)
{
	char type_name[NAME_BYTES], hash[CAIRN_ROS2_HASH_BYTES], userdata[NAME_BYTES];
	const struct cairn_ros2_row *row = &cairn_ros2_types[type];
	dds_type_name(type_name, row->name);
	if (cairn_ros2_type_hash(row->name, row->schema, hash) != 0)
		return DDS_RETCODE_ERROR;
	struct ddsi_sertype *raw = raw_type_new(type_name);
	if (raw == NULL)
		return DDS_RETCODE_OUT_OF_RESOURCES;
	dds_entity_t topic = dds_create_topic_sertype(link->participant, dds_name, &raw, NULL, NULL, NULL);
	if (topic < 0) {
		ddsi_sertype_unref(raw);
		return topic;
	}
	*ret_type = raw;
	if (link->cfg->release == CAIRN_CHOICE_ROS2_RELEASE_JAZZY) {
		int n = snprintf(userdata, sizeof(userdata), "typehash=%s;", hash);
		dds_qset_userdata(q, userdata, (size_t)n);
	}
	return topic;
}

/* ---- out ---- */

static struct dds_writer *new_writer(struct dds_link *link, const char *dds_name, enum cairn_ros2_type type,
    enum cairn_ros2_qos qos, struct cairn_error *err)
{
	if (link->writer_count == ENDPOINTS_MAX) {
		cairn_error_set(err, "ros2: more topics than %d", ENDPOINTS_MAX);
		return NULL;
	}
	struct dds_writer *w = &link->writers[link->writer_count];
	dds_qos_t *q = qos_of(qos);
	dds_entity_t topic = make_topic(link, dds_name, type, q, &w->type);
	w->entity = topic > 0 ? dds_create_writer(link->participant, topic, q, NULL) : topic;
	dds_delete_qos(q);
	if (w->entity < 0) {
		cairn_error_set(err, "ros2: topic %s: %s", dds_name, dds_strretcode(-w->entity));
		return NULL;
	}
	link->writer_count++;
	return w;
}

struct dds_writer *dds_link_writer(struct dds_link *link, const char *name, enum cairn_ros2_type type,
    enum cairn_ros2_qos qos, struct cairn_error *err)
{
	char dds_name[NAME_BYTES];
	snprintf(dds_name, sizeof(dds_name), "rt%s", name);
	return new_writer(link, dds_name, type, qos, err);
}

uint32_t dds_writer_readers(const struct dds_writer *writer)
{
	dds_publication_matched_status_t status;
	return dds_get_publication_matched_status(writer->entity, &status) == DDS_RETCODE_OK
		   ? status.current_count
		   : 0;
}

bool dds_writer_put(struct dds_writer *writer, const void *cdr, size_t bytes)
{
	struct ddsi_serdata *sample = raw_sample_new(writer->type, cdr, bytes);
	return sample != NULL && dds_writecdr(writer->entity, sample) == DDS_RETCODE_OK;
}

/* ---- in ---- */

static void on_data(dds_entity_t reader, void *arg)
{
	const struct dds_link *link = arg;
	const uint64_t one = 1;
	(void)reader;
	/* It fails only while it is readable already, as is wanted. */
	if (write(link->fd, &one, sizeof(one)) < 0)
		return;
}

bool dds_link_reader(struct dds_link *link, int row, const char *name, enum cairn_ros2_type type,
    enum cairn_ros2_qos qos, struct cairn_error *err)
{
	char dds_name[NAME_BYTES];
	struct ddsi_sertype *raw;
	snprintf(dds_name, sizeof(dds_name), "rt%s", name);
	if (link->reader_count == ENDPOINTS_MAX) {
		cairn_error_set(err, "ros2: more topics than %d", ENDPOINTS_MAX);
		return false;
	}
	dds_qos_t *q = qos_of(qos);
	dds_listener_t *listener = dds_create_listener(link);
	dds_lset_data_available(listener, on_data);
	dds_entity_t topic = make_topic(link, dds_name, type, q, &raw);
	dds_entity_t entity = topic > 0 ? dds_create_reader(link->participant, topic, q, listener) : topic;
	dds_delete_listener(listener);
	dds_delete_qos(q);
	if (entity < 0) {
		cairn_error_set(err, "ros2: topic %s: %s", dds_name, dds_strretcode(-entity));
		return false;
	}
	link->readers[link->reader_count++] = (struct reader){entity, row};
	return true;
}

int dds_link_fd(const struct dds_link *link)
{
	return link->fd;
}

static void take_from(const struct reader *r, dds_take_fn *fn, void *ctx)
{
	struct ddsi_serdata *samples[TAKEN_AT_ONCE];
	dds_sample_info_t info[TAKEN_AT_ONCE];
	int n;
	do {
		n = dds_takecdr(r->entity, samples, TAKEN_AT_ONCE, info, DDS_ANY_STATE);
		for (int i = 0; i < n; i++) {
			size_t bytes;
			const void *cdr = raw_sample_cdr(samples[i], &bytes);
			if (info[i].valid_data)
				fn(ctx, r->row, cdr, bytes);
			ddsi_serdata_unref(samples[i]);
		}
	} while (n == TAKEN_AT_ONCE);
}

void dds_link_take(struct dds_link *link, dds_take_fn *fn, void *ctx)
{
	uint64_t times;
	if (read(link->fd, &times, sizeof(times)) < 0)
		return;
	for (int i = 0; i < link->reader_count; i++)
		take_from(&link->readers[i], fn, ctx);
}

/* ---- who we are ---- */

static bool gid_of(dds_entity_t entity, uint8_t ret[CAIRN_ROS2_GID_BYTES])
{
	dds_guid_t guid;
	if (dds_get_guid(entity, &guid) != DDS_RETCODE_OK)
		return false;
	memcpy(ret, guid.v, CAIRN_ROS2_GID_BYTES);
	return true;
}

bool dds_link_announce(struct dds_link *link, struct cairn_error *err)
{
	uint8_t readers[ENDPOINTS_MAX][CAIRN_ROS2_GID_BYTES], writers[ENDPOINTS_MAX][CAIRN_ROS2_GID_BYTES];
	uint8_t buf[NODES_BYTES];
	struct cairn_ros2_nodes nodes = {.name = link->node,
	    .gid_bytes = link->cfg->release == CAIRN_CHOICE_ROS2_RELEASE_HUMBLE ? 24 : CAIRN_ROS2_GID_BYTES,
	    .reader_count = (uint32_t)link->reader_count,
	    .writer_count = (uint32_t)link->writer_count,
	    .readers = (const uint8_t(*)[CAIRN_ROS2_GID_BYTES])readers,
	    .writers = (const uint8_t(*)[CAIRN_ROS2_GID_BYTES])writers};
	bool good = gid_of(link->participant, nodes.participant);
	for (int i = 0; i < link->writer_count; i++)
		good = good && gid_of(link->writers[i].entity, writers[i]);
	for (int i = 0; i < link->reader_count; i++)
		good = good && gid_of(link->readers[i].entity, readers[i]);
	struct dds_writer *w =
	    good ? new_writer(link, "ros_discovery_info", CAIRN_ROS2_NODES, CAIRN_ROS2_QOS_LATCHED, err)
		 : NULL;
	int bytes = w != NULL ? cairn_ros2_encode(CAIRN_ROS2_NODES, 0, &nodes, buf, sizeof(buf)) : -1;
	if (bytes > 0 && dds_writer_put(w, buf, (size_t)bytes))
		return true;
	if (w != NULL || !good)
		cairn_error_set(err, "ros2: the node cannot be announced");
	return false;
}
