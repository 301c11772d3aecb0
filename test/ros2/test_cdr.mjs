// Every type of common/ros2, decoded by its own schema with the packages that Foxglove reads ROS 2 with, and encoded again by them,
// where their texts are ASCII: the same bytes. Usage: test_cdr.mjs SAMPLES, the program whose output it reads.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import test from "node:test";
import { parse } from "@foxglove/rosmsg";
import { ros2humble } from "@foxglove/rosmsg-msgs-common";
import { MessageReader, MessageWriter } from "@foxglove/rosmsg2-serialization";

const rows = execFileSync(process.argv[2], { encoding: "utf8" }).trim().split("\n").map(line => JSON.parse(line));
const stamp = { sec: 1700000000, nanosec: 123456789 };
const turned = yaw => ({ x: 0, y: 0, z: Math.sin(yaw / 2), w: Math.cos(yaw / 2) });
const header = frame_id => ({ stamp, frame_id });
const pose = (x, y, yaw) => ({ position: { x, y, z: 0 }, orientation: turned(yaw) });
const zeros = n => Array(n).fill(0);
const f32 = Math.fround;

// Roll 0.1, pitch 0.2, yaw 0.3 as the product of its three turns.
function product(a, b) {
  return {
    w: a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    x: a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
    y: a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
    z: a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
  };
}
const about = (axis, angle) => ({ x: 0, y: 0, z: 0, [axis]: Math.sin(angle / 2), w: Math.cos(angle / 2) });
const attitude = product(product(about("z", 0.3), about("y", 0.2)), about("x", 0.1));

// A marker of what everything in it may be left out of.
const marker = given => ({
  header: header("map"), ns: "", id: 0, type: 0, action: 0,
  pose: { position: { x: 0, y: 0, z: 0 }, orientation: { x: 0, y: 0, z: 0, w: 1 } },
  scale: { x: 0, y: 0, z: 0 }, color: { r: 0, g: 0, b: 0, a: 0 }, lifetime: { sec: 0, nanosec: 0 }, frame_locked: false,
  points: [], colors: [], texture_resource: "",
  texture: { header: { stamp: { sec: 0, nanosec: 0 }, frame_id: "" }, format: "", data: [] }, uv_coordinates: [], text: "",
  mesh_resource: "", mesh_file: { filename: "", data: [] }, mesh_use_embedded_materials: false, ...given });
const at = (x, y, z) => ({ position: { x, y, z }, orientation: { x: 0, y: 0, z: 0, w: 1 } });
const cube = (x, y = x, z = x) => ({ x, y, z });
const gid = (...bytes) => ({ data: [...bytes, ...zeros(16 - bytes.length)] });
const status = (level, stage, message, values) => ({ level, name: `cairn: ${stage}`, message, hardware_id: "cairn",
  values: ["restarts", "uptime_s", "cpu_cores", "rss_mb"].map((key, i) => ({ key, value: values[i] })) });
const rgba = (r, g, b, a) => ({ r, g, b, a });
const label = (id, x, y, z, text) => marker({ ns: "label", id, type: 9, pose: at(x, y, z), scale: cube(0.15), color: rgba(1, 1, 1, 1), text });
const wiped = marker({ action: 3 });

const expected = [
  ["sensor_msgs/msg/LaserScan", {
    header: header("laser"), angle_min: -1.5, angle_max: 1.5, angle_increment: 1, time_increment: 0, scan_time: 0,
    range_min: f32(0.05), range_max: 16, ranges: [1, 2, Infinity, 4], intensities: [] }],
  ["nav_msgs/msg/Odometry", {
    header: header("odom"), child_frame_id: "base_link",
    pose: { pose: pose(1.5, -2.5, 1), covariance: zeros(36) },
    twist: { twist: { linear: { x: 0.3, y: 0, z: 0 }, angular: { x: 0, y: 0, z: -0.7 } }, covariance: zeros(36) } }],
  ["geometry_msgs/msg/PoseStamped", { header: header("map"), pose: pose(7, 8, -2) }],
  ["nav_msgs/msg/Path", {
    header: header("map"),
    poses: [pose(1, 2, 0), pose(3, 4, 0.5), pose(5, 6, -0.5)].map(p => ({ header: header("map"), pose: p })) }],
  ["sensor_msgs/msg/BatteryState", {
    header: header(""), voltage: 11.5, temperature: NaN, current: NaN, charge: NaN, capacity: NaN, design_capacity: NaN,
    percentage: 0.625, power_supply_status: 0, power_supply_health: 0, power_supply_technology: 0, present: true,
    cell_voltage: [], cell_temperature: [], location: "", serial_number: "" }],
  ["sensor_msgs/msg/Imu", {
    header: header("base_link"), orientation: attitude, orientation_covariance: zeros(9),
    angular_velocity: { x: 0.1, y: 0.2, z: 0.3 }, angular_velocity_covariance: zeros(9),
    linear_acceleration: { x: 0, y: 0, z: 0 }, linear_acceleration_covariance: [-1, ...zeros(8)] }],
  ["tf2_msgs/msg/TFMessage", { transforms: [
    { header: header("map"), child_frame_id: "odom", transform: { translation: { x: 1, y: 2, z: 0 }, rotation: turned(0.5) } },
    { header: header("base_link"), child_frame_id: "laser",
      transform: { translation: { x: 0.1, y: 0, z: 0.18 }, rotation: attitude } }] }],
  ["rcl_interfaces/msg/Log", { stamp, level: 40, name: "mapper", msg: "Tür €", file: "grid.c", function: "", line: 88 }],
  ["rcl_interfaces/msg/Log", { stamp, level: 10, name: "motor", msg: "", file: "main.c", function: "", line: 7 }],
  ["nav_msgs/msg/OccupancyGrid", {
    header: header("map"),
    info: { map_load_time: stamp, resolution: f32(0.05), width: 3, height: 2, origin: pose(-1, -2, 0) },
    data: [0, 50, 100, -1, 7, 8] }],
  ["sensor_msgs/msg/Image", {
    header: header("camera"), height: 1, width: 2, encoding: "rgb8", is_bigendian: 0, step: 6, data: [1, 2, 3, 4, 5, 6] }],
  ["sensor_msgs/msg/Image", {
    header: header("camera"), height: 2, width: 1, encoding: "16UC1", is_bigendian: 0, step: 2, data: [0x10, 0x27, 0, 0] }],
  ["sensor_msgs/msg/CompressedImage", { header: header("camera"), format: "jpeg", data: [0xff, 0xd8, 0xff, 0xd9] }],
  ["visualization_msgs/msg/MarkerArray", { markers: [wiped,
    marker({ ns: "room", type: 2, pose: at(1, 2, 0), scale: cube(0.12), color: rgba(0.3, 0.9, 0.4, 0.9) }), label(0, 1, 2, 0.21, "kitchen"),
    marker({ ns: "object", id: 1, type: 1, pose: at(1.5, 3, 0.25), scale: cube(1, 2, 0.5), color: rgba(0.6, 0.6, 0.6, 0.3) }),
    label(1, 1.5, 3, 0.65, "cup")] }],
  ["visualization_msgs/msg/MarkerArray", { markers: [wiped,
    marker({ ns: "zone", type: 4, scale: cube(0.03, 0, 0), color: rgba(0.9, 0.2, 0.2, 1),
      points: [[0, 0], [3, 0], [0, 3], [0, 0]].map(([x, y]) => ({ x, y, z: 0.03 })) }),
    label(0, 1, 1, 0.15, "stairs")] }],
  ["visualization_msgs/msg/MarkerArray", { markers: [wiped,
    marker({ ns: "frontier", type: 2, pose: at(5, 6, 0.12), scale: cube(0.12), color: rgba(0.9, 0.3, 0.2, 0.9) }),
    label(0, 5, 6, 0.42, "F12"),
    marker({ ns: "blind", type: 2, pose: at(7, 8, 0.12), scale: cube(0.12), color: rgba(0.5, 0.5, 0.5, 0.6) })] }],
  ["geometry_msgs/msg/Twist", { linear: { x: 0.25, y: 0, z: 0 }, angular: { x: 0, y: 0, z: -0.5 } }],
  ["geometry_msgs/msg/TwistStamped", { header: header("base_link"), twist: { linear: { x: 0.25, y: 0, z: 0 }, angular: { x: 0, y: 0, z: -0.5 } } }],
  ["geometry_msgs/msg/PoseWithCovarianceStamped", {
    header: header("map"), pose: { pose: pose(7, 8, -2), covariance: zeros(36).map((_, i) => i === 0 || i === 7 ? 0.25 : i === 35 ? 0.0625 : 0) } }],
  ["std_msgs/msg/String", { data: '{"id":7}' }],
  ["sensor_msgs/msg/CameraInfo", {
    header: header("camera_optical"), height: 480, width: 640, distortion_model: "plumb_bob", d: zeros(5),
    k: [320, 0, 320, 0, 320, 240, 0, 0, 1], r: [1, 0, 0, 0, 1, 0, 0, 0, 1], p: [320, 0, 320, 0, 0, 320, 240, 0, 0, 0, 1, 0],
    binning_x: 0, binning_y: 0, roi: { x_offset: 0, y_offset: 0, height: 0, width: 0, do_rectify: false } }],
  ["diagnostic_msgs/msg/DiagnosticArray", { header: header(""), status: [
    { level: 2, name: "cairn: watchdog's verdict", message: "mapper is down", hardware_id: "cairn", values: [] },
    status(0, "motor", "up", ["2", "12.5", "0.062", "9.5"]), status(2, "mapper", "died 5 times", ["0", "0.0", "0.000", "0.0"])] }],
  ["vision_msgs/msg/Detection3DArray", { header: header("map"), detections: [{
    header: header("map"), results: [{
      hypothesis: { class_id: "cup", score: 0.75 },
      pose: { pose: at(1, 2, 0.5), covariance: zeros(36) } }],
    bbox: { center: at(1.5, 3, 0.25), size: cube(1, 2, 0.5) }, id: "" }] }],
  ["rmw_dds_common/msg/ParticipantEntitiesInfo", { gid: gid(9), node_entities_info_seq: [{
    node_namespace: "/", node_name: "cairn", reader_gid_seq: [gid(1, 2, 3)], writer_gid_seq: [gid(1, 2, 3), gid(4, 5, 6)] }] }],
];

function same(got, want, where) {
  if (typeof want === "number" && Number.isFinite(want) && !(Number.isInteger(want) && Number.isInteger(got)))
    return assert.ok(Math.abs(got - want) < 1e-6, `${where} is ${got}, not ${want}`);
  if (typeof want !== "object")
    return assert.ok(Object.is(got, want) || got === want, `${where} is ${got}, not ${want}`);
  const keys = Array.isArray(want) ? [...want.keys()] : Object.keys(want);
  assert.equal(Array.isArray(want) ? got.length : Object.keys(got).length, keys.length, `size of ${where}`);
  for (const key of keys)
    same(got[key], want[key], `${where}.${key}`);
}

test("there is a sample of every type, in the order expected here", () => {
  assert.deepEqual(rows.map(row => row.name), expected.map(([name]) => name));
});

for (const [i, [name, want]] of expected.entries()) {
  test(`${name} ${i} is read by its schema as it was meant, and written the same`, () => {
    const bytes = Buffer.from(rows[i].hex, "hex");
    const definitions = parse(rows[i].schema, { ros2: true });
    const message = new MessageReader(definitions).readMessage(bytes);
    same(message, want, name);
    if (/[^\x00-\x7f]/.test(JSON.stringify(message)))
      return; // the package writes the length of a text in UTF-16
    const again = new MessageWriter(definitions).writeMessage(message);
    assert.equal(Buffer.from(again).toString("hex"), rows[i].hex);
  });
}

// The texts of our table against the definitions that Foxglove has of ROS 2 Humble.
test("each schema is the definition of ROS 2", () => {
  const bare = fields => fields.filter(f => !f.isConstant).map(({ name, type, isArray, arrayLength, isComplex }) =>
    `${type.replace("/msg/", "/")} ${name}${isArray ? `[${arrayLength ?? ""}]` : ""}${isComplex ? " complex" : ""}`);
  for (const row of rows) {
    if (/^(vision_msgs|rmw_dds_common)/.test(row.name)) // not among its packages
      continue;
    const [top, ...rest] = parse(row.schema, { ros2: true });
    assert.deepEqual(bare(top.definitions), bare(ros2humble[row.name.replace("/msg/", "/")].definitions), row.name);
    for (const { name, definitions } of rest)
      assert.deepEqual(bare(definitions), bare(ros2humble[name].definitions), `${name} in ${row.name}`);
  }
});
