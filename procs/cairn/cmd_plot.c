/* cmd_plot.c - a number of a topic over time: in the terminal while it comes, or as a picture. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/base/duration.h"
#include "common/base/geom.h"
#include "common/drawing/line_chart.h"
#include "ipc/message_number.h"
#include "procs/cairn/commands.h"
#include "procs/cairn/topic_reader.h"

#define REDRAW_NS (CAIRN_NS_PER_S / 5)
#define FOR_S 10.0 /* where nobody looks on */
#define COLUMNS 70
#define ROWS 16
#define MARGIN 12 /* columns in front of the chart and behind it */

struct plot {
	struct topic_reader reader;
	struct cairn_msg_number number;
	struct cairn_series series;
	bool live; /* drawn again and again, in place */
	int lines; /* of the drawing that stands there */
	int64_t drawn_ns, first_ns;
};

/* Splits "nav.status.remaining_m": the longest name of a topic, then what stands behind its dot. NULL: no topic. */
static const char *split(const char *text, char *topic, size_t topic_bytes)
{
	const char *instance, *field = NULL;
	for (const char *dot = strchr(text, '.'); dot != NULL; dot = strchr(dot + 1, '.')) {
		size_t n = (size_t)(dot - text);
		char name[CAIRN_KEY_TEXT];
		if (n >= sizeof(name) || n >= topic_bytes)
			break;
		memcpy(name, text, n);
		name[n] = '\0';
		if (cairn_topic_of(name, &instance) < 0)
			continue;
		memcpy(topic, name, n + 1);
		field = dot + 1;
	}
	return field;
}

static void size_of_terminal(int *columns, int *rows)
{
	struct winsize size;
	*columns = COLUMNS;
	*rows = ROWS;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
		return;
	*columns = size.ws_col - MARGIN;
	*rows = size.ws_row / 2;
}

static void draw(const struct cli *cli, struct plot *p)
{
	struct cairn_text text = {0};
	int columns, rows;
	size_of_terminal(&columns, &rows);
	cairn_chart_text(&p->series, cli->args[0], columns, rows, &text);
	if (p->lines > 0)
		printf("\x1b[%dA\x1b[J", p->lines);
	p->lines = 0;
	for (const char *c = text.data; c != NULL && *c != '\0'; c++)
		p->lines += p->live && *c == '\n';
	fputs(text.data != NULL ? text.data : "", stdout);
	fflush(stdout);
	cairn_text_free(&text);
}

static void add(struct plot *p, const struct cairn_header *hdr)
{
	double value;
	if (p->first_ns == 0)
		p->first_ns = hdr->t_ns;
	if (cairn_msg_number_get(&p->number, p->reader.msg, &value))
		cairn_series_add(&p->series, (double)(hdr->t_ns - p->first_ns) * 1e-9, value);
}

/* CLI_OK, or a status after a message. */
static int follow(const struct cli *cli, struct plot *p, int64_t end_ns)
{
	struct cairn_header hdr;
	while (!cli_interrupted() && cli_now_ns() < end_ns) {
		int64_t turn_ns = cli_now_ns() + REDRAW_NS;
		int r = topic_reader_next(&p->reader, turn_ns < end_ns ? turn_ns : end_ns, &hdr);
		if (r < 0)
			return topic_reader_refused(cli);
		if (r == 1)
			add(p, &hdr);
		if (p->live && cli_now_ns() - p->drawn_ns >= REDRAW_NS) {
			draw(cli, p);
			p->drawn_ns = cli_now_ns();
		}
	}
	return CLI_OK;
}

static int finish(const struct cli *cli, struct plot *p, const char *png)
{
	struct cairn_error err = {""};
	if (p->series.count == 0)
		return cli_fail(cli, CLI_ABSENT, "no message came that has it");
	if (png == NULL)
		draw(cli, p);
	else if (!cairn_chart_png(&p->series, cli->args[0], png, &err))
		return cli_fail(cli, CLI_FAILED, "%s", err.text);
	else
		printf("picture: %s\n", png);
	return CLI_OK;
}

int cli_plot(const struct cli *cli)
{
	static struct plot p; /* large */
	struct cairn_error err = {""};
	char topic[CAIRN_KEY_TEXT];
	const char *png = cli_value(cli, "png"), *span = cli_value(cli, "for"), *instance;
	const char *field = split(cli->args[0], topic, sizeof(topic));
	double for_s = FOR_S;
	p.live = png == NULL && isatty(STDOUT_FILENO);
	if (field == NULL)
		return cli_fail(cli, CLI_USAGE,
		    "'%s' must be a topic, a dot and a field, as in pose.v_mps; 'cairn topics' lists them",
		    cli->args[0]);
	int row = cairn_topic_of(topic, &instance);
	if (!cairn_msg_number_find(cairn_topics[row].desc, field, &p.number, &err))
		return cli_fail(cli, CLI_USAGE, "%s", err.text);
	if (span != NULL && !cairn_duration_parse(span, &for_s, &err))
		return cli_fail(cli, CLI_USAGE, "--for: %s", err.text);
	cli_catch_signals();
	int status = topic_reader_open(cli, topic, &p.reader);
	if (status != CLI_OK)
		return status;
	int64_t end_ns = p.live && span == NULL ? INT64_MAX : cli_now_ns() + (int64_t)(for_s * 1e9);
	status = follow(cli, &p, end_ns);
	if (status == CLI_OK)
		status = finish(cli, &p, png);
	topic_reader_close(&p.reader);
	return status;
}
