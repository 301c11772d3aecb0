#include "procs/cairn/device_scan.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PARENTS_MAX 8 /* from a node up to its USB device */

struct scan {
	const char *sys, *dev;
	struct device_found *found;
	int count;
};

/* A serial adapter tells of its chip, not of what hangs on it: that is found by asking (common/device/port_probe.h). */
static const struct {
	uint16_t vendor, product;
	enum device_kind kind;
	const char *hint;
} known[] = {
    {0x10c4, 0xea60, DEVICE_SERIAL, "CP210x adapter: often a LiDAR"},
    {0x1a86, 0x7522, DEVICE_SERIAL, "CH340 adapter: often the motor board"},
    {0x1a86, 0x7523, DEVICE_SERIAL, "CH340 adapter: often the motor board"},
    {0x03e7, 0x2485, DEVICE_USB, "OAK-D without firmware: needs a camera helper (docs/cameras.md)"},
    {0x03e7, 0xf63b, DEVICE_USB, "OAK-D in use: by a camera helper"},
    {0x8086, 0x0b07, DEVICE_CAMERA, "RealSense D435: colour by itself, depth needs a camera helper"},
    {0x8086, 0x0b3a, DEVICE_CAMERA, "RealSense D435i: colour by itself, depth needs a camera helper"},
    {0x8086, 0x0b5c, DEVICE_CAMERA, "RealSense D455: colour by itself, depth needs a camera helper"},
};

static bool read_line(const char *folder, const char *file, char *ret, size_t bytes)
{
	char path[PATH_MAX];
	snprintf(path, sizeof(path), "%s/%s", folder, file);
	FILE *f = fopen(path, "re");
	bool ok = f != NULL && fgets(ret, (int)bytes, f) != NULL;
	if (f != NULL)
		fclose(f);
	if (ok)
		ret[strcspn(ret, "\n")] = '\0';
	return ok;
}

static const char *hint_of(uint16_t vendor, uint16_t product)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].vendor == vendor && known[i].product == product)
			return known[i].hint;
	return "";
}

/* False: the folder is no USB device's. */
static bool read_usb(const char *folder, struct device_found *d)
{
	char vendor[16], product[16], text[64];
	if (!read_line(folder, "idVendor", vendor, sizeof(vendor)) ||
	    !read_line(folder, "idProduct", product, sizeof(product)))
		return false;
	d->vendor = (uint16_t)strtoul(vendor, NULL, 16);
	d->product = (uint16_t)strtoul(product, NULL, 16);
	d->hint = hint_of(d->vendor, d->product);
	if (d->name[0] == '\0' && read_line(folder, "product", text, sizeof(text)))
		snprintf(d->name, sizeof(d->name), "%s", text);
	return true;
}

/* Of the USB device that a node of the kernel belongs to. */
static void read_parents(const char *node, struct device_found *d)
{
	char folder[PATH_MAX];
	if (realpath(node, folder) == NULL)
		return;
	for (int i = 0; i < PARENTS_MAX && !read_usb(folder, d); i++) {
		char *slash = strrchr(folder, '/');
		if (slash == NULL || slash == folder)
			return;
		*slash = '\0';
	}
}

/* The link below DEV/by-id that leads to the node; false: there is none. */
static bool by_id(const char *dev, const char *kind, const char *node, char *ret, size_t bytes)
{
	char folder[PATH_MAX], link[PATH_MAX], to[PATH_MAX];
	bool is_found = false;
	snprintf(folder, sizeof(folder), "%s/%s/by-id", dev, kind);
	DIR *dir = opendir(folder);
	for (struct dirent *e; dir != NULL && !is_found && (e = readdir(dir)) != NULL;) {
		int len = snprintf(link, sizeof(link), "%s/%s", folder, e->d_name);
		ssize_t n = len < (int)sizeof(link) ? readlink(link, to, sizeof(to) - 1) : -1;
		if (n <= 0)
			continue;
		to[n] = '\0';
		const char *base = strrchr(to, '/');
		is_found = strcmp(base != NULL ? base + 1 : to, node) == 0 && (size_t)len < bytes;
		if (is_found)
			memcpy(ret, link, (size_t)len + 1);
	}
	if (dir != NULL)
		closedir(dir);
	return is_found;
}

static void add(struct scan *s, enum device_kind kind, const char *node, const char *class_folder)
{
	if (s->count == DEVICE_SCAN_MAX)
		return;
	char device[PATH_MAX];
	struct device_found *d = &s->found[s->count++];
	*d = (struct device_found){.kind = kind, .hint = ""};
	d->stays = by_id(s->dev, kind == DEVICE_CAMERA ? "v4l" : "serial", node, d->path, sizeof(d->path));
	if (!d->stays)
		snprintf(d->path, sizeof(d->path), "%.100s/%.100s", s->dev, node);
	if (kind == DEVICE_CAMERA)
		(void)read_line(class_folder, "name", d->name, sizeof(d->name));
	snprintf(device, sizeof(device), "%.3000s/device", class_folder);
	read_parents(device, d);
}

static void look_at_serial(struct scan *s, const char *name, const char *folder)
{
	if (strncmp(name, "ttyUSB", 6) == 0 || strncmp(name, "ttyACM", 6) == 0)
		add(s, DEVICE_SERIAL, name, folder);
}

/* Of a camera's nodes the first one has the pictures. */
static void look_at_camera(struct scan *s, const char *name, const char *folder)
{
	char index[8];
	if (strncmp(name, "video", 5) == 0 && read_line(folder, "index", index, sizeof(index)) &&
	    strcmp(index, "0") == 0)
		add(s, DEVICE_CAMERA, name, folder);
}

static void look_at_usb(struct scan *s, const char *name, const char *folder)
{
	struct device_found d = {.kind = DEVICE_USB, .hint = ""};
	(void)name;
	if (s->count == DEVICE_SCAN_MAX || !read_usb(folder, &d))
		return;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].kind == DEVICE_USB && known[i].vendor == d.vendor &&
		    known[i].product == d.product)
			s->found[s->count++] = d;
}

static int in_order(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

static void walk(struct scan *s, const char *below, void (*look)(struct scan *, const char *, const char *))
{
	char folder[PATH_MAX], path[PATH_MAX];
	struct dirent **entries;
	snprintf(folder, sizeof(folder), "%s/%s", s->sys, below);
	int n = scandir(folder, &entries, NULL, in_order);
	for (int i = 0; i < n; i++) {
		const char *name = entries[i]->d_name;
		if (name[0] != '.' && snprintf(path, sizeof(path), "%s/%s", folder, name) < (int)sizeof(path))
			look(s, name, path);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

int device_scan(const char *sys, const char *dev, struct device_found found[DEVICE_SCAN_MAX])
{
	struct scan s = {sys, dev, found, 0};
	walk(&s, "class/tty", look_at_serial);
	walk(&s, "class/video4linux", look_at_camera);
	walk(&s, "bus/usb/devices", look_at_usb);
	return s.count;
}
