#include "procs/network/onnx.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define API_VERSION 1
#define LOG_ERRORS 3
#define OPTIMIZE_ALL 99
#define TYPE_FLOAT 1
#define ARENA_ALLOCATOR 1
#define MEMORY_DEFAULT 0

/* What the interface hands out; never looked into. */
struct ort_status;
struct ort_env;
struct ort_options;
struct ort_session;
struct ort_allocator;
struct ort_memory;
struct ort_value;
struct ort_type;
struct ort_shape;

typedef struct ort_status *status;

/* The functions used, with their places in the table that the library gives (struct OrtApi of onnxruntime_c_api.h, whose order
 * never changes). A status that is not NULL tells what went wrong. */
#define ORT_FUNCTIONS(F)                                                                                     \
	F(2, const char *, message, (const struct ort_status *))                                             \
	F(3, status, create_env, (int level, const char *id, struct ort_env **))                             \
	F(7, status, create_session,                                                                         \
	    (const struct ort_env *, const char *path, const struct ort_options *, struct ort_session **))   \
	F(9, status, run,                                                                                    \
	    (struct ort_session *, const void *run_options, const char *const *input_names,                  \
		const struct ort_value *const *inputs, size_t input_count, const char *const *output_names,  \
		size_t output_count, struct ort_value **))                                                   \
	F(10, status, create_options, (struct ort_options **))                                               \
	F(23, status, set_optimization, (struct ort_options *, int level))                                   \
	F(24, status, set_threads, (struct ort_options *, int count))                                        \
	F(30, status, input_count, (const struct ort_session *, size_t *))                                   \
	F(31, status, output_count, (const struct ort_session *, size_t *))                                  \
	F(33, status, input_type, (const struct ort_session *, size_t, struct ort_type **))                  \
	F(36, status, input_name, (const struct ort_session *, size_t, struct ort_allocator *, char **))     \
	F(37, status, output_name, (const struct ort_session *, size_t, struct ort_allocator *, char **))    \
	F(49, status, create_tensor,                                                                         \
	    (const struct ort_memory *, void *data, size_t bytes, const int64_t *dims, size_t rank,          \
		int type, struct ort_value **))                                                              \
	F(51, status, data, (struct ort_value *, void **))                                                   \
	F(55, status, shape_of_type, (const struct ort_type *, const struct ort_shape **))                   \
	F(60, status, element_type, (const struct ort_shape *, int *))                                       \
	F(61, status, rank, (const struct ort_shape *, size_t *))                                            \
	F(62, status, dims, (const struct ort_shape *, int64_t *, size_t count))                             \
	F(65, status, shape_of_value, (const struct ort_value *, struct ort_shape **))                       \
	F(69, status, create_memory, (int allocator, int memory, struct ort_memory **))                      \
	F(76, status, free, (struct ort_allocator *, void *))                                                \
	F(78, status, allocator, (struct ort_allocator **))                                                  \
	F(92, void, release_env, (struct ort_env *))                                                         \
	F(93, void, release_status, (struct ort_status *))                                                   \
	F(94, void, release_memory, (struct ort_memory *))                                                   \
	F(95, void, release_session, (struct ort_session *))                                                 \
	F(96, void, release_value, (struct ort_value *))                                                     \
	F(98, void, release_type, (struct ort_type *))                                                       \
	F(99, void, release_shape, (struct ort_shape *))                                                     \
	F(100, void, release_options, (struct ort_options *))

struct api {
#define F(place, type, name, args) type(*name) args;
	ORT_FUNCTIONS(F)
#undef F
};

/* What the library exports: OrtApiBase. */
struct base {
	void (*const *(*api)(uint32_t version))(void);
	const char *(*version)(void);
};

struct onnx {
	void *library;
	const char *version;
	struct api api;
	struct ort_env *env;
	struct ort_session *session;
	struct ort_memory *memory;
	struct ort_allocator *allocator; /* the library's own */
	char *input_name, *output_names[CAIRN_NETWORK_TENSORS];
	struct ort_value *outputs[CAIRN_NETWORK_TENSORS];
	struct cairn_network_tensor tensors[CAIRN_NETWORK_TENSORS];
	uint32_t output_count;
	int64_t dims[4];
	struct cairn_network_input input;
};

/* True when it went well; else the reason is told. */
static bool fine(const struct onnx *o, status s, const char *what, struct cairn_error *err)
{
	if (s == NULL)
		return true;
	cairn_error_set(err, "%s: %.180s", what, o->api.message(s));
	o->api.release_status(s);
	return false;
}

static bool load(struct onnx *o, const char *library, struct cairn_error *err)
{
	struct base *(*get)(void);
	o->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (o->library == NULL) {
		cairn_error_set(err, "ONNX Runtime: %.180s", dlerror());
		return false;
	}
	void *symbol = dlsym(o->library, "OrtGetApiBase");
	memcpy(&get, &symbol, sizeof(get)); /* as POSIX has it: ISO C knows no such cast */
	const struct base *base = symbol != NULL ? get() : NULL;
	void (*const *table)(void) = base != NULL ? base->api(API_VERSION) : NULL;
	if (table == NULL) {
		cairn_error_set(
		    err, "%.150s has no ONNX Runtime with the C interface that is needed", library);
		return false;
	}
#define F(place, type, name, args) o->api.name = (type(*) args)table[place];
	ORT_FUNCTIONS(F)
#undef F
	o->version = base->version();
	return true;
}

static bool open_session(struct onnx *o, const struct onnx_options *options, struct cairn_error *err)
{
	struct ort_options *settings = NULL;
	const struct api *a = &o->api;
	bool ok =
	    fine(o, a->create_env(LOG_ERRORS, "cairn", &o->env), "ONNX Runtime", err) &&
	    fine(o, a->create_options(&settings), "ONNX Runtime", err) &&
	    fine(o, a->set_threads(settings, options->threads), "threads", err) &&
	    fine(o, a->set_optimization(settings, OPTIMIZE_ALL), "optimization", err) &&
	    fine(o, a->create_session(o->env, options->model, settings, &o->session), options->model, err);
	if (settings != NULL)
		a->release_options(settings);
	return ok;
}

/* Size and layout of the one input; sides that the model leaves open get size_px. */
static bool judge_input(struct onnx *o, uint32_t size_px, struct cairn_error *err)
{
	struct cairn_network_input *in = &o->input;
	int64_t *d = o->dims;
	bool planes = d[1] == 3, last = !planes && d[3] == 3;
	for (int i = 0; i < 4; i++)
		if (d[i] <= 0)
			d[i] = i == 0 ? 1 : size_px;
	int64_t height = last ? d[1] : d[2], width = last ? d[2] : d[3];
	if (d[0] != 1 || !(planes || last) || height < 1 || width < 1 || height > CAIRN_NETWORK_SIDE_MAX ||
	    width > CAIRN_NETWORK_SIDE_MAX) {
		cairn_error_set(err,
		    "the model's input is [%lld, %lld, %lld, %lld]; one picture of three colours of at most "
		    "%d "
		    "pixels a side is needed",
		    (long long)d[0], (long long)d[1], (long long)d[2], (long long)d[3],
		    CAIRN_NETWORK_SIDE_MAX);
		return false;
	}
	in->width_px = (uint32_t)width;
	in->height_px = (uint32_t)height;
	in->channels_last = last;
	return true;
}

static bool read_input(struct onnx *o, uint32_t size_px, struct cairn_error *err)
{
	const struct api *a = &o->api;
	struct ort_type *type = NULL;
	const struct ort_shape *shape = NULL;
	size_t count = 0, rank = 0;
	int element = 0;
	bool ok = fine(o, a->input_count(o->session, &count), "inputs", err) &&
		  fine(o, a->input_type(o->session, 0, &type), "input", err) &&
		  fine(o, a->shape_of_type(type, &shape), "input", err) &&
		  fine(o, a->element_type(shape, &element), "input", err) &&
		  fine(o, a->rank(shape, &rank), "input", err);
	if (ok && (count != 1 || element != TYPE_FLOAT || rank != 4)) {
		cairn_error_set(err,
		    "the model has %zu inputs, the first with %zu dimensions; one picture of 32-bit reals is "
		    "needed",
		    count, rank);
		ok = false;
	}
	ok = ok && fine(o, a->dims(shape, o->dims, 4), "input", err) && judge_input(o, size_px, err) &&
	     fine(o, a->input_name(o->session, 0, o->allocator, &o->input_name), "input", err);
	if (type != NULL)
		a->release_type(type);
	return ok;
}

static bool read_outputs(struct onnx *o, struct cairn_error *err)
{
	size_t count = 0;
	if (!fine(o, o->api.output_count(o->session, &count), "outputs", err))
		return false;
	if (count == 0 || count > CAIRN_NETWORK_TENSORS) {
		cairn_error_set(
		    err, "the model has %zu outputs; 1 to %d are understood", count, CAIRN_NETWORK_TENSORS);
		return false;
	}
	for (; o->output_count < count; o->output_count++)
		if (!fine(o,
			o->api.output_name(
			    o->session, o->output_count, o->allocator, &o->output_names[o->output_count]),
			"output", err))
			return false;
	return true;
}

struct onnx *onnx_open(const struct onnx_options *options, struct cairn_error *err)
{
	struct onnx *o = calloc(1, sizeof(*o));
	if (o == NULL) {
		cairn_error_set(err, "out of memory");
		return NULL;
	}
	if (load(o, options->library, err) && open_session(o, options, err) &&
	    fine(o, o->api.allocator(&o->allocator), "memory", err) &&
	    fine(o, o->api.create_memory(ARENA_ALLOCATOR, MEMORY_DEFAULT, &o->memory), "memory", err) &&
	    read_input(o, options->size_px, err) && read_outputs(o, err))
		return o;
	onnx_close(&o);
	return NULL;
}

static void drop_outputs(struct onnx *o)
{
	for (uint32_t i = 0; i < CAIRN_NETWORK_TENSORS; i++) {
		if (o->outputs[i] != NULL)
			o->api.release_value(o->outputs[i]);
		o->outputs[i] = NULL;
	}
}

void onnx_close(struct onnx **onnx_p)
{
	struct onnx *o = *onnx_p;
	*onnx_p = NULL;
	if (o == NULL)
		return;
	drop_outputs(o);
	for (uint32_t i = 0; i < CAIRN_NETWORK_TENSORS; i++)
		if (o->output_names[i] != NULL)
			(void)o->api.free(o->allocator, o->output_names[i]);
	if (o->input_name != NULL)
		(void)o->api.free(o->allocator, o->input_name);
	if (o->memory != NULL)
		o->api.release_memory(o->memory);
	if (o->session != NULL)
		o->api.release_session(o->session);
	if (o->env != NULL)
		o->api.release_env(o->env);
	if (o->library != NULL)
		(void)dlclose(o->library);
	free(o);
}

struct cairn_network_input onnx_input(const struct onnx *o)
{
	return o->input;
}

const char *onnx_version(const struct onnx *o)
{
	return o->version;
}

static bool take_output(struct onnx *o, uint32_t i, struct cairn_error *err)
{
	const struct api *a = &o->api;
	struct cairn_network_tensor *t = &o->tensors[i];
	struct ort_shape *shape = NULL;
	size_t rank = 0;
	int element = 0;
	void *data = NULL;
	bool ok = fine(o, a->shape_of_value(o->outputs[i], &shape), "output", err) &&
		  fine(o, a->element_type(shape, &element), "output", err) &&
		  fine(o, a->rank(shape, &rank), "output", err);
	if (ok && (element != TYPE_FLOAT || rank < 3 || rank > 4)) {
		cairn_error_set(err, "output %u has %zu dimensions, or is none of 32-bit reals", i, rank);
		ok = false;
	}
	ok = ok && fine(o, a->dims(shape, t->dims, rank), "output", err) &&
	     fine(o, a->data(o->outputs[i], &data), "output", err);
	t->rank = (uint32_t)rank;
	t->data = data;
	if (shape != NULL)
		a->release_shape(shape);
	return ok;
}

bool onnx_run(struct onnx *o, float *picture, const struct cairn_network_tensor **ret, uint32_t *ret_count,
    struct cairn_error *err)
{
	size_t bytes = 3 * sizeof(float) * o->input.width_px * o->input.height_px;
	struct ort_value *in = NULL;
	const char *name = o->input_name, *names[CAIRN_NETWORK_TENSORS];
	for (uint32_t i = 0; i < o->output_count; i++)
		names[i] = o->output_names[i];
	drop_outputs(o);
	bool ok = fine(
	    o, o->api.create_tensor(o->memory, picture, bytes, o->dims, 4, TYPE_FLOAT, &in), "input", err);
	if (ok) {
		const struct ort_value *inputs[] = {in};
		ok = fine(o,
		    o->api.run(o->session, NULL, &name, inputs, 1, names, o->output_count, o->outputs), "run",
		    err);
	}
	if (in != NULL)
		o->api.release_value(in);
	for (uint32_t i = 0; ok && i < o->output_count; i++)
		ok = take_output(o, i, err);
	*ret = o->tensors;
	*ret_count = ok ? o->output_count : 0;
	return ok;
}
