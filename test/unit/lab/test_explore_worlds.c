/* Which houses an evaluation of explorations drives, and what it calls them. */
#include <stdarg.h>
#include <sys/stat.h>

#include "procs/lab/eval_explore.h"
#include "test/support/runner.h"

#define STUDIO CAIRN_SOURCE_ROOT "/config/worlds/studio.yaml"

static struct explore_plan *plan;
static char dir[64], said[4096];
static const char *named[8];
static int named_count;

/* Of the command line here nothing is read but the houses. */
const char *const *cli_values(const struct cli *cli, const char *name, int *ret_count)
{
	(void)cli, (void)name;
	*ret_count = named_count;
	return named;
}

static const char *below(const char *name)
{
	static char paths[8][200];
	static int next;
	char *path = paths[next++ % 8];
	snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	return path;
}

/* A square room of so many metres. */
static const char *write_room(const char *path, double size_m)
{
	FILE *f = fopen(path, "w");
	ck_assert_msg(f != NULL, "%s", path);
	fprintf(f,
	    "name: room\nstart: {x_m: 1, y_m: 1, yaw_deg: 0}\n"
	    "rooms:\n  - {name: room, polygon: [[0, 0], [%g, 0], [%g, %g], [0, %g]]}\n"
	    "walls:\n  - {path: [[0, 0], [%g, 0], [%g, %g], [0, %g]], closed: true}\n",
	    size_m, size_m, size_m, size_m, size_m, size_m, size_m, size_m);
	ck_assert_int_eq(fclose(f), 0);
	return path;
}

/* Folders a and b with two rooms called home and other files beside them. */
static void arrive(void)
{
	plan = calloc(1, sizeof(*plan));
	snprintf(dir, sizeof(dir), "/tmp/cairn-houses-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(mkdir(below("a"), 0700), 0);
	ck_assert_int_eq(mkdir(below("b"), 0700), 0);
	write_room(below("a/home.yaml"), 4.0);
	write_room(below("b/home.yaml"), 5.0);
}

static void leave(void)
{
	char command[128];
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	ck_assert_int_eq(system(command), 0);
	free(plan->bad);
	free(plan);
}

/* NULL ends them. What is told of them is in said. */
static bool read_worlds(const char *path, ...)
{
	static const struct cli cli;
	va_list more;
	va_start(more, path);
	for (named_count = 0; path != NULL; path = va_arg(more, const char *))
		named[named_count++] = path;
	va_end(more);
	FILE *file = tmpfile();
	fflush(stderr);
	int before = dup(STDERR_FILENO);
	ck_assert(file != NULL && before >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
	bool ok = explore_read_worlds(&cli, plan);
	fflush(stderr);
	ck_assert_int_ge(dup2(before, STDERR_FILENO), 0);
	close(before);
	rewind(file);
	said[fread(said, 1, sizeof(said) - 1, file)] = '\0';
	fclose(file);
	return ok;
}

START_TEST(a_house_that_is_named_twice_is_driven_once_and_a_line_says_so)
{
	arrive();
	const char *copy = write_room(below("copy.yaml"), 4.0);
	ck_assert_int_eq(symlink(STUDIO, below("studio.yaml")), 0);
	ck_assert(read_worlds(STUDIO, CAIRN_SOURCE_ROOT "/./config/worlds/studio.yaml", below("studio.yaml"),
	    below("a"), copy, below("b"), NULL));
	ck_assert_uint_eq(plan->world_count, 3);
	ck_assert_ptr_nonnull(strstr(
	    said, "/./config/worlds/studio.yaml is the same house as " STUDIO ", and is driven once\n"));
	ck_assert_ptr_nonnull(strstr(said, "/studio.yaml is the same house as "));
	ck_assert_ptr_nonnull(strstr(said, "/copy.yaml is the same house as "));
	leave();
}
END_TEST

START_TEST(a_house_is_called_what_its_file_is_without_the_ending)
{
	arrive();
	write_room(below("a/v.1.yaml"), 6.0);
	write_room(below("a/v.2.yaml"), 7.0);
	write_room(below("a/v.2.json"), 8.0); /* read by what is in it */
	write_room(below("odd.world"), 9.0);
	ck_assert(read_worlds(below("a"), below("odd.world"), NULL));
	static const char *const names[] = {"home", "odd.world", "v.1", "v.2", "v.2-2"};
	ck_assert_uint_eq(plan->world_count, 5);
	for (uint32_t i = 0; i < 5; i++)
		ck_assert_str_eq(plan->worlds[i].name, names[i]);
	ck_assert_ptr_nonnull(strstr(plan->worlds[3].path, "v.2.json"));
	leave();
}
END_TEST

START_TEST(houses_of_one_name_are_numbered_by_their_paths_and_take_no_other_name)
{
	arrive();
	write_room(below("b/home-2.yaml"), 6.0);
	ck_assert(read_worlds(below("b"), below("a"), NULL));
	ck_assert_uint_eq(plan->world_count, 3);
	ck_assert_str_eq(plan->worlds[0].name, "home");
	ck_assert_ptr_nonnull(strstr(plan->worlds[0].path, "/a/"));
	ck_assert_str_eq(plan->worlds[1].name, "home-3");
	ck_assert_ptr_nonnull(strstr(plan->worlds[1].path, "/b/home.yaml"));
	ck_assert_str_eq(plan->worlds[2].name, "home-2");
	ck_assert_ptr_nonnull(strstr(said, "/b/home.yaml is called home-3: another house is called home\n"));
	leave();
	/* Of names that are cut too. */
	arrive();
	write_room(below("a/a-name-of-more-than-thirty-nine-characters-1.yaml"), 6.0);
	write_room(below("a/a-name-of-more-than-thirty-nine-characters-2.yaml"), 7.0);
	ck_assert(read_worlds(below("a"), NULL));
	ck_assert_str_eq(plan->worlds[0].name, "a-name-of-more-than-thirty-nine-charact");
	ck_assert_str_eq(plan->worlds[1].name, "a-name-of-more-than-thirty-n-2");
	leave();
}
END_TEST

START_TEST(a_house_that_is_changed_after_it_was_read_is_not_driven)
{
	struct cairn_error err = {""};
	arrive();
	ck_assert(read_worlds(below("a"), NULL));
	struct cairn_world *world = explore_load_world(&plan->worlds[0], &err);
	ck_assert_msg(world != NULL, "%s", err.text);
	cairn_world_destroy(&world);
	write_room(below("a/home.yaml"), 4.5);
	ck_assert_ptr_null(explore_load_world(&plan->worlds[0], &err));
	ck_assert_str_eq(err.text, "the file was changed after the evaluation had begun; begin a new one");
	leave();
}
END_TEST

/* A path so long that the reason of the loader is cut, to the last character. */
START_TEST(what_is_wrong_with_a_file_is_told_of_paths_of_any_length)
{
	char path[520];
	for (size_t length = 490; length < sizeof(path); length++) {
		arrive();
		size_t n = (size_t)snprintf(path, sizeof(path), "%s/", dir);
		while (n < length - 1) { /* folders: a name may have 255 */
			size_t more = length - 1 - n < 200 ? length - 1 - n : 200;
			memset(path + n, 'x', more);
			n += more;
			path[n] = '\0';
			if (length - n > 1) {
				ck_assert_int_eq(mkdir(path, 0700), 0);
				path[n++] = '/';
			}
		}
		memset(path + n, 'y', length - n);
		path[length] = '\0';
		FILE *f = fopen(path, "w");
		ck_assert_msg(f != NULL, "%s", path);
		ck_assert(fputs("walls: []\n", f) >= 0 && fclose(f) == 0);
		ck_assert(!read_worlds(path, NULL));
		ck_assert_uint_eq(plan->bad_count, 1);
		const char *why = plan->bad[0].why,
			   *whole = length >= 512 ? "its path is too long" : "it cannot be loaded";
		ck_assert_msg(length < 509 || strcmp(why, whole) == 0, "%zu: %s", length, why);
		ck_assert_msg(length >= 509 || (why[0] != ':' && why[0] != ' ' && why[0] != '\0'), "%zu: %s",
		    length, why);
		leave();
	}
}
END_TEST

CAIRN_TEST_MAIN("explore-worlds", a_house_that_is_named_twice_is_driven_once_and_a_line_says_so,
    a_house_is_called_what_its_file_is_without_the_ending,
    houses_of_one_name_are_numbered_by_their_paths_and_take_no_other_name,
    a_house_that_is_changed_after_it_was_read_is_not_driven,
    what_is_wrong_with_a_file_is_told_of_paths_of_any_length)
