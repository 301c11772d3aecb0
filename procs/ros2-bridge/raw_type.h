/* raw_type.h - a type of DDS whose samples are CDR that we write and read ourselves, whatever is in them.
 *
 * CycloneDDS learns how samples are made from a table of functions (ddsi_sertype, ddsi_serdata). These ones keep the bytes as
 * they go over the wire. The types of ROS 2 have no keys, so that all samples of a topic are of one instance. */
#ifndef CAIRN_PROCS_ROS2_BRIDGE_RAW_TYPE_H
#define CAIRN_PROCS_ROS2_BRIDGE_RAW_TYPE_H

#include <dds/dds.h>
#include <dds/ddsi/ddsi_serdata.h>
#include <dds/ddsi/ddsi_sertype.h>

/* For dds_create_topic_sertype(), which takes it over. NULL without memory. */
struct ddsi_sertype *raw_type_new(const char *dds_name);
/* A sample, for dds_writecdr(), which takes it over; the bytes are copied. NULL without memory. */
struct ddsi_serdata *raw_sample_new(const struct ddsi_sertype *type, const void *cdr, size_t bytes);
/* The bytes of a sample of such a type. */
const void *raw_sample_cdr(const struct ddsi_serdata *sample, size_t *ret_bytes);

#endif
