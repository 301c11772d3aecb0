/* robot.c - a simulated robot whose drivers speak ROS 2, in real time: it runs a participant of another vendor's DDS (peer.cpp) to which it
 * says what is to be written, and drives as that hears it on /cmd_vel. Its drivers have no dead man of their own: they drive on as they
 * were last told.
 *
 *   ros2_robot WORLD SEED PEER DOMAIN, then lines on standard input:
 *     mute NAME          scan, odom or image fall silent; "mute none": all speak
 *     repeat NAME        goes on with the message of now, stamp and all
 *     truth              prints {"contacts", "distance_m", "v_mps", "told_v_mps", "told_w_radps", "clearance_m", "drives"}
 *
 * Standard output: one JSON object a line, those of the peer but for the samples of /cmd_vel among them. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/ros2/cdr_read.h"
#include "common/ros2/ros2.h"
#include "common/sim/render/render.h"
#include "common/sim/robot/sim.h"

#define ODOM_STEPS 3   /* 33 a second */
#define IMAGE_STEPS 20 /* 5 a second */
#define WIDTH 160
#define HEIGHT 120

enum { SCAN, ODOM, IMAGE, KINDS };
static const char *const names[KINDS] = {"scan", "odom", "image"};

static struct cairn_config cfg;
static struct cairn_sim *sim;
static struct cairn_renderer *renderer;
static struct cairn_drive told;
static unsigned long drives;
static bool mute[KINDS], repeat[KINDS];
static FILE *to_peer;
static int from_peer;
static uint8_t cdr[1 << 20];
static char line[2 << 20];

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

/* What repeats is what was said last. slot: one a topic. */
static void say(int kind, int slot, const char *topic, const char *dds_type, int bytes)
{
	static char *last[KINDS + 1];
	if (mute[kind])
		return;
	if (!repeat[kind] || last[slot] == NULL) {
		int n = snprintf(line, sizeof(line), "write rt%s %s ", topic, dds_type);
		for (int i = 0; i < bytes; i++, n += 2)
			snprintf(line + n, 3, "%02x", cdr[i]);
		free(last[slot]);
		last[slot] = strdup(line);
	}
	fprintf(to_peer, "%s\n", last[slot]);
}

/* As drivers tell a turn: the stamp is that of the first ray, the others follow evenly. */
static void say_scan(const struct cairn_msg_scan *scan, int64_t unix_ns)
{
	const double turn_s = CAIRN_LIDAR_TURN_STEPS * CAIRN_SIM_STEP_S;
	struct cairn_cdr c;
	float step_rad = (float)(-2.0 * M_PI / scan->range_m_count);
	cairn_cdr_init(&c, cdr, sizeof(cdr));
	cairn_ros2_put_header(&c, unix_ns - (int64_t)(turn_s * 1e9), "base_scan");
	cairn_cdr_put_f32(&c, scan->angle_rad[0]);
	cairn_cdr_put_f32(&c, scan->angle_rad[0] + step_rad * (float)(scan->range_m_count - 1));
	cairn_cdr_put_f32(&c, step_rad);
	cairn_cdr_put_f32(&c, (float)(turn_s / scan->range_m_count));
	cairn_cdr_put_f32(&c, (float)turn_s);
	cairn_cdr_put_f32(&c, scan->range_min_m);
	cairn_cdr_put_f32(&c, scan->range_max_m);
	cairn_cdr_put_u32(&c, scan->range_m_count);
	for (uint32_t i = 0; i < scan->range_m_count; i++)
		cairn_cdr_put_f32(&c, scan->range_m[i] > 0.0f ? scan->range_m[i] : INFINITY);
	cairn_cdr_put_u32(&c, 0);
	say(SCAN, SCAN, "/scan", "sensor_msgs::msg::dds_::LaserScan_", cairn_cdr_end(&c));
}

static void say_odometry(int64_t unix_ns)
{
	static double yaw_rad, x_m, y_m, left_m, right_m;
	const struct cairn_body *b = &cairn_sim_state(sim)->body;
	/* As a driver adds up its wheels. */
	double left = b->wheel_left_m - left_m, right = b->wheel_right_m - right_m;
	double turn = (right - left) / cfg.robot.wheel_separation_m;
	x_m += 0.5 * (left + right) * cos(yaw_rad + 0.5 * turn);
	y_m += 0.5 * (left + right) * sin(yaw_rad + 0.5 * turn);
	yaw_rad += turn;
	left_m = b->wheel_left_m;
	right_m = b->wheel_right_m;
	struct cairn_msg_odom m = {
	    .x_m = x_m, .y_m = y_m, .yaw_rad = yaw_rad, .v_mps = b->wheel_mps, .w_radps = b->wheel_radps};
	say(ODOM, ODOM, "/odom", "nav_msgs::msg::dds_::Odometry_",
	    cairn_ros2_encode(CAIRN_ROS2_ODOMETRY, unix_ns, &m, cdr, sizeof(cdr)));
}

static void say_pictures(int64_t unix_ns)
{
	static uint8_t rgb[WIDTH * HEIGHT * 3];
	static uint16_t depth_mm[WIDTH * HEIGHT];
	static unsigned grain;
	struct cairn_disc discs[CAIRN_WORLD_PEOPLE_MAX];
	static struct cairn_figure figures[CAIRN_WORLD_PEOPLE_MAX];
	struct cairn_frame_header h = {.format = CAIRN_FORMAT_RGB8,
	    .width = WIDTH,
	    .height = HEIGHT,
	    .stride_bytes = 3 * WIDTH,
	    .payload_bytes = sizeof(rgb)};
	size_t n = cairn_sim_people(sim, discs);
	for (size_t i = 0; i < n; i++)
		figures[i].disc = discs[i];
	cairn_renderer_draw(renderer, cairn_sim_state(sim)->body.pose, figures, n, rgb, depth_mm);
	rgb[grain++ % sizeof(rgb)] ^= 1u; /* a sensor never says the same twice */
	depth_mm[grain % (WIDTH * HEIGHT)] ^= 1u;
	struct cairn_ros2_frame frame = {&h, rgb, "camera"};
	say(IMAGE, IMAGE, "/camera/color/image_raw", "sensor_msgs::msg::dds_::Image_",
	    cairn_ros2_encode(CAIRN_ROS2_IMAGE, unix_ns, &frame, cdr, sizeof(cdr)));
	h.format = CAIRN_FORMAT_DEPTH16;
	h.stride_bytes = 2 * WIDTH;
	h.payload_bytes = sizeof(depth_mm);
	frame.payload = depth_mm;
	say(IMAGE, KINDS, "/camera/depth/image_raw", "sensor_msgs::msg::dds_::Image_",
	    cairn_ros2_encode(CAIRN_ROS2_IMAGE, unix_ns, &frame, cdr, sizeof(cdr)));
}

static void step(void)
{
	static struct cairn_msg_scan scan;
	(void)cairn_sim_step(sim, told, true);
	uint64_t steps = cairn_sim_state(sim)->steps;
	int64_t unix_ns = clock_ns(CLOCK_REALTIME);
	if (cairn_sim_scan(sim, &scan))
		say_scan(&scan, unix_ns);
	if (steps % ODOM_STEPS == 0)
		say_odometry(unix_ns);
	if (steps % IMAGE_STEPS == 0)
		say_pictures(unix_ns);
	fflush(to_peer);
}

static void set(bool flags[KINDS], const char *name)
{
	for (int i = 0; i < KINDS; i++)
		flags[i] = strcmp(name, names[i]) == 0;
}

static void obey(char *text)
{
	char name[16];
	const struct cairn_body *b = &cairn_sim_state(sim)->body;
	if (sscanf(text, "mute %15s", name) == 1) {
		set(mute, name);
	} else if (sscanf(text, "repeat %15s", name) == 1) {
		set(repeat, name);
	} else if (strncmp(text, "truth", 5) == 0) {
		printf("{\"contacts\":%u,\"distance_m\":%.3f,\"v_mps\":%.3f,\"told_v_mps\":%.3f,\"told_w_"
		       "radps\":%.3f,"
		       "\"clearance_m\":%.3f,\"drives\":%lu}\n",
		    b->contacts, b->distance_m, b->v_mps, told.v_mps, told.w_radps,
		    cairn_sim_clearance(sim, 1.0), drives);
		fflush(stdout);
	}
}

/* What the peer says: a sample of /cmd_vel is obeyed, the rest is passed on. */
static void hear_peer(char *text)
{
	static const char head[] = "{\"sample\":\"rt/cmd_vel\"";
	const char *hex = strstr(text, "\"hex\":\"");
	uint8_t bytes[128];
	size_t n = 0;
	unsigned byte;
	struct cairn_cdr_reader r;
	double value[6];
	if (strncmp(text, head, sizeof(head) - 1) != 0 || hex == NULL) {
		if (strncmp(text, "{\"written\"", 10) != 0)
			puts(text);
		fflush(stdout);
		return;
	}
	for (hex += 7; n < sizeof(bytes) && sscanf(hex, "%2x", &byte) == 1; hex += 2)
		bytes[n++] = (uint8_t)byte;
	cairn_cdr_read(&r, bytes, n);
	for (int i = 0; i < 6; i++)
		value[i] = cairn_cdr_take_f64(&r);
	if (r.failed)
		return;
	told = (struct cairn_drive){.v_mps = value[0], .w_radps = value[5]};
	drives++;
}

/* Whole lines that wait at a descriptor; false at its end. */
struct ear {
	int fd;
	void (*take)(char *line);
	char buf[65536];
	size_t have;
};

static bool hear(struct ear *ear)
{
	struct pollfd p = {.fd = ear->fd, .events = POLLIN};
	while (poll(&p, 1, 0) > 0) {
		ssize_t n = read(ear->fd, ear->buf + ear->have, sizeof(ear->buf) - 1 - ear->have);
		if (n <= 0)
			return false;
		ear->have += (size_t)n;
		ear->buf[ear->have] = '\0';
		for (char *end; (end = strchr(ear->buf, '\n')) != NULL;) {
			*end = '\0';
			ear->take(ear->buf);
			ear->have -= (size_t)(end + 1 - ear->buf);
			memmove(ear->buf, end + 1, ear->have + 1);
		}
	}
	return true;
}

static bool start_peer(const char *program, const char *domain)
{
	int in[2], out[2];
	if (pipe(in) != 0 || pipe(out) != 0)
		return false;
	pid_t pid = fork();
	if (pid == 0) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		close(in[1]);
		execl(program, program, domain, (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	to_peer = fdopen(in[1], "w");
	from_peer = out[0];
	if (pid < 0 || to_peer == NULL)
		return false;
	fprintf(to_peer, "read rt/cmd_vel geometry_msgs::msg::dds_::Twist_ reliable volatile 1000000000\n");
	return true;
}

static bool begin(const char *world_path, int seed, struct cairn_error *err)
{
	cairn_config_defaults(&cfg);
	cfg.robot.base_model = CAIRN_CHOICE_BASE_MODEL_DIFFDRIVE_SERIAL;
	cfg.robot.kinematics = CAIRN_CHOICE_KINEMATICS_DIFFERENTIAL;
	cfg.robot.wheel_separation_m = 0.22;
	cfg.robot.encoder_ticks_per_m = 5000.0;
	cfg.robot.footprint_front_m = cfg.robot.footprint_rear_m = 0.15;
	cfg.robot.footprint_half_width_m = 0.13;
	cfg.robot.lidar_x_m = 0.0;
	cfg.robot.camera_x_m = 0.12;
	cfg.sim.seed = seed;
	struct cairn_world *world = cairn_world_load(world_path, err);
	sim = world != NULL ? cairn_sim_new(&cfg, world, err) : NULL;
	struct cairn_camera lens = cairn_camera_of(&cfg, WIDTH, HEIGHT);
	renderer = sim != NULL ? cairn_renderer_new(world, &lens) : NULL;
	if (renderer != NULL)
		cairn_renderer_props(renderer, &cairn_sim_state(sim)->props);
	return renderer != NULL;
}

int main(int argc, char **argv)
{
	static struct ear tester = {.fd = STDIN_FILENO, .take = obey}, peer = {.take = hear_peer};
	struct cairn_error err = {"out of memory"};
	signal(SIGPIPE, SIG_IGN);
	if (argc != 5 || !begin(argv[1], atoi(argv[2]), &err) || !start_peer(argv[3], argv[4])) {
		fprintf(stderr, "ros2_robot WORLD SEED PEER DOMAIN: %s\n", err.text);
		return 2;
	}
	peer.fd = from_peer;
	for (int64_t next_ns = clock_ns(CLOCK_MONOTONIC); hear(&tester) && hear(&peer);
	     next_ns += CAIRN_SIM_STEP_NS) {
		int64_t now_ns = clock_ns(CLOCK_MONOTONIC);
		if (now_ns - next_ns > 200 * CAIRN_NS_PER_MS)
			next_ns = now_ns; /* after a pause the world has stood still, too */
		if (next_ns > now_ns)
			nanosleep(&(struct timespec){.tv_nsec = next_ns - now_ns}, NULL);
		step();
	}
	return 0;
}
