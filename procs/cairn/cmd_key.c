/* cmd_key.c - keys of operators elsewhere: made, shown (the public half only), and used to connect. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "ipc/keyfile.h"
#include "procs/cairn/commands.h"

int cli_keygen(const struct cli *cli)
{
	struct cairn_key key, robot;
	struct cairn_error err = {""};
	const char *dir = cli_value(cli, "dir"), *robot_file = cli_value(cli, "robot");
	if (dir == NULL)
		dir = ".";
	if (robot_file != NULL && !cairn_key_load(robot_file, false, &robot, &err))
		return cli_fail(cli, CLI_USAGE, "--robot: %s", err.text);
	if (!cairn_key_name_valid(cli->args[0]))
		return cli_fail(cli, CLI_USAGE, "a name has 1 to 31 letters, digits, '.', '_' or '-'");
	if (!cairn_key_make(cli->args[0], &key, &err))
		return cli_fail(cli, CLI_FAILED, "%s", err.text);
	if (robot_file != NULL)
		memcpy(key.robot_key, robot.public_key, sizeof(key.robot_key));
	bool ok = mkdir(dir, 0700) == 0 || errno == EEXIST;
	if (!ok)
		cairn_error_set(&err, "%s: %s", dir, strerror(errno));
	ok = ok && cairn_key_save(&key, dir, &err);
	explicit_bzero(key.secret_key, sizeof(key.secret_key));
	if (!ok)
		return cli_fail(cli, CLI_FAILED, "%s", err.text);
	printf("%s/%s.key written: secret, for whoever is %s alone\n%s/%s.pub written: for the other side\n",
	    dir, key.name, key.name, dir, key.name);
	return CLI_OK;
}

int cli_key(const struct cli *cli)
{
	struct cairn_key key;
	struct cairn_error err = {""};
	unsigned rights = 0;
	char text[64];
	const char *wanted = cli_value(cli, "rights");
	if (wanted != NULL && !cairn_rights_parse(wanted, &rights, &err))
		return cli_fail(cli, CLI_USAGE, "--rights: %s", err.text);
	if (!cairn_key_load(cli->args[0], false, &key, &err))
		return cli_fail(cli, CLI_FAILED, "%s", err.text);
	explicit_bzero(key.secret_key, sizeof(key.secret_key));
	if (wanted != NULL)
		printf("%s %s %s\n", key.name, key.public_key, cairn_rights_text(rights, text, sizeof(text)));
	else
		printf("name: %s\npublic: %s\n", key.name, key.public_key);
	return CLI_OK;
}

struct cairn_remote *cli_connect(const struct cli *cli, int *ret_status)
{
	struct cairn_key key;
	struct cairn_error err = {""};
	if (!cairn_key_load(cli->key, true, &key, &err)) {
		*ret_status = cli_fail(cli, CLI_USAGE, "--key: %s", err.text);
		return NULL;
	}
	struct cairn_remote *remote = cairn_remote_open(cli->connect, &key, &err);
	explicit_bzero(&key, sizeof(key));
	if (remote == NULL)
		*ret_status = cli_fail(cli, CLI_USAGE, "--connect: %s", err.text);
	return remote;
}
