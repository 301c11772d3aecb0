#include "procs/ros2-bridge/raw_type.h"

#include <dds/ddsi/q_radmin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_BYTES 4

struct raw {
	struct ddsi_serdata c;
	size_t bytes;
	uint8_t cdr[]; /* behind its bytes up to three of padding, which may be asked for, too */
};

static struct raw *raw_new(const struct ddsi_sertype *type, enum ddsi_serdata_kind kind, size_t bytes)
{
	size_t room = bytes < HEADER_BYTES ? HEADER_BYTES : (bytes + 3) & ~(size_t)3;
	struct raw *d = malloc(sizeof(*d) + room);
	if (d == NULL)
		return NULL;
	ddsi_serdata_init(&d->c, type, kind);
	d->c.hash = type->serdata_basehash;
	d->bytes = bytes < HEADER_BYTES ? HEADER_BYTES : bytes;
	memset(d->cdr, 0, HEADER_BYTES);
	memset(d->cdr + room - HEADER_BYTES, 0, HEADER_BYTES);
	return d;
}

/* ---- a sample, as CycloneDDS sees it ---- */

static const struct raw *raw_of(const struct ddsi_serdata *d)
{
	return (const struct raw *)d; /* its first member */
}

static bool eqkey(const struct ddsi_serdata *a, const struct ddsi_serdata *b)
{
	(void)a, (void)b;
	return true;
}

static uint32_t get_size(const struct ddsi_serdata *d)
{
	return (uint32_t)raw_of(d)->bytes;
}

/* A chain of pieces of the sample in order, which may overlap: min up to maxp1 of it. */
static struct ddsi_serdata *from_ser(
    const struct ddsi_sertype *type, enum ddsi_serdata_kind kind, const struct nn_rdata *piece, size_t size)
{
	struct raw *d = raw_new(type, kind, size);
	size_t have = 0;
	for (; d != NULL && piece != NULL; piece = piece->nextfrag) {
		const uint8_t *payload = NN_RMSG_PAYLOADOFF(piece->rmsg, NN_RDATA_PAYLOAD_OFF(piece));
		size_t end = piece->maxp1 < size ? piece->maxp1 : size;
		if (end <= have || piece->min > have)
			continue;
		memcpy(d->cdr + have, payload + (have - piece->min), end - have);
		have = end;
	}
	if (d != NULL && have < size)
		memset(d->cdr + have, 0, size - have);
	return d != NULL ? &d->c : NULL;
}

static struct ddsi_serdata *from_ser_iov(const struct ddsi_sertype *type, enum ddsi_serdata_kind kind,
    ddsrt_msg_iovlen_t count, const ddsrt_iovec_t *pieces, size_t size)
{
	struct raw *d = raw_new(type, kind, size);
	size_t have = 0;
	for (ddsrt_msg_iovlen_t i = 0; d != NULL && i < count && have < size; i++) {
		size_t n = pieces[i].iov_len < size - have ? pieces[i].iov_len : size - have;
		memcpy(d->cdr + have, pieces[i].iov_base, n);
		have += n;
	}
	if (d != NULL && have < size)
		memset(d->cdr + have, 0, size - have);
	return d != NULL ? &d->c : NULL;
}

static struct ddsi_serdata *from_keyhash(const struct ddsi_sertype *type, const struct ddsi_keyhash *hash)
{
	(void)hash;
	struct raw *d = raw_new(type, SDK_KEY, 0);
	return d != NULL ? &d->c : NULL;
}

/* There are no samples but those of raw_sample_new(). */
static struct ddsi_serdata *from_sample(
    const struct ddsi_sertype *type, enum ddsi_serdata_kind kind, const void *sample)
{
	(void)type, (void)kind, (void)sample;
	return NULL;
}

static void to_ser(const struct ddsi_serdata *d, size_t at, size_t bytes, void *buf)
{
	memcpy(buf, raw_of(d)->cdr + at, bytes);
}

static struct ddsi_serdata *to_ser_ref(
    const struct ddsi_serdata *d, size_t at, size_t bytes, ddsrt_iovec_t *ret)
{
	ret->iov_base = (void *)(uintptr_t)(raw_of(d)->cdr + at);
	ret->iov_len = bytes;
	return ddsi_serdata_ref(d);
}

static void to_ser_unref(struct ddsi_serdata *d, const ddsrt_iovec_t *ref)
{
	(void)ref;
	ddsi_serdata_unref(d);
}

static bool to_sample(const struct ddsi_serdata *d, void *sample, void **from, void *end)
{
	(void)d, (void)sample, (void)from, (void)end;
	return false;
}

static struct ddsi_serdata *to_untyped(const struct ddsi_serdata *d)
{
	struct raw *u = raw_new(d->type, SDK_KEY, 0);
	if (u != NULL)
		u->c.type = NULL;
	return u != NULL ? &u->c : NULL;
}

static bool untyped_to_sample(
    const struct ddsi_sertype *type, const struct ddsi_serdata *d, void *sample, void **from, void *end)
{
	(void)type, (void)d, (void)sample, (void)from, (void)end;
	return true;
}

static void free_sample(struct ddsi_serdata *d)
{
	free(d);
}

static size_t print(const struct ddsi_sertype *type, const struct ddsi_serdata *d, char *buf, size_t size)
{
	(void)type;
	return (size_t)snprintf(buf, size, "%zu bytes", raw_of(d)->bytes);
}

static void get_keyhash(const struct ddsi_serdata *d, struct ddsi_keyhash *ret, bool md5)
{
	(void)d, (void)md5;
	memset(ret, 0, sizeof(*ret));
}

static const struct ddsi_serdata_ops sample_ops = {.eqkey = eqkey,
    .get_size = get_size,
    .from_ser = from_ser,
    .from_ser_iov = from_ser_iov,
    .from_keyhash = from_keyhash,
    .from_sample = from_sample,
    .to_ser = to_ser,
    .to_ser_ref = to_ser_ref,
    .to_ser_unref = to_ser_unref,
    .to_sample = to_sample,
    .to_untyped = to_untyped,
    .untyped_to_sample = untyped_to_sample,
    .free = free_sample,
    .print = print,
    .get_keyhash = get_keyhash};

/* ---- a type ---- */

static void free_type(struct ddsi_sertype *type)
{
	ddsi_sertype_fini(type);
	free(type);
}

static void zero_samples(const struct ddsi_sertype *type, void *samples, size_t count)
{
	(void)type, (void)samples, (void)count;
}

static void realloc_samples(
    void **ptrs, const struct ddsi_sertype *type, void *old, size_t old_count, size_t count)
{
	(void)type, (void)old, (void)old_count;
	for (size_t i = 0; i < count; i++)
		ptrs[i] = NULL;
}

static void free_samples(const struct ddsi_sertype *type, void **ptrs, size_t count, dds_free_op_t op)
{
	(void)type, (void)ptrs, (void)count, (void)op;
}

static bool type_equal(const struct ddsi_sertype *a, const struct ddsi_sertype *b)
{
	(void)a, (void)b; /* names and operations are equal already */
	return true;
}

static uint32_t type_hash(const struct ddsi_sertype *type)
{
	(void)type;
	return 0;
}

static const struct ddsi_sertype_ops type_ops = {.version = ddsi_sertype_v0,
    .free = free_type,
    .zero_samples = zero_samples,
    .realloc_samples = realloc_samples,
    .free_samples = free_samples,
    .equal = type_equal,
    .hash = type_hash};

struct ddsi_sertype *raw_type_new(const char *dds_name)
{
	struct ddsi_sertype *type = calloc(1, sizeof(*type));
	if (type == NULL)
		return NULL;
	ddsi_sertype_init_flags(type, dds_name, &type_ops, &sample_ops, DDSI_SERTYPE_FLAG_TOPICKIND_NO_KEY);
	type->allowed_data_representation = DDS_DATA_REPRESENTATION_FLAG_XCDR1;
	return type;
}

struct ddsi_serdata *raw_sample_new(const struct ddsi_sertype *type, const void *cdr, size_t bytes)
{
	struct raw *d = raw_new(type, SDK_DATA, bytes);
	if (d == NULL)
		return NULL;
	memcpy(d->cdr, cdr, bytes);
	return &d->c;
}

const void *raw_sample_cdr(const struct ddsi_serdata *sample, size_t *ret_bytes)
{
	*ret_bytes = raw_of(sample)->bytes;
	return raw_of(sample)->cdr;
}
