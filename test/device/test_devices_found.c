/* `cairn devices` with devices on pseudo terminals and folders of the test's own in place of /sys and /dev. */
#include "test/device/rig.h"

static char sys_dir[120], dev_dir[120], out[8192];

static void put_file(const char *folder, const char *name, const char *text)
{
	char path[600];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *f = fopen(path, "w");
	ck_assert_msg(f != NULL, "%s", path);
	ck_assert_int_ge(fprintf(f, "%s\n", text), 1);
	ck_assert_int_eq(fclose(f), 0);
}

/* BELOW/A/B/C with all that is above it. */
static void make_folder(char *ret, size_t bytes, const char *root, const char *below)
{
	snprintf(ret, bytes, "%s/%s", root, below);
	for (char *at = ret + strlen(root) + 1; (at = strchr(at, '/')) != NULL; *at++ = '/') {
		*at = '\0';
		(void)mkdir(ret, 0755);
	}
	(void)mkdir(ret, 0755);
}

static void put_link(const char *to, const char *folder, const char *name)
{
	char path[600];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	(void)unlink(path);
	ck_assert_msg(symlink(to, path) == 0, "%s", path);
}

/* A node of the kernel with the USB device it belongs to, and its name below /dev. */
static void plug_in(const char *class, const char *node, const char *usb, const char *by_id_name)
{
	char below[200], folder[400], device[400], vendor[5], product[5];
	snprintf(vendor, sizeof(vendor), "%.4s", usb);
	snprintf(product, sizeof(product), "%.4s", usb + 5);
	snprintf(below, sizeof(below), "devices/pci/usb1/%s", node);
	make_folder(folder, sizeof(folder), sys_dir, below);
	put_file(folder, "idVendor", vendor);
	put_file(folder, "idProduct", product);
	put_file(folder, "product", usb + 10);
	snprintf(below, sizeof(below), "devices/pci/usb1/%s/1-1:1.0/port", node);
	make_folder(device, sizeof(device), sys_dir, below);
	snprintf(below, sizeof(below), "class/%s/%s", class, node);
	make_folder(folder, sizeof(folder), sys_dir, below);
	put_link(device, folder, "device");
	if (by_id_name == NULL)
		return;
	make_folder(
	    folder, sizeof(folder), dev_dir, strcmp(class, "tty") == 0 ? "serial/by-id" : "v4l/by-id");
	snprintf(below, sizeof(below), "../../%s", node);
	put_link(below, folder, by_id_name);
}

static void plug_in_camera(const char *node, const char *index, const char *name, const char *by_id_name)
{
	char below[200], folder[400];
	plug_in("video4linux", node, "046d:0825 Webcam C270", by_id_name);
	snprintf(below, sizeof(below), "class/video4linux/%s", node);
	make_folder(folder, sizeof(folder), sys_dir, below);
	put_file(folder, "index", index);
	put_file(folder, "name", name);
}

static void begin(void)
{
	make_run_dir();
	join_bus();
	snprintf(sys_dir, sizeof(sys_dir), "%s/sys", run_dir);
	snprintf(dev_dir, sizeof(dev_dir), "%s/fake", run_dir);
	mkdir(sys_dir, 0755);
	mkdir(dev_dir, 0755);
	cairn_dev_board_init(&board);
	cairn_dev_lidar_init(&lidar);
	ld06 = (struct cairn_dev_ld06){0};
}

static pid_t asker;
static int asker_status;

static bool answered(void)
{
	return waitpid(asker, &asker_status, WNOHANG) == asker;
}

/* Runs the command while the devices are served; its exit status, what it says in out. */
static int devices(const char *const *more)
{
	char path[600], program[1024];
	const char *args[16] = {"cairn", "devices", "--run", run_dir, "--sys", sys_dir, "--dev", dev_dir};
	snprintf(path, sizeof(path), "%s/said", run_dir);
	snprintf(program, sizeof(program), "%s/cairn", CAIRN_PROGRAM_DIR);
	for (int i = 8; more != NULL && *more != NULL; i++)
		args[i] = *more++;
	asker = fork();
	ck_assert_int_ge(asker, 0);
	if (asker == 0) {
		int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
		dup2(fd, 1);
		dup2(fd, 2);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execv(program, (char *const *)(uintptr_t)args);
		_exit(127);
	}
	command_mps = NAN;
	ck_assert_int_ge(pump(2 * PATIENCE_MS, answered), 0);
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	out[fread(out, 1, sizeof(out) - 1, f)] = '\0';
	fclose(f);
	ck_assert(WIFEXITED(asker_status));
	return WEXITSTATUS(asker_status);
}

#define SAYS(text) ck_assert_msg(strstr(out, text) != NULL, "no '%s' in:\n%s", text, out)
#define SAYS_NOT(text) ck_assert_msg(strstr(out, text) == NULL, "'%s' in:\n%s", text, out)

/* The board as ttyUSB0, the LiDAR as ttyUSB1: by what speaks there, not by the adapter, which is the other way round. */
static void both_ports(void)
{
	appear(&board_port);
	appear(&lidar_port);
	put_link(ptsname(board_port.master), dev_dir, "ttyUSB0");
	put_link(ptsname(lidar_port.master), dev_dir, "ttyUSB1");
	plug_in("tty", "ttyUSB0", "10c4:ea60 CP2102 USB to UART", "usb-Silicon_Labs-if00-port0");
	plug_in("tty", "ttyUSB1", "1a86:7523 USB Serial", NULL);
}

START_TEST(base_and_lidar_are_told_apart_by_what_they_say)
{
	begin();
	both_ports();
	plug_in_camera("video0", "0", "Webcam C270", "usb-046d_0825-video-index0");
	plug_in_camera("video1", "1", "Webcam C270", "usb-046d_0825-video-index1");
	ck_assert_int_eq(devices(NULL), 0);
	SAYS("usb-Silicon_Labs-if00-port0\n  CP2102 USB to UART, USB 10c4:ea60; CP210x adapter: often a "
	     "LiDAR\n"
	     "  speaks as ROSMASTER motor board");
	SAYS("ttyUSB1\n  USB Serial, USB 1a86:7523; CH340 adapter: often the motor board\n  speaks as "
	     "SLLidar: model 0x");
	SAYS("  its name changes with the order of plugging in");
	SAYS("--set robot.base_device=");
	SAYS("serial/by-id/usb-Silicon_Labs-if00-port0\n  --set robot.lidar_device=");
	SAYS("--set robot.camera_device=");
	SAYS("v4l/by-id/usb-046d_0825-video-index0\n");
	SAYS_NOT("index1"); /* that has no pictures */
	SAYS_NOT("MISSING");
	SAYS_NOT("WRONG");
	ck_assert(board.mode == CAIRN_DEV_BOARD_STOPPED || board.v_mps == 0.0);
	teardown();
}
END_TEST

START_TEST(an_ld06_is_known_and_ports_the_wrong_way_round_are_told)
{
	char base[300], scan_port[300];
	begin();
	is_ld06 = true;
	both_ports();
	snprintf(base, sizeof(base), "robot.base_device=%s/ttyUSB1", dev_dir);
	snprintf(scan_port, sizeof(scan_port), "robot.lidar_device=%s/ttyUSB0", dev_dir);
	const char *const mixed[] = {"--set", base, "--set", scan_port, NULL};
	ck_assert_int_eq(devices(mixed), 1);
	SAYS("speaks as LD06 or LD19");
	SAYS("ttyUSB1 --set robot.lidar_model=ld06");
	SAYS("WRONG: robot.lidar_device is the port where the motor board speaks");
	SAYS("WRONG: robot.base_device is the port where the LiDAR speaks");
	SAYS("MISSING: a camera");
	teardown();
}
END_TEST

START_TEST(what_is_missing_or_silent_is_told)
{
	begin();
	appear(&board_port);
	board_deaf = false;
	put_link("/dev/ttyUSB_that_is_not_there", dev_dir, "ttyUSB1");
	put_link(ptsname(board_port.master), dev_dir, "ttyUSB0");
	plug_in("tty", "ttyUSB0", "1a86:7523 USB Serial", NULL);
	plug_in("tty", "ttyUSB1", "1a86:7523 USB Serial", NULL);
	plug_in("tty", "ttyS0", "1a86:7523 no USB adapter", NULL); /* not looked at */
	char folder[400];
	make_folder(folder, sizeof(folder), sys_dir, "bus/usb/devices/1-3");
	put_file(folder, "idVendor", "03e7");
	put_file(folder, "idProduct", "2485");
	ck_assert_int_eq(devices(NULL), 1);
	SAYS("speaks as ROSMASTER motor board");
	SAYS("cannot be opened: No such file or directory");
	SAYS("MISSING: a LiDAR: no serial port answers as one");
	SAYS("OAK-D without firmware: needs a camera helper");
	SAYS_NOT("ttyS0");
	static const char *const unasked[] = {"--no-probe", NULL};
	ck_assert_int_eq(devices(unasked), 0);
	SAYS("The serial ports were not asked");
	SAYS_NOT("speaks as");
	SAYS_NOT("MISSING: a LiDAR");
	teardown();
}
END_TEST

START_TEST(a_machine_without_devices_is_told_so)
{
	begin();
	ck_assert_int_eq(devices(NULL), 1);
	SAYS("Nothing is plugged in that could be used.");
	SAYS("MISSING: a motor board");
	SAYS("MISSING: a LiDAR");
	SAYS("MISSING: a camera");
	teardown();
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("devices-found", 60.0, base_and_lidar_are_told_apart_by_what_they_say,
    an_ld06_is_known_and_ports_the_wrong_way_round_are_told, what_is_missing_or_silent_is_told,
    a_machine_without_devices_is_told_so)
