/* dds_link.h - a participant of DDS that looks like a node of ROS 2: topics of ROS written and read as CDR.
 *
 * All but the waiting is done in the caller's thread; CycloneDDS has threads of its own, which only make the descriptor
 * readable. Names and types are given as ROS has them ("/scan", "sensor_msgs/msg/LaserScan"). */
#ifndef CAIRN_PROCS_ROS2_BRIDGE_DDS_LINK_H
#define CAIRN_PROCS_ROS2_BRIDGE_DDS_LINK_H

#include "common/ros2/bridge.h"

struct dds_link;
struct dds_writer;

/* node: the name by which it shows. NULL with the reason. */
struct dds_link *dds_link_open(
    const struct cairn_config_ros2 *cfg, const char *node, struct cairn_error *err);
void dds_link_close(struct dds_link **link_p);

struct dds_writer *dds_link_writer(struct dds_link *link, const char *name, enum cairn_ros2_type type,
    enum cairn_ros2_qos qos, struct cairn_error *err);
/* How many read it now. */
uint32_t dds_writer_readers(const struct dds_writer *writer);
/* False when it could not be handed over. */
bool dds_writer_put(struct dds_writer *writer, const void *cdr, size_t bytes);

typedef void dds_take_fn(void *ctx, int row, const void *cdr, size_t bytes);
/* row is handed to the function of dds_link_take(). */
bool dds_link_reader(struct dds_link *link, int row, const char *name, enum cairn_ros2_type type,
    enum cairn_ros2_qos qos, struct cairn_error *err);
/* Readable when samples wait. */
int dds_link_fd(const struct dds_link *link);
/* Hands over the samples that wait. */
void dds_link_take(struct dds_link *link, dds_take_fn *fn, void *ctx);

/* Tells the other nodes who has these writers and readers: once, when all are made. */
bool dds_link_announce(struct dds_link *link, struct cairn_error *err);

#endif
