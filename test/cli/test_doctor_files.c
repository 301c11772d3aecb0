/* Files and folders of the configuration that the stages could not use are named before anything starts. */
#include "test/cli/doctor.h"

/* OPTIONS with %s for the run directory, which lies in /tmp. */
static void refuses(const char *options, const char *check, const char *says)
{
	char args[600];
	size_t used = 0;
	for (const char *at; (at = strstr(options, "%s")) != NULL; options = at + 2)
		used += (size_t)snprintf(
		    args + used, sizeof(args) - used, "%.*s%s", (int)(at - options), options, run_dir);
	snprintf(args + used, sizeof(args) - used, "%s", options);
	refused(args, check, (const char *const[]){says, NULL});
}

static void make_fifo(const char *name)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/%s", run_dir, name);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
}

START_TEST(files_that_stages_could_not_read_are_named)
{
	char path[128];
	make_run_dir();
	snprintf(path, sizeof(path), "%s/empty", run_dir);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	make_fifo("fifo");
	write_file("junk", "junk\n", "w");
	write_file("cert.pem", "-----BEGIN CERTIFICATE-----\n", "w");
	refuses("--set vlm.prompts=%s/empty", "model-files", "vlm.prompts: ");
	refuses("--set vlm.prompts=%s/fifo", "model-files", "/fifo/role.txt: Not a directory");
	refuses("--set vlm.providers=%s/fifo", "model-files", "/fifo: not a file (a device");
	refuses("--set agent.enabled=true --set agent.replay=%s/fifo", "model-files", "agent.replay: ");
	refuses("--set vlm.ca_file=%s/fifo", "certificates", "/fifo: not a file (a device");
	refuses("--set vlm.ca_file=%s/junk", "certificates", "/junk: no PEM file with a CERTIFICATE");
	refuses("--set web.cert_file=%s/none --set web.key_file=%s/junk", "certificates",
	    "/none: No such file or directory");
	refuses("--set web.cert_file=%s/cert.pem --set web.key_file=%s/cert.pem", "certificates",
	    "web.key_file: ");
	refuses("--set detect.source=network --set detect.model=%s/fifo --set detect.model_labels=%s/junk",
	    "network", "/fifo: not a file (a device");
	remove_run_dir();
}
END_TEST

START_TEST(folders_that_cannot_be_written_to_are_named)
{
	make_run_dir();
	write_file("junk", "junk\n", "w");
	/* in /proc nobody can make a folder, root included */
	refuses("--set launcher.state_dir=/proc/cairn", "folders",
	    "launcher.state_dir: /proc/cairn: nothing can be written there");
	refuses("--set launcher.state_dir=%s/junk/state", "folders", "nothing can be written there");
	refuses("--set vlm.record=/proc/cairn", "folders", "vlm.record: /proc/cairn: nothing");
	refuses("--set record.enabled=true --set record.folder=/proc/cairn", "folders", "record.folder: ");
	refuses("--set record.enabled=true --set record.folder=%s/none/here", "folders",
	    "the folder that it belongs in is not there");
	remove_run_dir();
}
END_TEST

START_TEST(only_what_lies_in_tmp_directly_is_hidden_from_the_stages)
{
	static const struct {
		const char *key, *check;
	} rows[] = {{"map.start_file", "start-map"}, {"vlm.providers", "model-files"},
	    {"vlm.ca_file", "certificates"}, {"vlm.replay", "model-files"}};
	char name[] = "/tmp/cairn-map-XXXXXX", args[128];
	int fd = mkstemp(name);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(close(fd), 0);
	make_run_dir();
	write_file("house.yaml", "image: nowhere.pgm\n", "w");
	refuses(
	    "--set map.start_file=%s/house.yaml", "start-map", "mend the map"); /* read, and found wanting */
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(args, sizeof(args), "--set %s=%s", rows[i].key, name);
		refuses(args, rows[i].check, "the stages do not see what lies in /tmp or /dev/shm directly");
	}
	ck_assert_int_eq(unlink(name), 0);
	remove_run_dir();
}
END_TEST

CAIRN_TEST_MAIN("doctor files", files_that_stages_could_not_read_are_named,
    folders_that_cannot_be_written_to_are_named, only_what_lies_in_tmp_directly_is_hidden_from_the_stages)
