#!/usr/bin/python3
"""The work of a snapshot in Python with OpenCV and NumPy, for `cairn bench perception` to compare with.

The same steps on the same frames as the annotator takes: seven depths (median of the valid pixels of 5 x 5), labels,
compass, JPEG (quality and 4:2:0 alike), sectors (10th percentile), gaps, feasibility, similarity, text, base64. Written
as one would for speed: whole arrays wherever there is something to gain, one conversion that is also the copy.

The bench starts it. First a line of JSON with the parameters comes on standard input, then the bytes of colour, depth,
angles and ranges. Then for each line that comes the work is done once, and a line with its nanoseconds goes back.
With --text the text itself follows at the end, on standard error, for a look at it.
"""
import base64
import json
import math
import struct
import sys
import time

try:
    import cv2
    import numpy as np
except ImportError as missing:
    print(f"cairn bench: comparison with Python is left out: {missing} (packages python3-opencv, python3-numpy)",
          file=sys.stderr)
    sys.exit(0)

POINTS = [(320, 240), (160, 240), (480, 240), (320, 400), (160, 120), (480, 120), (320, 100)]
DIRECTIONS = ["forward", "forward_left", "forward_right", "left", "right", "backward"]
NEEDS = [(0, 0), (11, 11), (1, 1), (9, 10), (2, 3), (6, 6)]
COMPASS = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
NEIGHBOUR_MAX_RAD = math.radians(6.0)
FONT, SCALE = cv2.FONT_HERSHEY_SIMPLEX, 0.8


def depths_mm(depth):
    out = []
    for x, y in POINTS:
        window = depth[y - 2:y + 3, x - 2:x + 3].ravel()
        valid = np.sort(window[(window >= 100) & (window <= 10000)])
        out.append(int(valid[(valid.size - 1) // 2]) if valid.size else 0)
    return out


def label(image, text, x, y, scale=SCALE):
    (width, height), _ = cv2.getTextSize(text, FONT, scale, 2)
    at = (x - width // 2, y + height // 2)
    cv2.putText(image, text, at, FONT, scale, (0, 0, 0), 5, cv2.LINE_AA)
    cv2.putText(image, text, at, FONT, scale, (255, 255, 255), 2, cv2.LINE_AA)


def draw(image, mm, yaw):
    for (x, y), d in zip(POINTS, mm):
        label(image, f"{(d + 50) // 100 / 10:.1f}m" if d else "--", x, y)
    cx, cy, radius = 640 - 12 - 30, 12 + 30 + 6, 30
    box = image[cy - 31:cy + 32, cx - 31:cx + 32]
    dark = box.copy()
    cv2.circle(dark, (31, 31), radius, (0, 0, 0), -1, cv2.LINE_AA)
    cv2.addWeighted(dark, 0.6, box, 0.4, 0.0, dst=box)
    cv2.circle(image, (cx, cy), radius - 2, (220, 220, 220), 3, cv2.LINE_AA)
    c, s = math.cos(-yaw), math.sin(-yaw)
    arrow = np.array([(0, -0.78), (0.5, 0.6), (0, 0.3), (-0.5, 0.6)]) * radius @ np.array([(c, s), (-s, c)])
    arrow = np.rint(arrow + (cx, cy)).astype(np.int32)
    cv2.fillPoly(image, [arrow], (0, 196, 255), cv2.LINE_AA)
    cv2.polylines(image, [arrow], True, (0, 0, 0), 2, cv2.LINE_AA)
    label(image, "N", cx, cy - radius, 0.5)
    deg = math.degrees(-yaw) % 360.0
    label(image, f"{COMPASS[round(deg / 45.0) % 8]} {round(deg) % 360}", cx - 100, cy)


def polar(p, angle, ranges):
    """Valid returns clockwise from 15 degrees left of the front, and where each sector begins."""
    ok = (ranges > 0) & (ranges >= p["range_min_m"]) & (ranges <= p["range_max_m"]) & np.isfinite(angle)
    angle, ranges = angle[ok], ranges[ok]
    x, y = p["lidar_x_m"] + ranges * np.cos(angle), p["lidar_y_m"] + ranges * np.sin(angle)
    ok = ~((x <= p["front_m"]) & (x >= -p["rear_m"]) & (np.abs(y) <= p["half_width_m"]))
    angle, ranges = angle[ok], ranges[ok]
    turn = np.mod(0.5 - angle * (6.0 / math.pi), 12.0)
    order = np.argsort(turn, kind="stable")
    return angle[order], ranges[order], np.searchsorted(turn[order], np.arange(13))


def sectors(ranges, begin):
    out = []
    for k in range(12):
        part = ranges[begin[k]:begin[k + 1]]
        rank = (part.size + 9) // 10
        out.append(float(np.partition(part, rank - 1)[rank - 1]) if rank else 0.0)
    return out


def feasibility(sector, half_width_m):
    beside_m, out = half_width_m / math.sin(math.radians(15.0)), []
    for first, last in NEEDS:
        smallest = min(sector[first:last + 1])
        for k in ((first - 1) % 12, (last + 1) % 12):
            if 0.0 < sector[k] < beside_m:
                smallest = min(smallest, sector[k])
        out.append(min(max(0.1 + 0.9 * (smallest - 0.5) / 1.5, 0.1), 1.0))
    return out


def along_surface(angle, ranges, near, far, way, jump_m):
    two_pi, n = 2.0 * math.pi, ranges.size
    for k in (1, 2, 3):
        base = (near - way * k) % n
        back, ahead = (way * (angle[base] - angle[near])) % two_pi, (way * (angle[near] - angle[far])) % two_pi
        if base == far or back < 1e-6 or back > k * NEIGHBOUR_MAX_RAD:
            return False
        u = (math.sin(back + ahead) / ranges[near] - math.sin(ahead) / ranges[base]) / math.sin(back)
        if u > 0.0 and ranges[far] - 1.0 / u > jump_m:
            return False
    return True


def gaps(p, angle, ranges):
    """(bearing, width, distance) of doorway-like openings, nearest first."""
    n, two_pi = ranges.size, 2.0 * math.pi
    x, y = ranges * np.cos(angle), ranges * np.sin(angle)
    following, next_angle = np.roll(ranges, -1), np.roll(angle, -1)
    jump = following - ranges
    edges = np.flatnonzero((np.abs(jump) > p["gap_jump_m"]) & ((angle - next_angle) % two_pi <= NEIGHBOUR_MAX_RAD))
    found = []
    for i in edges[:64]:
        way = 1 if jump[i] > 0.0 else -1
        near, far = (i, (i + 1) % n) if way > 0 else ((i + 1) % n, i)
        if along_surface(angle, ranges, near, far, way, p["gap_jump_m"]):
            continue
        apart2 = (x - x[near]) ** 2 + (y - y[near]) ** 2
        turn = (way * (angle[near] - angle)) % two_pi
        apart2[(turn >= math.pi) | (turn <= 0.0)] = np.inf
        other = int(np.argmin(apart2))
        width = math.sqrt(apart2[other])
        if p["gap_width_min_m"] <= width <= p["gap_width_max_m"]:
            found.append((width, int(near), other))
    kept, sides = [], set()
    for width, a, b in sorted(found):
        if a in sides or b in sides:
            continue
        sides.update((a, b))
        bearing = math.atan2(y[a] + y[b], x[a] + x[b])
        if abs(bearing) <= math.pi / 2.0:
            kept.append((min(ranges[a], ranges[b]), bearing, width))
    return [(bearing, width, distance) for distance, bearing, width in sorted(kept)]


def bearing_text(rad):
    deg = math.degrees(math.remainder(rad, 2.0 * math.pi))
    return f" at {abs(deg):.0f} deg {'left' if deg >= 0.0 else 'right'}"


def write_text(p, sector, near, near_rad, openings, feasible):
    lines = ["SENSORS (LiDAR: degrees clockwise from the front, metres)"]
    for k, d in enumerate(sector):
        word = "WALL" if d < 0.5 else "OBSTACLE" if d < 1.0 else "NEAR" if d < 2.0 else "CLEAR"
        lines.append(f"{30 * k} {d:.1f} {word}" if d > 0.0 else f"{30 * k} -- EMPTY")
    ahead = abs(math.remainder(near_rad, 2.0 * math.pi)) < math.radians(1.0)
    lines.append(f"Nearest obstacle: {near:.2f}m" + (" ahead" if ahead else bearing_text(near_rad)))
    parts = [f"{w:.2f}m wide{bearing_text(b)}, {d:.1f}m away" for b, w, d in openings[:3]]
    lines.append("Gaps: " + ("; ".join(parts) or "none"))
    lines.append("Feasibility: " + ", ".join(f"{name} {f:.2f}" for name, f in zip(DIRECTIONS, feasible)))
    deg = math.degrees(-p["yaw_rad"]) % 360.0
    lines.append("ROBOT")
    lines.append(f"Position: x {p['x_m']:.2f} m, y {p['y_m']:.2f} m from the start; heading {deg:.0f} deg "
                 f"({COMPASS[round(deg / 45.0) % 8]}); speed {0.0:.2f} m/s")
    lines.append(f"Travelled {p['distance_m']:.1f} m; map {p['map_width_m']:.1f} x {p['map_height_m']:.1f} m, "
                 f"coverage {100.0 * p['coverage']:.0f}%, 0 frontiers; tracking none")
    return "\n".join(lines) + "\n"


class Snapshots:
    def __init__(self, p, rgb, depth, angle, ranges):
        self.p, self.rgb, self.depth, self.angle, self.ranges = p, rgb, depth, angle, ranges
        self.reference = None
        self.text = ""

    def make(self):
        p = self.p
        mm = depths_mm(self.depth)
        image = cv2.cvtColor(self.rgb, cv2.COLOR_RGB2BGR)  # the copy that is drawn on
        grey = cv2.cvtColor(cv2.resize(image, (160, 120), interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
        similarity = 0.0
        if self.reference is not None:
            similarity = 1.0 - cv2.norm(grey, self.reference, cv2.NORM_L1) / (255.0 * grey.size)
        self.reference = grey
        angle, ranges, begin = polar(p, self.angle, self.ranges)
        sector = sectors(ranges, begin)
        nearest = int(np.argmin(ranges))
        feasible = feasibility(sector, p["half_width_m"])
        openings = gaps(p, angle, ranges)
        draw(image, mm, p["yaw_rad"])
        ok, jpeg = cv2.imencode(".jpg", image, (cv2.IMWRITE_JPEG_QUALITY, p["quality"]))
        self.text = write_text(p, sector, float(ranges[nearest]), float(angle[nearest]), openings, feasible)
        head = struct.pack("<2d18f", similarity, float(ranges[nearest]), *sector, *feasible)
        snapshot = head + self.text.encode() + jpeg.tobytes()
        return ok, snapshot, base64.b64encode(jpeg)


def main():
    source = sys.stdin.buffer
    p = json.loads(source.readline())
    width, height, points = p["width"], p["height"], p["points"]
    rgb = np.frombuffer(source.read(width * height * 3), np.uint8).reshape(height, width, 3)
    depth = np.frombuffer(source.read(width * height * 2), np.uint16).reshape(height, width)
    angle = np.frombuffer(source.read(points * 4), np.float32)
    ranges = np.frombuffer(source.read(points * 4), np.float32)
    work = Snapshots(p, rgb, depth, angle, ranges)
    print("ready", flush=True)
    while source.readline():
        start = time.perf_counter_ns()
        work.make()
        print(time.perf_counter_ns() - start, flush=True)
    if "--text" in sys.argv:
        print(work.text, file=sys.stderr)


main()
