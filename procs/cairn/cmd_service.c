/* cmd_service.c - `cairn install-service`: a systemd unit that brings the stack up at boot and again whenever
 * it ends. */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/config/config.h"
#include "procs/cairn/commands.h"
#include "procs/cli/rundir.h"

#define UNIT_DIR "/etc/systemd/system"
#define STATE_DIR "/var/lib/cairn"
#define UNIT_NAME "cairn.service"

#define CONFIG_FILE "/etc/cairn/cairn.yaml"

/* What the stack needs of the system, and no more: serial devices, its own mount namespace, real-time
 * priorities, the network for the model's service. MemoryMax bounds all stages together; each has
 * launcher.memory_max_mb. CPUQuota leaves the rest of a machine with more than two cores to others; a lower one
 * would stall the stage before the wheels. No DevicePolicy: systemd looks the kinds of devices up when the unit
 * starts, and one whose driver is loaded later, as it is plugged in, would be refused. */
static const char unit_text[] =
    "[Unit]\n"
    "Description=cairn: a vision-language model drives a robot\n"
    "Documentation=man:cairn(1)\n"
    "After=network.target\n"
    "StartLimitIntervalSec=0\n"
    "\n"
    "[Service]\n"
    "Type=notify\n"
    "NotifyAccess=main\n"
    "ExecStart=%s/cairn up --headless --stay --run /run/cairn --set launcher.state_dir=" STATE_DIR "%s%s\n"
    "%s"
    "EnvironmentFile=-/etc/cairn/environment\n"
    "RuntimeDirectory=cairn\n"
    "RuntimeDirectoryMode=0700\n"
    "RuntimeDirectoryPreserve=yes\n"
    "StateDirectory=cairn\n"
    "StateDirectoryMode=0700\n"
    "Restart=always\n"
    "RestartSec=1\n"
    "TimeoutStartSec=60\n"
    "TimeoutStopSec=45\n"
    "WatchdogSec=10\n"
    "KillMode=mixed\n"
    "MemoryMax=2G\n"
    "CPUQuota=200%%\n"
    "TasksMax=256\n"
    "LimitCORE=0\n"
    "LimitMEMLOCK=infinity\n"
    "LimitRTPRIO=99\n"
    "NoNewPrivileges=yes\n"
    "ProtectSystem=strict\n"
    "ProtectHome=read-only\n"
    "PrivateTmp=yes\n"
    "ProtectKernelTunables=yes\n"
    "ProtectKernelModules=yes\n"
    "ProtectKernelLogs=yes\n"
    "ProtectControlGroups=yes\n"
    "ProtectClock=yes\n"
    "ProtectHostname=yes\n"
    "ProtectProc=invisible\n"
    "RestrictNamespaces=user mnt\n"
    "SystemCallFilter=@system-service @mount\n"
    "SystemCallErrorNumber=EPERM\n"
    "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK\n"
    "RestrictSUIDSGID=yes\n"
    "LockPersonality=yes\n"
    "MemoryDenyWriteExecute=yes\n"
    "SystemCallArchitectures=native\n"
    "\n"
    "[Install]\n"
    "WantedBy=multi-user.target\n";

/* Root makes its mount namespace by itself, a user inside a user namespace, where it has every right. What root may by itself
 * a user is given: real-time priority, memory that is not swapped out. */
static const char as_root[] =
    "CapabilityBoundingSet=CAP_SYS_ADMIN CAP_SYS_NICE CAP_IPC_LOCK CAP_DAC_OVERRIDE\n";
static const char as_user[] = "User=%s\nAmbientCapabilities=CAP_SYS_NICE "
			      "CAP_IPC_LOCK\nCapabilityBoundingSet=CAP_SYS_NICE CAP_IPC_LOCK\n";

struct unit {
	char program_dir[4096];
	char *config_file; /* NULL = none */
	char who[1024];    /* lines that say as whom it runs */
};

static bool write_unit(FILE *out, const struct unit *unit)
{
	return fprintf(out, unit_text, unit->program_dir, unit->config_file != NULL ? " --config " : "",
		   unit->config_file != NULL ? unit->config_file : "", unit->who) > 0;
}

/* launcher.service_user and launcher.service_groups as lines of a unit. A name that the system does not know
 * would keep the unit from starting at all. */
static bool say_who(const struct cairn_config *cfg, char *lines, size_t bytes, struct cairn_error *err)
{
	const char *user = cfg->launcher.service_user;
	char names[sizeof(cfg->launcher.service_groups)], *rest = NULL;
	int n = 0;
	lines[0] = '\0';
	if (user[0] != '\0' && getpwnam(user) == NULL) {
		cairn_error_set(err, "launcher.service_user: there is no user '%s'", user);
		return false;
	}
	n = user[0] == '\0' ? snprintf(lines, bytes, "%s", as_root) : snprintf(lines, bytes, as_user, user);
	snprintf(names, sizeof(names), "%s", cfg->launcher.service_groups);
	const char *separator = "SupplementaryGroups=";
	for (char *name = strtok_r(names, " ,", &rest); name != NULL; name = strtok_r(NULL, " ,", &rest)) {
		if (getgrnam(name) == NULL) {
			cairn_error_set(err, "launcher.service_groups: there is no group '%s'", name);
			return false;
		}
		n += snprintf(lines + n, bytes - (size_t)n, "%s%s", separator, name);
		separator = " ";
	}
	if (separator[0] == ' ')
		snprintf(lines + n, bytes - (size_t)n, "\n");
	return true;
}

static int install(const struct cli *cli, const char *dir, const struct unit *unit)
{
	char path[4400], *text = NULL;
	size_t bytes = 0;
	struct cairn_error err = {"out of memory"};
	snprintf(path, sizeof(path), "%s/" UNIT_NAME, dir);
	FILE *f = open_memstream(&text, &bytes);
	bool ok = f != NULL && write_unit(f, unit);
	ok = f != NULL && fclose(f) == 0 && ok && cairn_file_replace(path, 0, 0644, text, bytes, &err);
	bool denied = errno == EACCES;
	free(text);
	if (!ok)
		return cli_fail(
		    cli, CLI_FAILED, "%s%s", err.text, denied ? "; run it as root, or with --print" : "");
	printf("%s written. Keys of providers go to /etc/cairn/environment (NAME=value, mode 0600). Then:\n"
	       "  systemctl daemon-reload && systemctl enable --now cairn\n",
	    path);
	return CLI_OK;
}

/* A blank or a percent sign in a path would mean something to systemd. */
static bool plain(const char *path)
{
	return strpbrk(path, " \t\n%\"'\\$") == NULL;
}

/* For a package, which is made where neither its programs nor its user are. That user is in the groups of the devices. */
static int fill_packaged(const struct cli *cli, const char *prefix, struct unit *unit)
{
	snprintf(unit->program_dir, sizeof(unit->program_dir), "%s/bin", prefix);
	if (prefix[0] != '/' || !plain(prefix) || cli_value(cli, "config") != NULL)
		return cli_fail(cli, CLI_USAGE,
		    "--package takes an absolute path without blanks, and no --config: the unit "
		    "reads " CONFIG_FILE);
	unit->config_file = strdup(CONFIG_FILE);
	snprintf(unit->who, sizeof(unit->who), as_user, "cairn");
	return unit->config_file != NULL ? CLI_OK : cli_fail(cli, CLI_FAILED, "out of memory");
}

/* What the unit says, from the arguments and the configuration. CLI_OK, or the status of what is wrong. */
static int fill_unit(const struct cli *cli, struct unit *unit)
{
	struct cairn_error err = {""};
	struct cairn_config cfg;
	int configs;
	const char *config = cli_value(cli, "config");
	cli_values(cli, "config", &configs);
	if (configs > 1)
		return cli_fail(cli, CLI_USAGE, "--config: a unit reads one file; copy the others into it");
	if (!cairn_program_dir(unit->program_dir, sizeof(unit->program_dir)))
		return cli_fail(cli, CLI_FAILED, "/proc/self/exe: %s", strerror(errno));
	if (config != NULL && (unit->config_file = realpath(config, NULL)) == NULL)
		return cli_fail(cli, CLI_USAGE, "--config: %s: %s", config, strerror(errno));
	if (!plain(unit->program_dir) || (unit->config_file != NULL && !plain(unit->config_file)))
		return cli_fail(cli, CLI_USAGE,
		    "a path with blanks or one of %%\"'\\$ cannot stand in a unit: %s",
		    plain(unit->program_dir) ? unit->config_file : unit->program_dir);
	cairn_config_defaults(&cfg);
	if ((unit->config_file != NULL && !cairn_config_load(&cfg, unit->config_file, &err)) ||
	    !say_who(&cfg, unit->who, sizeof(unit->who), &err))
		return cli_fail(cli, CLI_USAGE, "%s", err.text);
	return CLI_OK;
}

int cli_install_service(const struct cli *cli)
{
	static struct unit unit;
	const char *dir = cli_value(cli, "dir");
	unit.config_file = NULL;
	const char *prefix = cli_value(cli, "package");
	int status = prefix != NULL ? fill_packaged(cli, prefix, &unit) : fill_unit(cli, &unit);
	if (status == CLI_OK && cli_value(cli, "print") != NULL)
		status = write_unit(stdout, &unit) ? CLI_OK : CLI_FAILED;
	else if (status == CLI_OK)
		status = install(cli, dir != NULL ? dir : UNIT_DIR, &unit);
	free(unit.config_file);
	return status;
}
