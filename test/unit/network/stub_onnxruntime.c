/* stub_onnxruntime.c - as much of ONNX Runtime's C interface as cairn uses, as a library of its own: what a runtime may answer, without
 * one. The model's file name says what it plays: "refused" cannot be loaded, "two-inputs", "integers", "open-sides", "broken-run".
 * Else: input [1, 3, 8, 8], output [1, 1, 6], a box whose score is the mean of the first colour. Places in the table as in
 * onnxruntime_c_api.h. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct shape {
	int64_t dims[4];
	size_t rank;
	int type;
};

struct value {
	struct shape shape;
	float *data;
	float box[6];
};

struct session {
	char model[128];
};

static int alive; /* what was handed out and not given back */

int stub_alive(void);
int stub_alive(void)
{
	return alive;
}

static void *take(size_t bytes)
{
	alive++;
	return calloc(1, bytes);
}

static void give_back(void *p)
{
	alive--;
	free(p);
}

static bool plays(const struct session *s, const char *what)
{
	return strstr(s->model, what) != NULL;
}

static char *wrong(const char *why)
{
	char *s = take(128);
	strncpy(s, why, 127);
	return s;
}

static const char *message(const char *s)
{
	return s;
}

static char *create_env(int log_level, const char *id, void **ret)
{
	(void)log_level, (void)id;
	*ret = take(1);
	return NULL;
}

static char *create_session(void *env, const char *path, void *options, struct session **ret)
{
	(void)env, (void)options;
	if (strstr(path, "refused") != NULL)
		return wrong("Load model failed: no such file");
	*ret = take(sizeof(**ret));
	strncpy((*ret)->model, path, sizeof((*ret)->model) - 1);
	return NULL;
}

static char *run(struct session *s, void *options, const char *const *input_names,
    struct value *const *inputs, size_t input_count, const char *const *output_names, size_t output_count,
    struct value **ret)
{
	(void)options;
	if (plays(s, "broken-run") || input_count != 1 || output_count != 1 ||
	    strcmp(input_names[0], "images") != 0 || strcmp(output_names[0], "boxes") != 0)
		return wrong("Non-zero status code returned while running");
	const struct value *in = inputs[0];
	size_t plane = (size_t)(in->shape.dims[2] * in->shape.dims[3]);
	float sum = 0.0f;
	for (size_t i = 0; i < plane; i++)
		sum += in->data[i];
	struct value *out = take(sizeof(*out));
	const float box[6] = {1, 2, 5, 6, sum / (float)plane, 0};
	memcpy(out->box, box, sizeof(box));
	out->data = out->box;
	out->shape = (struct shape){{1, 1, 6}, 3, plays(s, "integers") ? 7 : 1};
	ret[0] = out;
	return NULL;
}

static char *create_options(void **ret)
{
	*ret = take(1);
	return NULL;
}

static char *set_int(void *options, int value)
{
	(void)options, (void)value;
	return NULL;
}

static char *input_count(struct session *s, size_t *ret)
{
	*ret = plays(s, "two-inputs") ? 2 : 1;
	return NULL;
}

static char *output_count(struct session *s, size_t *ret)
{
	(void)s;
	*ret = 1;
	return NULL;
}

static char *input_type(struct session *s, size_t i, struct shape **ret)
{
	(void)i;
	*ret = take(sizeof(**ret));
	**ret = (struct shape){{1, 3, 8, 8}, 4, 1};
	if (plays(s, "open-sides"))
		**ret = (struct shape){{-1, 3, -1, -1}, 4, 1};
	return NULL;
}

static char *name_of(const char *name, char **ret)
{
	*ret = take(16);
	strcpy(*ret, name);
	return NULL;
}

static char *input_name(struct session *s, size_t i, void *allocator, char **ret)
{
	(void)s, (void)i, (void)allocator;
	return name_of("images", ret);
}

static char *output_name(struct session *s, size_t i, void *allocator, char **ret)
{
	(void)s, (void)i, (void)allocator;
	return name_of("boxes", ret);
}

static char *create_tensor(
    void *memory, float *data, size_t bytes, const int64_t *dims, size_t rank, int type, struct value **ret)
{
	(void)memory;
	size_t all = sizeof(float);
	for (size_t i = 0; i < rank; i++)
		all *= (size_t)dims[i];
	if (all != bytes || type != 1)
		return wrong("not enough space");
	struct value *v = take(sizeof(*v));
	memcpy(v->shape.dims, dims, rank * sizeof(*dims));
	v->shape.rank = rank;
	v->shape.type = type;
	v->data = data;
	*ret = v;
	return NULL;
}

static char *data_of(struct value *v, void **ret)
{
	*ret = v->data;
	return NULL;
}

static char *shape_of_type(const struct shape *type, const struct shape **ret)
{
	*ret = type;
	return NULL;
}

static char *element_type(const struct shape *s, int *ret)
{
	*ret = s->type;
	return NULL;
}

static char *rank(const struct shape *s, size_t *ret)
{
	*ret = s->rank;
	return NULL;
}

static char *dims(const struct shape *s, int64_t *ret, size_t count)
{
	memcpy(ret, s->dims, count * sizeof(*ret));
	return NULL;
}

static char *shape_of_value(const struct value *v, struct shape **ret)
{
	*ret = take(sizeof(**ret));
	**ret = v->shape;
	return NULL;
}

static char *create_memory(int allocator, int type, void **ret)
{
	(void)allocator, (void)type;
	*ret = take(1);
	return NULL;
}

static char *allocator(void **ret)
{
	static int the_one;
	*ret = &the_one; /* borrowed: not given back */
	return NULL;
}

static char *give_back_by(void *by, void *p)
{
	(void)by;
	give_back(p);
	return NULL;
}

typedef void (*function)(void);

static const function *get_api(uint32_t version)
{
	static const function table[128] = {
	    [2] = (function)message,
	    [3] = (function)create_env,
	    [7] = (function)create_session,
	    [9] = (function)run,
	    [10] = (function)create_options,
	    [23] = (function)set_int,
	    [24] = (function)set_int,
	    [30] = (function)input_count,
	    [31] = (function)output_count,
	    [33] = (function)input_type,
	    [36] = (function)input_name,
	    [37] = (function)output_name,
	    [49] = (function)create_tensor,
	    [51] = (function)data_of,
	    [55] = (function)shape_of_type,
	    [60] = (function)element_type,
	    [61] = (function)rank,
	    [62] = (function)dims,
	    [65] = (function)shape_of_value,
	    [69] = (function)create_memory,
	    [76] = (function)give_back_by,
	    [78] = (function)allocator,
	    [92] = (function)give_back,
	    [93] = (function)give_back,
	    [94] = (function)give_back,
	    [95] = (function)give_back,
	    [96] = (function)give_back,
	    [98] = (function)give_back,
	    [99] = (function)give_back,
	    [100] = (function)give_back,
	};
	return version == 1 ? table : NULL;
}

static const char *get_version(void)
{
	return "1.0.0-stub";
}

struct base {
	const function *(*api)(uint32_t version);
	const char *(*version)(void);
};

const struct base *OrtGetApiBase(void);
const struct base *OrtGetApiBase(void)
{
	static const struct base base = {get_api, get_version};
	return &base;
}
