#include "test/support/runner.h"

#include <errno.h>
#include <sys/stat.h>

#include "common/base/rng.h"
#include "common/map/map_server.h"

static char folder[64], yaml[128], pgm[128], name[128];
static struct cairn_error err;

static void begin(void)
{
	snprintf(folder, sizeof(folder), "/tmp/cairn-maps-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(name, sizeof(name), "%s/flat", folder);
	snprintf(yaml, sizeof(yaml), "%s/flat.yaml", folder);
	snprintf(pgm, sizeof(pgm), "%s/flat.pgm", folder);
}

static void end(void)
{
	unlink(yaml);
	unlink(pgm);
	ck_assert_int_eq(rmdir(folder), 0); /* nothing else was left there */
}

static void write_file(const char *path, const void *data, size_t bytes)
{
	FILE *f = fopen(path, "wb");
	ck_assert_uint_eq(fwrite(data, 1, bytes, f), bytes);
	fclose(f);
}

static size_t read_file(const char *path, char *data, size_t room)
{
	FILE *f = fopen(path, "rb");
	size_t n = fread(data, 1, room - 1, f);
	fclose(f);
	data[n] = '\0';
	return n;
}

START_TEST(the_files_are_byte_for_byte_those_of_map_server)
{
	/* Three columns (x) by two rows (y); row 0 of the grid is the lower one. */
	uint8_t cells[6] = {0, 100, 255, /* upper: */ 49, 64, 65};
	char got[512];
	struct cairn_map_file map = {cells, 3, 2, 0.05, -1.5, -2.25};
	begin();
	ck_assert_msg(
	    cairn_map_file_save(&map, yaml, &err), "%s", err.text); /* the ending is taken as said */
	ck_assert_uint_eq(read_file(pgm, got, sizeof(got)), 40 + 6);
	ck_assert_mem_eq(got, "P5\n# CREATOR: cairn 0.050 m/pix\n3 2\n255\n", 40);
	ck_assert_mem_eq(
	    got + 40, "\xFE\xCD\x00\xFE\x00\xCD", 6); /* free, unsure, wall; free, wall, unknown */
	read_file(yaml, got, sizeof(got));
	ck_assert_str_eq(got,
	    "image: flat.pgm\nmode: trinary\nresolution: 0.050000\norigin: [-1.500000, -2.250000, 0.000000]\n"
	    "negate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n");
	end();
}
END_TEST

START_TEST(what_is_saved_is_what_is_loaded)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 2, 1);
	uint8_t cells[37 * 23];
	for (size_t i = 0; i < sizeof(cells); i++)
		cells[i] = (uint8_t[]){0, 100, 255}[cairn_rng_u32(&rng) % 3];
	struct cairn_map_file map = {cells, 37, 23, 0.1, 3.0, -4.0}, back = {0};
	begin();
	ck_assert(cairn_map_file_save(&map, name, &err));
	ck_assert_msg(cairn_map_file_load(&back, yaml, &err), "%s", err.text);
	ck_assert_uint_eq(back.width, 37);
	ck_assert_uint_eq(back.height, 23);
	ck_assert_double_eq_tol(back.cell_m, 0.1, 1e-9);
	ck_assert_double_eq_tol(back.origin_x_m, 3.0, 1e-9);
	ck_assert_double_eq_tol(back.origin_y_m, -4.0, 1e-9);
	ck_assert_mem_eq(back.cells, cells, sizeof(cells));
	free(back.cells);
	end();
}
END_TEST

/* As another program writes them: no mode, free_thresh 0.25, negate, comments in the picture's head. */
START_TEST(maps_of_other_programs_are_understood)
{
	static const char head[] =
	    "image: flat.pgm\nresolution: 0.05\norigin: [0.0, 0.0, 0.0]\noccupied_thresh: 0.65\n"
	    "free_thresh: 0.25\nnegate: ";
	char text[512];
	struct cairn_map_file back = {0};
	begin();
	write_file(pgm, "P5 # made elsewhere\n# twice\n4\n1 255\n\x00\xFE\xCD\x40", 40);
	snprintf(text, sizeof(text), "%s0\nvoxel: 3\n", head);
	write_file(yaml, text, strlen(text));
	ck_assert_msg(cairn_map_file_load(&back, yaml, &err), "%s", err.text);
	ck_assert_mem_eq(back.cells, "\x64\x00\x00\x64", 4); /* 205: (255 - 205) / 255 = 0.196 < 0.25 */
	free(back.cells);
	snprintf(text, sizeof(text), "%s1\n", head);
	write_file(yaml, text, strlen(text));
	ck_assert(cairn_map_file_load(&back, yaml, &err));
	ck_assert_mem_eq(back.cells, "\x00\x64\x64\xFF", 4); /* 64: 0.251 */
	free(back.cells);
	end();
}
END_TEST

static void refused(const char *text, const char *why)
{
	struct cairn_map_file back = {.width = 77};
	write_file(yaml, text, strlen(text));
	err.text[0] = '\0';
	ck_assert_msg(!cairn_map_file_load(&back, yaml, &err), "%s", text);
	ck_assert_msg(strstr(err.text, why) != NULL, "'%s' does not say '%s'", err.text, why);
	ck_assert_uint_eq(back.width, 77);
}

#define REST "\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n"

START_TEST(hostile_files_are_refused_with_the_reason)
{
	begin();
	write_file(pgm, "P5\n2 2\n255\n\0\0\0\0", 15);
	refused("", "line 1: the file is empty");
	refused("image: flat.pgm\n", "is missing");
	refused("image: flat.pgm\nresolution: 0\norigin: [0, 0, 0]" REST, "resolution");
	refused("image: flat.pgm\nresolution: .nan\norigin: [0, 0, 0]" REST,
	    "line 2: resolution: '.nan' is not a number");
	refused("image: flat.pgm\nresolution: 0.05\norigin: [0, 0]" REST,
	    "line 3: origin: 2 values; 3 to 3 are expected");
	refused("image: flat.pgm\nresolution: 0.05\norigin: [1e300, 0, 0]" REST, "origin");
	refused("image: flat.pgm\nresolution: 0.05\norigin: [0, 0, 1.57]" REST, "turned");
	refused("image: flat.pgm\nmode: scale\nresolution: 0.05\norigin: [0, 0, 0]" REST, "trinary");
	refused("image: gone.pgm\nresolution: 0.05\norigin: [0, 0, 0]" REST, "gone.pgm");
	refused("image: /tmp\nresolution: 0.05\norigin: [0, 0, 0]" REST, "not a file");
	refused("image: flat.pgm\nresolution: 0.05\norigin: [0, 0, 0]\nnegate: 2\noccupied_thresh: "
		"0.65\nfree_thresh: 0.1\n",
	    "negate");
	refused("image: flat.pgm\nresolution: 0.05\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: "
		"0.1\nfree_thresh: 0.6\n",
	    "free_thresh");
	static const char good[] = "image: flat.pgm\nresolution: 0.05\norigin: [0, 0, 0]" REST;
	static const struct {
		const char *data;
		size_t bytes;
	} pictures[] = {{"", 0}, {"P", 1}, {"P5", 2}, {"P5\n", 3}, {"P5\n2", 4}, {"P5\n2 2\n", 7},
	    {"P5\n2 2\n255", 10}, {"P5\n2 2\n255\n\0\0\0", 14}, {"P5\n2 2\n255\n\0\0\0\0\0", 16},
	    {"P2\n2 2\n255\n\0\0\0\0", 15}, {"P5\n0 2\n255\n", 11}, {"P5\n-2 2\n255\n\0\0\0\0", 16},
	    {"P5\n2 2\n65535\n\0\0\0\0", 17}, {"P5\n99999999 99999999\n255\n\0", 26},
	    {"P5\n4294967297 1\n255\n\0", 20}, {"P5\n# for ever", 13}, {"P5\n\0 2 2 255\n\0\0\0\0", 17}};
	for (size_t i = 0; i < sizeof(pictures) / sizeof(pictures[0]); i++) {
		write_file(pgm, pictures[i].data, pictures[i].bytes);
		refused(good, "flat.pgm");
	}
	end();
}
END_TEST

/* Cut anywhere, or any byte changed: refused or read, never a crash, never too much memory. */
START_TEST(no_damage_harms)
{
	char picture[2048], text[512], hurt[2048];
	uint8_t cells[20 * 20] = {0};
	struct cairn_map_file map = {cells, 20, 20, 0.05, 0.0, 0.0}, back;
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 8, 1);
	begin();
	ck_assert(cairn_map_file_save(&map, name, &err));
	size_t picture_bytes = read_file(pgm, picture, sizeof(picture)),
	       text_bytes = read_file(yaml, text, sizeof(text));
	for (size_t cut = 0; cut < picture_bytes; cut++) {
		write_file(pgm, picture, cut);
		ck_assert(!cairn_map_file_load(&back, yaml, &err));
	}
	int taken = 0;
	for (int round = 0; round < 400; round++) {
		bool head = round % 2 == 0;
		size_t n = head ? picture_bytes : text_bytes;
		memcpy(hurt, head ? picture : text, n);
		hurt[cairn_rng_u32(&rng) % (head ? 45 : n)] = (char)cairn_rng_u32(&rng);
		write_file(pgm, head ? hurt : picture, picture_bytes);
		write_file(yaml, head ? text : hurt, text_bytes);
		if (!cairn_map_file_load(&back, yaml, &err))
			continue;
		taken++;
		free(back.cells);
	}
	ck_assert_int_gt(taken, 50);
	ck_assert_int_lt(taken, 390);
	end();
}
END_TEST

START_TEST(saving_where_it_cannot_be_says_why_and_keeps_the_old_file)
{
	uint8_t cells[4] = {0, 0, 100, 255};
	struct cairn_map_file map = {cells, 2, 2, 0.05, 0.0, 0.0}, none = {0}, back;
	char beside[160];
	begin();
	ck_assert(!cairn_map_file_save(&none, name, &err));
	ck_assert(!cairn_map_file_save(&map, "/nonexistent/flat", &err));
	ck_assert_ptr_nonnull(strstr(err.text, "/nonexistent/flat"));
	ck_assert(!cairn_map_file_save(&map, "", &err));
	ck_assert(!cairn_map_file_save(&map, "/tmp/", &err));
	ck_assert(cairn_map_file_save(&map, name, &err));
	snprintf(beside, sizeof(beside), "%s.tmp", pgm);
	ck_assert_int_eq(mkdir(beside, 0700), 0); /* in the way */
	cells[0] = 100;
	ck_assert(!cairn_map_file_save(&map, name, &err));
	rmdir(beside);
	ck_assert(cairn_map_file_load(&back, yaml, &err));
	ck_assert_uint_eq(back.cells[0], 0);
	free(back.cells);
	end();
}
END_TEST

CAIRN_TEST_MAIN("map_server", the_files_are_byte_for_byte_those_of_map_server,
    what_is_saved_is_what_is_loaded, maps_of_other_programs_are_understood,
    hostile_files_are_refused_with_the_reason, no_damage_harms,
    saving_where_it_cannot_be_says_why_and_keeps_the_old_file)
