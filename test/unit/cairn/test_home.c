/* What is learned of a home stays with it, and nothing of it is lost. */
#include "procs/cairn/home.h"
#include "test/support/runner.h"

#include <dirent.h>
#include <sys/stat.h>

static char dir[64];
static struct cairn_config cfg;
static char said[700];

static void begin(void)
{
	snprintf(dir, sizeof(dir), "/tmp/cairn-home-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	cairn_config_defaults(&cfg);
	snprintf(cfg.sim.world, sizeof(cfg.sim.world), CAIRN_SOURCE_ROOT "/config/worlds/home.yaml");
}

static void end(void)
{
	char command[128];
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	ck_assert_int_eq(system(command), 0);
}

static void put(const char *name, const char *text)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	FILE *f = fopen(path, "we");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	ck_assert_int_eq(fclose(f), 0);
}

static bool there(const char *name)
{
	char path[480];
	struct stat st;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return lstat(path, &st) == 0;
}

static void prepare(bool fresh)
{
	struct cairn_error err = {""};
	ck_assert_msg(home_prepare(dir, &cfg, fresh, said, sizeof(said), &err), "%s", err.text);
}

/* What the run before has learned. */
static void learn(void)
{
	char path[128];
	put("map.bin", "a map");
	put("memory.yaml", "a memory");
	snprintf(path, sizeof(path), "%s/pictures", dir);
	(void)mkdir(path, 0755);
	put("pictures/1.jpg", "a picture");
}

/* The folder that was named last. */
static const char *aside(void)
{
	const char *at = strstr(said, "set aside in ");
	ck_assert_msg(at != NULL, "%s", said);
	static char name[300];
	ck_assert_int_eq(sscanf(at, "set aside in %299[^;]", name), 1);
	return name + strlen(dir) + 1;
}

static void expect_aside(const char *folder, const char *name)
{
	char path[400];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	ck_assert_msg(there(path), "%s", path);
}

START_TEST(the_same_home_is_gone_on_with)
{
	begin();
	prepare(false);
	ck_assert_str_eq(said, ""); /* there was nothing */
	learn();
	prepare(false);
	ck_assert_str_eq(said, "goes on with the map, memory, pictures of this home; --fresh begins anew");
	ck_assert(there("map.bin") && there("pictures/1.jpg"));
	end();
}
END_TEST

START_TEST(begun_anew_nothing_is_lost)
{
	begin();
	prepare(false);
	learn();
	put("sim.bin", "where the simulated robot stands");
	prepare(false);
	ck_assert(there("sim.bin"));
	prepare(true);
	ck_assert(!there("sim.bin"));
	expect_aside(aside(), "sim.bin");
	ck_assert_int_eq(
	    strncmp(said, "begins anew: the map, memory, pictures of the run before is set aside in ", 72),
	    0);
	ck_assert(!there("map.bin") && !there("memory.yaml") && !there("pictures"));
	expect_aside(aside(), "map.bin");
	expect_aside(aside(), "pictures/1.jpg");
	prepare(true);
	ck_assert_str_eq(said, ""); /* nothing to set aside: no empty folder, no word */
	learn();
	cfg.launcher.keep_home = false;
	prepare(false);
	expect_aside(aside(), "memory.yaml");
	learn();
	cfg.map.resume = true;
	prepare(false);
	ck_assert(there("map.bin"));
	end();
}
END_TEST

START_TEST(another_home_begins_without_the_map_of_this_one)
{
	static const char *const worlds[] = {"home", "loop", "studio"};
	begin();
	prepare(false);
	for (int i = 1; i < 6; i++) { /* from each to the next, and back */
		learn();
		snprintf(cfg.sim.world, sizeof(cfg.sim.world), CAIRN_SOURCE_ROOT "/config/worlds/%s.yaml",
		    worlds[i % 3]);
		prepare(false);
		ck_assert_int_eq(strncmp(said, "another home: the map", 21), 0);
		ck_assert(!there("map.bin"));
		expect_aside(aside(), "map.bin");
	}
	learn();
	cfg.sim.start = CAIRN_CHOICE_START_GIVEN; /* the map's frame begins elsewhere */
	prepare(false);
	ck_assert(!there("map.bin"));
	learn();
	cfg.sim.start_x_m = 1.0;
	prepare(false);
	ck_assert(!there("map.bin"));
	learn();
	cfg.sim.seed = 2; /* another experiment */
	prepare(false);
	ck_assert(!there("map.bin"));
	learn();
	cfg.map.cell_m = 0.1;
	prepare(false);
	ck_assert(!there("map.bin"));
	cfg.robot.drive = CAIRN_CHOICE_DRIVE_SERIAL;
	learn();
	prepare(false);
	ck_assert(!there("map.bin"));
	learn();
	cfg.sim.start_x_m = 2.0; /* a real robot starts where it stands */
	prepare(false);
	ck_assert(there("map.bin"));
	end();
}
END_TEST

START_TEST(a_world_whose_file_has_changed_is_another_home)
{
	begin();
	snprintf(cfg.sim.world, sizeof(cfg.sim.world), "%s/w.yaml", dir);
	put("w.yaml", "walls: 1\n");
	prepare(false);
	learn();
	prepare(false);
	ck_assert(there("map.bin"));
	put("w.yaml", "walls: 2\n");
	prepare(false);
	ck_assert(!there("map.bin"));
	end();
}
END_TEST

START_TEST(a_map_of_which_nobody_knows_the_home_is_not_gone_on_with)
{
	begin();
	learn();
	prepare(false);
	ck_assert(!there("map.bin"));
	expect_aside(aside(), "map.bin");
	end();
}
END_TEST

START_TEST(of_what_is_set_aside_the_newest_few_stay)
{
	char path[128], oldest[300];
	begin();
	prepare(false);
	for (int i = 0; i < HOME_ASIDE_MAX + 2; i++) {
		learn();
		prepare(true);
		if (i == 0)
			snprintf(oldest, sizeof(oldest), "%s", aside());
		ck_assert_int_eq(strstr(said, "is removed") != NULL, i >= HOME_ASIDE_MAX);
	}
	ck_assert(!there(oldest));
	expect_aside(aside(), "pictures/1.jpg");
	snprintf(path, sizeof(path), "%s/aside", dir);
	DIR *d = opendir(path);
	int count = 0;
	for (struct dirent *e; (e = readdir(d)) != NULL;)
		count += e->d_name[0] != '.';
	closedir(d);
	ck_assert_int_eq(count, HOME_ASIDE_MAX);
	end();
}
END_TEST

START_TEST(a_state_folder_of_its_own_is_shared_with_nobody)
{
	struct cairn_error err = {""};
	int lock, other;
	begin();
	char run[100], again[100];
	snprintf(run, sizeof(run), "%s/run", dir);
	snprintf(again, sizeof(again), "%s/again", dir);
	ck_assert_int_eq(mkdir(run, 0700), 0);
	ck_assert_int_eq(mkdir(again, 0700), 0);
	snprintf(cfg.launcher.state_dir, sizeof(cfg.launcher.state_dir), "var/lib");
	ck_assert(!home_place(run, &cfg, &lock, said, sizeof(said), &err));
	ck_assert_ptr_nonnull(strstr(err.text, "launcher.state_dir: var/lib: give the whole path"));
	cfg.launcher.state_dir[0] = said[0] = '\0';
	ck_assert(home_place(run, &cfg, &lock, said, sizeof(said), &err));
	ck_assert_int_eq(lock, -1);
	char state[128], file[160];
	snprintf(state, sizeof(state), "%s/state", run);
	ck_assert_int_eq(mkdir(state, 0700), 0);
	put("run/state/map.bin", "of before");
	snprintf(cfg.launcher.state_dir, sizeof(cfg.launcher.state_dir), "%s/var/lib", dir);
	ck_assert_msg(home_place(run, &cfg, &lock, said, sizeof(said), &err), "%s", err.text);
	ck_assert_int_ge(lock, 0);
	ck_assert_ptr_nonnull(strstr(said, "is set aside in"));
	put("run/state/map.bin", "of now");
	ck_assert(there("var/lib/map.bin"));
	ck_assert(!home_place(again, &cfg, &other, said, sizeof(said), &err));
	ck_assert_ptr_nonnull(strstr(err.text, "is used by another stack"));
	close(lock);
	ck_assert(home_place(again, &cfg, &other, said, sizeof(said), &err));
	snprintf(file, sizeof(file), "again/state/map.bin");
	ck_assert(there(file));
	close(other);
	cfg.launcher.state_dir[0] = '\0'; /* and back: the link goes, what it led to stays */
	ck_assert(home_place(again, &cfg, &other, said, sizeof(said), &err));
	ck_assert(!there("again/state") && there("var/lib/map.bin"));
	end();
}
END_TEST

CAIRN_TEST_MAIN("home", the_same_home_is_gone_on_with, begun_anew_nothing_is_lost,
    another_home_begins_without_the_map_of_this_one, a_world_whose_file_has_changed_is_another_home,
    a_map_of_which_nobody_knows_the_home_is_not_gone_on_with, of_what_is_set_aside_the_newest_few_stay,
    a_state_folder_of_its_own_is_shared_with_nobody)
