/* cmd_web.c - the page of the stage web: where it is, and the tokens that let somebody in (docs/web.md). */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <qrencode.h>

#include "common/base/file.h"
#include "common/config/config.h"
#include "common/web/address.h"
#include "common/web/tokens.h"
#include "procs/cairn/commands.h"
#include "procs/cairn/web_url.h"

#define URL_BYTES 256

bool web_url(const char *run_dir, char *buf, size_t bytes)
{
	char path[CLI_RUN_DIR_MAX + 16];
	snprintf(path, sizeof(path), "%s/web.url", run_dir);
	if (cairn_file_read_into(path, CAIRN_FILE_OWN | CAIRN_FILE_TEXT, buf, bytes, NULL) <= 0)
		return false;
	buf[strcspn(buf, "\n")] = '\0';
	cli_printable(buf);
	return strncmp(buf, "http", 4) == 0;
}

/* The stack's configuration, as it was at its last start. */
static int load_config(const struct cli *cli, struct cairn_config *cfg)
{
	char path[CLI_RUN_DIR_MAX + 16];
	struct cairn_error err = {""};
	snprintf(path, sizeof(path), "%s/config.yaml", cli->run_dir);
	cairn_config_defaults(cfg);
	if (access(path, R_OK) != 0)
		return cli_fail(
		    cli, CLI_ABSENT, "no stack has run in %s yet: start it first ('cairn up')", cli->run_dir);
	return cairn_config_load(cfg, path, &err) ? CLI_OK : cli_fail(cli, CLI_USAGE, "%s", err.text);
}

/* ---- the list ---- */

static bool load_tokens(const char *path, struct cairn_web_tokens *tokens, struct cairn_error *err)
{
	char text[CAIRN_WEB_TOKENS_FILE_MAX];
	struct cairn_error why = {""};
	tokens->count = 0;
	if (access(path, F_OK) != 0 && errno == ENOENT)
		return true;
	if (cairn_file_read_into(path, CAIRN_FILE_OWN | CAIRN_FILE_TEXT, text, sizeof(text), err) < 0)
		return false;
	if (cairn_web_tokens_parse(text, tokens, &why))
		return true;
	cairn_error_set(err, "%.150s: %s", path, why.text);
	return false;
}

static bool save_tokens(const char *path, const struct cairn_web_tokens *tokens, struct cairn_error *err)
{
	char text[CAIRN_WEB_TOKENS_FILE_MAX];
	int n = cairn_web_tokens_format(tokens, text, sizeof(text));
	if (n < 0) {
		cairn_error_set(err, "%s: too many tokens", path);
		return false;
	}
	return cairn_file_replace(path, 0, 0600, text, (size_t)n, err);
}

static int list_tokens(const struct cairn_web_tokens *tokens)
{
	char rights[64];
	for (int i = 0; i < tokens->count; i++)
		printf("%-32s %s\n", tokens->rows[i].name,
		    cairn_rights_text(tokens->rows[i].rights, rights, sizeof(rights)));
	if (tokens->count == 0)
		printf("there are no tokens\n");
	return CLI_OK;
}

/* ---- the address ---- */

/* An address of this machine that others can reach: of the first interface that is up and not loopback. */
static void find_own_address(char *buf, size_t bytes)
{
	struct ifaddrs *all = NULL;
	if (getifaddrs(&all) != 0)
		return;
	for (const struct ifaddrs *i = all; i != NULL; i = i->ifa_next) {
		if (i->ifa_addr == NULL || i->ifa_addr->sa_family != AF_INET ||
		    (i->ifa_flags & IFF_LOOPBACK) != 0 || (i->ifa_flags & IFF_UP) == 0)
			continue;
		inet_ntop(
		    AF_INET, &((struct sockaddr_in *)(void *)i->ifa_addr)->sin_addr, buf, (socklen_t)bytes);
		break;
	}
	freeifaddrs(all);
}

/* What a browser is given; "any address" becomes one. Without a stack as it is configured. */
static bool make_address(
    const struct cli *cli, const struct cairn_config *cfg, char *buf, size_t bytes, bool *ret_near)
{
	struct cairn_web_address a;
	struct cairn_error err = {""};
	char running[URL_BYTES], host[CAIRN_WEB_HOST_MAX];
	if (!cairn_web_address_parse(cfg->web.endpoint, &a, &err))
		return false;
	*ret_near = a.loopback;
	unsigned port = a.port;
	if (web_url(cli->run_dir, running, sizeof(running)) && strrchr(running, ':') != NULL)
		port = (unsigned)strtoul(strrchr(running, ':') + 1, NULL, 10);
	snprintf(host, sizeof(host), "%s", a.host);
	bool any = strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0;
	if (any) {
		snprintf(host, sizeof(host), "127.0.0.1");
		find_own_address(host, sizeof(host));
	}
	bool bracket = strchr(host, ':') != NULL;
	snprintf(buf, bytes, "%s://%s%s%s:%u/", cfg->web.cert_file[0] != '\0' ? "https" : "http",
	    bracket ? "[" : "", host, bracket ? "]" : "", port);
	return true;
}

/* Two rows of the code in one of the terminal, dark on light whatever the terminal's colours. */
static void print_code(const char *text)
{
	QRcode *code = QRcode_encodeString(text, 0, QR_ECLEVEL_L, QR_MODE_8, 1);
	if (code == NULL)
		return;
	const int quiet = 2;
	for (int y = -quiet; y < code->width + quiet; y += 2) {
		fputs("\033[38;5;16;48;5;231m", stdout);
		for (int x = -quiet; x < code->width + quiet; x++) {
			bool dark[2];
			for (int k = 0; k < 2; k++)
				dark[k] = x >= 0 && x < code->width && y + k >= 0 && y + k < code->width &&
					  (code->data[(y + k) * code->width + x] & 1) != 0;
			fputs(dark[0] ? dark[1] ? "█" : "▀" : dark[1] ? "▄" : " ", stdout);
		}
		fputs("\033[0m\n", stdout);
	}
	QRcode_free(code);
}

static int add_token(const struct cli *cli, const struct cairn_config *cfg, const char *path,
    struct cairn_web_tokens *tokens, unsigned rights)
{
	uint8_t random[CAIRN_WEB_TOKEN_CHARS];
	char token[CAIRN_WEB_TOKEN_CHARS + 1], address[URL_BYTES], url[URL_BYTES + 64], text[64];
	struct cairn_error err = {""};
	bool near = true;
	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return cli_fail(cli, CLI_FAILED, "no random numbers: %s", strerror(errno));
	cairn_web_token_make(random, token);
	if (!cairn_web_tokens_put(tokens, cli->args[0], rights, token, &err))
		return cli_fail(cli, CLI_USAGE, "%s", err.text);
	if (!save_tokens(path, tokens, &err))
		return cli_fail(cli, CLI_FAILED, "%s", err.text);
	if (!make_address(cli, cfg, address, sizeof(address), &near))
		return cli_fail(cli, CLI_USAGE, "web.endpoint is no address");
	snprintf(url, sizeof(url), "%s#token=%s", address, token);
	printf("token of %s (%s), shown this once: %s\n%s\n", cli->args[0],
	    cairn_rights_text(rights, text, sizeof(text)), token, url);
	if (isatty(STDOUT_FILENO) == 1)
		print_code(url);
	if (near)
		printf("The stage listens on this machine alone; docs/web.md tells how to let others in.\n");
	explicit_bzero(token, sizeof(token));
	explicit_bzero(url, sizeof(url));
	return CLI_OK;
}

int cli_web_key(const struct cli *cli)
{
	static struct cairn_web_tokens tokens;
	static struct cairn_config cfg;
	char path[CLI_RUN_DIR_MAX + 32];
	struct cairn_error err = {""};
	unsigned rights = CAIRN_RIGHT_BIT(CAIRN_RIGHT_WATCH);
	const char *wanted = cli_value(cli, "rights");
	bool revoke = cli_value(cli, "revoke") != NULL;
	int status = cli_trust_run_dir(cli);
	if (status == CLI_OK)
		status = load_config(cli, &cfg);
	if (status != CLI_OK)
		return status;
	if (wanted != NULL && !cairn_rights_parse(wanted, &rights, &err))
		return cli_fail(cli, CLI_USAGE, "--rights: %s", err.text);
	snprintf(path, sizeof(path), "%s/state/web.tokens", cli->run_dir);
	const char *file = cfg.web.token_file[0] != '\0' ? cfg.web.token_file : path;
	if (!load_tokens(file, &tokens, &err))
		return cli_fail(cli, CLI_FAILED, "%s", err.text);
	if (cli->arg_count == 0)
		return revoke ? cli_fail(cli, CLI_USAGE, "--revoke needs a NAME") : list_tokens(&tokens);
	if (!revoke)
		return add_token(cli, &cfg, file, &tokens, rights);
	if (!cairn_web_tokens_remove(&tokens, cli->args[0]))
		return cli_fail(cli, CLI_FAILED, "there is no token '%s' in %s", cli->args[0], file);
	if (!save_tokens(file, &tokens, &err))
		return cli_fail(cli, CLI_FAILED, "%s", err.text);
	printf("the token of %s is worth nothing any more, within a second\n", cli->args[0]);
	return CLI_OK;
}

/* In the browser of the desktop, if there is one. */
static bool open_in_browser(const char *url)
{
	if (getenv("DISPLAY") == NULL && getenv("WAYLAND_DISPLAY") == NULL)
		return false;
	int status = 0;
	pid_t child = fork();
	if (child == 0) {
		(void)!freopen("/dev/null", "w", stderr);
		execlp("xdg-open", "xdg-open", url, (char *)NULL);
		_exit(127);
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 0;
}

int cli_open(const struct cli *cli)
{
	static struct cairn_config cfg;
	char url[URL_BYTES], address[URL_BYTES];
	bool near;
	int status = cli_need_stack(cli);
	if (status == CLI_OK)
		status = load_config(cli, &cfg);
	if (status != CLI_OK)
		return status;
	if (!cfg.web.enabled)
		return cli_fail(cli, CLI_FAILED, "the stage web is left out of this stack (web.enabled)");
	if (!web_url(cli->run_dir, url, sizeof(url)) ||
	    !make_address(cli, &cfg, address, sizeof(address), &near))
		return cli_fail(cli, CLI_ABSENT,
		    "the stage web does not listen: see 'cairn status' and 'cairn logs web'");
	printf("%s\n", address);
	fflush(stdout);
	if (cli_value(cli, "print") == NULL)
		(void)open_in_browser(address);
	return CLI_OK;
}
