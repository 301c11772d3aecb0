/* Ten thousand spoilt responses of every format and mode, made from the seeds of the fuzzers: each ends in a
 * decision that passes all checks, or in a STOP that says why. The sanitized build runs it too. */
#include <dirent.h>

#include "common/base/rng.h"
#include "test/support/answer_rules.h"
#include "test/support/runner.h"

#define SEEDS_MAX 80
#define BODY_MAX 8192
#define ROUNDS 10000

struct seed {
	unsigned way;
	size_t len;
	char body[4096];
};

static struct seed seeds[SEEDS_MAX];
static int seed_count;

/* The first byte of a file says the way, as the fuzzer has it; those of the texts have none. */
static void load(const char *folder, bool has_way)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/test/fuzz/seeds/%s", CAIRN_SOURCE_ROOT, folder);
	DIR *dir = opendir(path);
	ck_assert_ptr_nonnull(dir);
	seed_count = 0;
	for (struct dirent *entry; (entry = readdir(dir)) != NULL && seed_count < SEEDS_MAX;) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(
		    path, sizeof(path), "%s/test/fuzz/seeds/%s/%s", CAIRN_SOURCE_ROOT, folder, entry->d_name);
		FILE *in = fopen(path, "re");
		ck_assert_ptr_nonnull(in);
		struct seed *s = &seeds[seed_count++];
		s->way = has_way ? (unsigned)fgetc(in) & 0x0F : 0;
		s->len = fread(s->body, 1, sizeof(s->body), in);
		fclose(in);
	}
	closedir(dir);
	ck_assert_int_gt(seed_count, 5);
}

static size_t mutate(struct cairn_rng *rng, char *body, size_t len, size_t cap)
{
	static const char *const inserts[] = {"null", "NaN", "-1e400", "{", "[", "\"", "\\u0000", "\\ud800",
	    "\xFF\xFE", "[[[[[[[[", "\"a\":1,\"a\":2", "99999999999999999999999999", "\0", "true",
	    "{\"tool_calls\":[]}", "</html>", "\\", ","};
	uint32_t rounds = 1 + cairn_rng_u32(rng) % 4;
	for (uint32_t i = 0; i < rounds && len > 0; i++) {
		size_t at = cairn_rng_u32(rng) % len;
		switch (cairn_rng_u32(rng) % 5) {
		case 0: /* cut */
			len = at;
			break;
		case 1: /* flip */
			body[at] = (char)cairn_rng_u32(rng);
			break;
		case 2: { /* drop a run */
			size_t n = cairn_rng_u32(rng) % 40;
			n = at + n > len ? len - at : n;
			memmove(body + at, body + at + n, len - at - n);
			len -= n;
			break;
		}
		case 3: { /* insert something nasty */
			const char *ins =
			    inserts[cairn_rng_u32(rng) % (sizeof(inserts) / sizeof(inserts[0]))];
			size_t n = strlen(ins);
			if (len + n > cap)
				break;
			memmove(body + at + n, body + at, len - at);
			memcpy(body + at, ins, n);
			len += n;
			break;
		}
		default: { /* repeat a piece elsewhere */
			size_t from = cairn_rng_u32(rng) % len, n = cairn_rng_u32(rng) % 60;
			n = from + n > len ? len - from : n;
			if (len + n > cap)
				break;
			char piece[64];
			memcpy(piece, body + from, n);
			memmove(body + at + n, body + at, len - at);
			memcpy(body + at, piece, n);
			len += n;
		}
		}
	}
	return len;
}

/* A copy of exactly its size, so that a read past the end is seen by the sanitizer. */
static char *exact_copy(const char *body, size_t len)
{
	char *exact = malloc(len > 0 ? len : 1);
	memcpy(exact, body, len);
	return exact;
}

static void expect_sound(const struct cairn_answer *a, bool actions_only, int *stops, int *others)
{
	const char *rule = answer_broken_rule(a, actions_only);
	ck_assert_msg(rule == NULL, "broken: %s", rule);
	*(a->kind == CAIRN_ANSWER_STOP ? stops : others) += 1;
}

START_TEST(seeds_are_understood_before_they_are_spoilt)
{
	int stops = 0, others = 0;
	load("reply", true);
	for (int i = 0; i < seed_count; i++) {
		struct cairn_answer a;
		answer_read(seeds[i].way, seeds[i].body, seeds[i].len, false, &a);
		expect_sound(&a, false, &stops, &others);
	}
	ck_assert_int_eq(stops, 3); /* two actions in one answer, in each format */
	load("text", false);
	for (int i = 0; i < seed_count; i++) {
		struct cairn_answer a = {.kind = CAIRN_ANSWER_STOP};
		cairn_answer_from_text(seeds[i].body, seeds[i].len, false, true, &a);
		expect_sound(&a, false, &stops, &others);
	}
	ck_assert_int_eq(stops, 3);
}
END_TEST

START_TEST(ten_thousand_bad_responses_of_each_way_end_in_a_sound_decision)
{
	struct cairn_rng rng;
	int stops[ANSWER_WAYS] = {0}, others[ANSWER_WAYS] = {0}, done[ANSWER_WAYS] = {0};
	cairn_rng_seed(&rng, 4711, 1);
	load("reply", true);
	for (int i = 0; i < ROUNDS * ANSWER_WAYS * 2; i++) {
		const struct seed *seed = &seeds[cairn_rng_u32(&rng) % (uint32_t)seed_count];
		char body[BODY_MAX];
		if (seed->way >= ANSWER_WAYS || done[seed->way] == ROUNDS)
			continue;
		memcpy(body, seed->body, seed->len);
		size_t len = mutate(&rng, body, seed->len, sizeof(body));
		char *exact = exact_copy(body, len);
		struct cairn_answer a;
		answer_read(seed->way, exact, len, (i & 1) != 0, &a);
		free(exact);
		expect_sound(&a, (i & 1) != 0, &stops[seed->way], &others[seed->way]);
		done[seed->way]++;
	}
	for (int w = 0; w < ANSWER_WAYS; w++) {
		ck_assert_int_eq(done[w], ROUNDS);
		ck_assert_int_gt(stops[w], ROUNDS / 4);
		ck_assert_int_gt(others[w], ROUNDS / 50);
	}
}
END_TEST

START_TEST(ten_thousand_bad_texts_of_models_end_in_a_sound_decision)
{
	struct cairn_rng rng;
	int stops = 0, others = 0;
	cairn_rng_seed(&rng, 815, 2);
	load("text", false);
	for (int i = 0; i < ROUNDS; i++) {
		const struct seed *seed = &seeds[i % seed_count];
		char body[BODY_MAX];
		memcpy(body, seed->body, seed->len);
		size_t len = mutate(&rng, body, seed->len, sizeof(body));
		char *exact = exact_copy(body, len);
		struct cairn_answer a = {.kind = CAIRN_ANSWER_STOP};
		cairn_answer_from_text(exact, len, (i & 1) != 0, (i & 2) != 0, &a);
		free(exact);
		expect_sound(&a, (i & 1) != 0, &stops, &others);
	}
	ck_assert_int_gt(stops, ROUNDS / 4);
	ck_assert_int_gt(others, ROUNDS / 50);
}
END_TEST

START_TEST(a_hundred_megabytes_are_refused_unread_in_every_way)
{
	size_t len = 100u << 20;
	char *body = malloc(len);
	ck_assert_ptr_nonnull(body);
	memset(body, '[', len);
	for (unsigned way = 0; way < ANSWER_WAYS; way++) {
		struct cairn_answer a;
		answer_read(way, body, len, false, &a);
		ck_assert_int_eq(a.kind, CAIRN_ANSWER_STOP);
		ck_assert_ptr_nonnull(strstr(a.problem, "larger than"));
	}
	struct cairn_answer a = {.kind = CAIRN_ANSWER_STOP};
	cairn_answer_from_text(body, len, false, true, &a);
	ck_assert_ptr_nonnull(strstr(a.problem, "larger than"));
	free(body);
}
END_TEST

CAIRN_TEST_MAIN("vlm bad answers", seeds_are_understood_before_they_are_spoilt,
    ten_thousand_bad_responses_of_each_way_end_in_a_sound_decision,
    ten_thousand_bad_texts_of_models_end_in_a_sound_decision,
    a_hundred_megabytes_are_refused_unread_in_every_way)
