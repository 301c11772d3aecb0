/* cmd_service.c - `cairn install-service`: a systemd unit that brings the stack up at boot and again whenever
 * it ends. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/config/config.h"
#include "procs/cairn/cmd.h"
#include "procs/cairn/rundir.h"

#define UNIT_DIR "/etc/systemd/system"
#define UNIT_NAME "cairn.service"

/* What the stack needs of the system, and no more: serial devices, its own mount namespace, real-time
 * priorities, the network for the model's service. MemoryMax bounds all stages together; each has
 * launcher.memory_max_mb. */
static const char unit_text[] =
    "[Unit]\n"
    "Description=cairn: a vision-language model drives a robot\n"
    "After=network.target\n"
    "StartLimitIntervalSec=0\n"
    "\n"
    "[Service]\n"
    "Type=notify\n"
    "NotifyAccess=main\n"
    "ExecStart=%s/cairn up --headless --stay --run /run/cairn%s%s\n"
    "EnvironmentFile=-/etc/cairn/environment\n"
    "RuntimeDirectory=cairn\n"
    "RuntimeDirectoryMode=0700\n"
    "RuntimeDirectoryPreserve=yes\n"
    "Restart=always\n"
    "RestartSec=1\n"
    "TimeoutStartSec=60\n"
    "TimeoutStopSec=45\n"
    "WatchdogSec=10\n"
    "KillMode=mixed\n"
    "MemoryMax=2G\n"
    "TasksMax=256\n"
    "LimitCORE=0\n"
    "LimitMEMLOCK=infinity\n"
    "LimitRTPRIO=99\n"
    "NoNewPrivileges=yes\n"
    "CapabilityBoundingSet=CAP_SYS_ADMIN CAP_SYS_NICE CAP_IPC_LOCK CAP_DAC_OVERRIDE\n"
    "ProtectSystem=strict\n"
    "ProtectHome=read-only\n"
    "PrivateTmp=yes\n"
    "ProtectKernelTunables=yes\n"
    "ProtectKernelModules=yes\n"
    "ProtectKernelLogs=yes\n"
    "ProtectControlGroups=yes\n"
    "ProtectClock=yes\n"
    "ProtectHostname=yes\n"
    "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK\n"
    "RestrictSUIDSGID=yes\n"
    "LockPersonality=yes\n"
    "MemoryDenyWriteExecute=yes\n"
    "SystemCallArchitectures=native\n"
    "\n"
    "[Install]\n"
    "WantedBy=multi-user.target\n";

static bool write_unit(FILE *out, const char *program_dir, const char *config_file)
{
	return fprintf(out, unit_text, program_dir, config_file != NULL ? " --config " : "",
		   config_file != NULL ? config_file : "") > 0;
}

/* Beside the real name first: systemd must never read half a unit. */
static int install(const struct cli *cli, const char *dir, const char *program_dir, const char *config_file)
{
	char path[4400], part[4410];
	snprintf(path, sizeof(path), "%s/" UNIT_NAME, dir);
	snprintf(part, sizeof(part), "%s.new", path);
	FILE *f = fopen(part, "we");
	bool ok =
	    f != NULL && write_unit(f, program_dir, config_file) && fflush(f) == 0 && fsync(fileno(f)) == 0;
	if (f != NULL && fclose(f) != 0)
		ok = false;
	if (!ok || chmod(part, 0644) != 0 || rename(part, path) != 0) {
		int status = cli_fail(cli, CLI_FAILED, "%s: %s%s", path, strerror(errno),
		    errno == EACCES ? "; run it as root, or with --print" : "");
		(void)unlink(part);
		return status;
	}
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

int cli_install_service(const struct cli *cli)
{
	char program_dir[4096], *config_file = NULL;
	const char *config = cli_value(cli, "config"), *dir = cli_value(cli, "dir");
	if (!cairn_program_dir(program_dir, sizeof(program_dir)))
		return cli_fail(cli, CLI_FAILED, "/proc/self/exe: %s", strerror(errno));
	if (config != NULL && (config_file = realpath(config, NULL)) == NULL)
		return cli_fail(cli, CLI_USAGE, "--config: %s: %s", config, strerror(errno));
	int status;
	if (!plain(program_dir) || (config_file != NULL && !plain(config_file)))
		status = cli_fail(cli, CLI_USAGE,
		    "a path with blanks or one of %%\"'\\$ cannot stand in a unit: %s",
		    plain(program_dir) ? config_file : program_dir);
	else if (cli_value(cli, "print") != NULL)
		status = write_unit(stdout, program_dir, config_file) ? CLI_OK : CLI_FAILED;
	else
		status = install(cli, dir != NULL ? dir : UNIT_DIR, program_dir, config_file);
	free(config_file);
	return status;
}
