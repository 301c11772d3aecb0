// The core of the stage fleet at a real broker, in simulated robots (`cairn fleet-sim`): its messages against the official schemas, a master
// control by others, and a broker that dies.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createReadStream, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import mqtt from "mqtt";
import vda from "vda-5050-lib";
import { Broker, MOSQUITTO, certificate, freePort } from "./broker.mjs";
import { schemas } from "./schemas.mjs";

const root = process.argv[2];
const lab = process.env.CAIRN_LAB;
const program = MOSQUITTO.find((path) => existsSync(path));
const skip = program ? false : "mosquitto is not installed (scripts/setup.sh --ci)";
const folder = mkdtempSync(join(tmpdir(), "cairn-fleet-"));
let broker;

before(async () => {
  if (skip) return;
  broker = new Broker(program, await freePort());
  await broker.start();
});
after(async () => broker?.kill());

// Resolves to what it prints at its end, and its status.
function sim(...options) {
  const child = spawn(lab, ["fleet-sim", ...options, "--json", "--set", `fleet.broker=127.0.0.1:${broker.port}`]);
  let text = "", said = "";
  child.stdout.on("data", (d) => (text += d));
  child.stderr.on("data", (d) => (said += d));
  const end = new Promise((done) => child.once("close", (status) => done({ status, said, ...(text ? JSON.parse(text) : {}) })));
  return { child, end };
}

// How many messages of each topic are in a log of fleet-sim; each is as the schemas want it.
async function validated(log, checks) {
  const seen = {};
  for await (const line of createInterface(createReadStream(log))) {
    const { topic, message } = JSON.parse(line);
    if (message === null) continue; // sent to be refused
    seen[topic] = (seen[topic] ?? 0) + 1;
    assert.ok(checks[topic](message), `${topic}: ${JSON.stringify(checks[topic].errors)} in ${JSON.stringify(message)}`);
  }
  for (const name of ["state", "connection", "factsheet", "visualization", "order", "instantActions", ...(checks.zoneSet ? ["zoneSet"] : [])])
    assert.ok(seen[name] > 0, `no ${name} among ${JSON.stringify(seen)}`);
  return seen;
}

for (const version of ["2.1", "3.0"])
  test(`every message of ${version} is as the official schemas want it, and none is lost`, { skip, timeout: 200_000 }, async (t) => {
    const checks = schemas(root, `${version}.0`);
    if (!checks) return t.skip("no schemas in ../shared/data/vda5050");
    const log = join(folder, `log-${version}.jsonl`);
    const end = await sim("3", "--for", "5m", "--rate", "20", "--orders", "--mischief", "--log", log, "--set",
      `fleet.version=${version}`, "--set", "fleet.rights=drive,configure").end;
    assert.equal(end.status, 0, JSON.stringify(end));
    assert.ok(end.done > 0);
    assert.deepEqual([end.states_lost, end.contacts], [0, 0]);
    t.diagnostic(JSON.stringify(await validated(log, checks)));
  });

// ---- Siemens' library as master control ----

const agv = { manufacturer: "cairn", serialNumber: "sim-000" };

function nodesOf(places, first = 0, released = places.length) {
  const nodes = places.map(([x, y], i) => ({
    nodeId: `n${first + i}`, sequenceId: 2 * (first + i), released: i < released,
    nodePosition: { x, y, mapId: "map", allowedDeviationXY: 0.4 }, actions: [],
  }));
  const edges = nodes.slice(1).map((node, i) => ({
    edgeId: `e${first + i}`, sequenceId: 2 * (first + i) + 1, released: node.released, startNodeId: nodes[i].nodeId, endNodeId: node.nodeId, actions: [],
  }));
  return { nodes, edges };
}

// Resolves when the library says that the order is processed (or that its base is, with more to come).
function assign(master, order, traversed = []) {
  return new Promise((done, fail) =>
    master.assignOrder(agv, order, {
      onOrderProcessed: (error, byCancelation, active, context) =>
        error ? fail(new Error(JSON.stringify(error))) : done({ byCancelation, active, state: context.state, traversed }),
      onNodeTraversed: (node) => traversed.push(node.nodeId),
    }).catch(fail));
}

test("the master control of vda-5050-lib completes, extends and cancels orders", { skip, timeout: 120_000 }, async () => {
  const { child, end } = sim("1", "--rate", "5");
  const master = new vda.MasterController({ interfaceName: "uagv", transport: { brokerUrl: `mqtt://127.0.0.1:${broker.port}` }, vdaVersion: "2.0.0" }, {});
  // The library speaks 2.0, whose messages are read alike: of its checks only that of the version's own word is set aside.
  const check = master.validateTopicObject.bind(master);
  master.validateTopicObject = (topic, message, version) => check(topic, { ...message, version }, version);
  try {
    await master.start();
    await new Promise((done) => master.trackAgvs((id, state) => id.serialNumber === agv.serialNumber && state === "ONLINE" && done()));
    const wait = { actionId: "w1", actionType: "wait", blockingType: "HARD", actionParameters: [{ key: "duration", value: 1 }] };
    const first = { orderId: "one", orderUpdateId: 0, ...nodesOf([[6, 6], [8, 6], [8, 8]]) };
    first.nodes[1].actions.push(wait);
    const one = await assign(master, first);
    assert.deepEqual(one.traversed, ["n0", "n1", "n2"]);
    assert.equal(one.active, false);
    assert.equal(one.state.actionStates.find((a) => a.actionId === "w1").actionStatus, "FINISHED");

    // A base of one edge, and a horizon that an update releases.
    const two = await assign(master, { orderId: "two", orderUpdateId: 0, ...nodesOf([[8, 8], [6, 8], [4, 8]], 10, 2) });
    assert.equal(two.active, true);
    assert.equal(two.state.newBaseRequest, true);
    const update = await assign(master, { orderId: "two", orderUpdateId: 1, ...nodesOf([[6, 8], [4, 8]], 11) });
    assert.equal(update.active, false);
    assert.equal(update.state.lastNodeId, "n12");

    // A long way, cancelled on it.
    const started = [];
    const three = assign(master, { orderId: "three", orderUpdateId: 0, ...nodesOf([[4, 8], [10, 3]], 20) }, started);
    while (started.length === 0) await new Promise((done) => setTimeout(done, 50));
    await master.initiateInstantActions(agv, { instantActions: [{ actionId: "c1", actionType: "cancelOrder", blockingType: "HARD" }] },
      { onActionStateChanged: () => {}, onActionError: (error) => assert.fail(JSON.stringify(error)) });
    assert.equal((await three).byCancelation, true);

    // What the robot cannot heed is refused in the words of the standard.
    const odd = { orderId: "four", orderUpdateId: 0, ...nodesOf([[100, 100], [101, 100]], 30) };
    await assert.rejects(assign(master, odd), /noRouteError/);
  } finally {
    await master.stop();
    child.kill("SIGINT");
  }
  assert.equal((await end).status, 0);
});

// ---- a master control of our own, at a broker that may want certificate and password ----

const users = { "stack-1": "a robot's secret", master: "a master's secret" };

function client(broker) {
  const secure = broker.ca && { protocol: "mqtts", ca: readFileSync(broker.ca), username: "master", password: users.master };
  return mqtt.connect({ protocol: "mqtt", host: "127.0.0.1", port: broker.port, reconnectPeriod: 50, ...secure });
}

// What a master control hears and says of one robot.
class Master {
  constructor(broker, version, serialNumber) {
    this.version = version;
    this.serialNumber = serialNumber;
    this.base = `${version === "3.0" ? "vda5050/v3" : "uagv/v2"}/cairn/${serialNumber}`;
    this.waiting = [];
    this.places = []; // [x, y] of where the robot was
    this.client = client(broker);
    this.client.on("connect", () => this.client.subscribe(`${this.base}/+`));
    this.client.on("message", (topic, payload) => {
      const message = JSON.parse(payload);
      const place = message.mobileRobotPosition ?? message.agvPosition;
      if (place) this.places.push([place.x, place.y]);
      for (const w of [...this.waiting])
        if (topic === `${this.base}/${w.topic}` && w.holds(message)) (this.waiting.splice(this.waiting.indexOf(w), 1), w.done(message));
    });
  }
  heard(topic, holds = () => true) {
    return new Promise((done) => this.waiting.push({ topic, holds, done }));
  }
  send(topic, content) {
    const header = { headerId: 0, timestamp: new Date().toISOString(), version: `${this.version}.0`, ...agv, serialNumber: this.serialNumber };
    this.client.publish(`${this.base}/${topic}`, JSON.stringify({ ...header, ...content }));
  }
  order(orderId, places) {
    const { nodes, edges } = nodesOf(places);
    for (const node of nodes) node.nodePosition.allowedDeviationXY = { a: 0.4, b: 0.4, theta: 0 };
    this.send("order", { orderId, orderUpdateId: 0, nodes, edges });
  }
  // Resolves to how it ended, and the state that told so.
  async act(actionId, actionType, parameters) {
    const of = (s) => (s.instantActionStates ?? s.actionStates).find((a) => a.actionId === actionId);
    const state = this.heard("state", (s) => ["FINISHED", "FAILED"].includes(of(s)?.actionStatus));
    const actionParameters = Object.entries(parameters).map(([key, value]) => ({ key, value }));
    this.send("instantActions", { actions: [{ actionId, actionType, blockingType: "NONE", actionParameters }] });
    return { status: of(await state).actionStatus, state: await state };
  }
  // Says where the robot is; resolves to how that ended.
  async locate(actionId, x, y) {
    return (await this.act(actionId, "initializePosition", { x, y, theta: 0, mapId: "map", lastNodeId: "dock" })).status;
  }
  async zones(zoneSetId, zones) {
    const zoned = this.heard("state", (s) => s.zoneSets?.some((z) => z.zoneSetId === zoneSetId && z.zoneSetStatus === "ENABLED"));
    this.send("zoneSet", { zoneSet: { mapId: "map", zoneSetId, zones } });
    return zoned;
  }
}

// Maps of a fleet are not kept here: what would load, choose or drop one is neither offered nor quietly taken.
for (const [version, offered, fault] of [["2.1", "agvActions", "instantActionError"], ["3.0", "mobileRobotActions", "INVALID_INSTANT_ACTION"]])
  test(`an instant action that the factsheet of ${version} does not offer fails, in the words of the standard`, { skip, timeout: 60_000 }, async () => {
    const master = new Master(broker, version, "sim-700");
    const sheet = master.heard("factsheet");
    const { child, end } = sim("1", "--first", "700", "--set", `fleet.version=${version}`);
    try {
      const actions = (await sheet).protocolFeatures[offered].map((a) => a.actionType);
      assert.ok(actions.includes("cancelOrder"), actions.join());
      for (const type of ["downloadMap", "enableMap", "deleteMap"]) {
        assert.ok(!actions.includes(type), `${type} is offered`);
        const { status, state } = await master.act(`a-${type}`, type, { mapId: "hall", mapVersion: "1", mapDownloadLink: "http://127.0.0.1/" });
        const told = state.errors.find((e) => e.errorReferences?.some((r) => r.referenceValue === `a-${type}`));
        assert.deepEqual([status, told?.errorType], ["FAILED", fault], JSON.stringify(state.errors));
        assert.ok(!state.maps?.some((m) => m.mapId === "hall"));
      }
    } finally {
      child.kill("SIGINT");
      master.client.end(true);
    }
    assert.equal((await end).status, 0);
  });

// The one that holds a certificate that the broker knows gets in, and nobody else does: not with another's, not with none.
test("a robot shows its own certificate where the broker asks for one", { skip, timeout: 60_000 }, async () => {
  const run = mkdtempSync(join(tmpdir(), "cairn-fleet-")), own = certificate(run, "broker"), robot = certificate(run, "robot"), other = certificate(run, "other");
  const strict = new Broker(program, await freePort(), { ...own, clients: robot.cert });
  await strict.start();
  const heard = new Set(), sims = [];
  const watcher = mqtt.connect({ protocol: "mqtts", host: "127.0.0.1", port: strict.port, ca: readFileSync(own.cert), cert: readFileSync(robot.cert), key: readFileSync(robot.key) });
  watcher.on("message", (topic) => heard.add(topic.split("/")[3]));
  await new Promise((done) => watcher.on("connect", () => watcher.subscribe("uagv/v2/cairn/+/state", done)));
  const start = (number, pair, ...options) => {
    const child = spawn(lab, ["fleet-sim", "1", "--first", `${number}`, "--set", `fleet.broker=127.0.0.1:${strict.port}`, "--set", `fleet.ca_file=${own.cert}`, ...options,
      ...(pair ? ["--set", `fleet.cert_file=${pair.cert}`, "--set", `fleet.key_file=${pair.key}`] : [])], { stdio: "ignore" });
    sims.push({ child, over: new Promise((done) => child.once("exit", done)) });
    return sims.at(-1);
  };
  try {
    await Promise.all([start(2, null, "--for", "3s").over, start(3, other, "--for", "3s").over]);
    assert.equal(heard.size, 0);
    start(1, robot);
    await new Promise((done) => watcher.once("message", done));
    assert.deepEqual([...heard], ["sim-001"]);
  } finally {
    for (const { child, over } of sims) child.kill("SIGINT"), await over;
    watcher.end(true);
    await strict.kill();
  }
});

// What the stage alone says in its log when the broker's certificate or its own password is wrong; the password itself is never in it.
test("the stage says why a broker does not let it in", { skip, timeout: 60_000 }, async () => {
  const run = mkdtempSync(join(tmpdir(), "cairn-fleet-")), own = certificate(run, "broker"), other = certificate(run, "other");
  const secure = new Broker(program, await freePort(), { ...own, users });
  await secure.start();
  const master = new Master({ port: secure.port, ca: own.cert }, "2.1", "stack-1");
  // until: words of its log, or something else that happens.
  const said = async (ca, password, until) => {
    const home = mkdtempSync(join(run, "run-"));
    for (const name of ["bus", "logs", "state"]) mkdirSync(join(home, name), { mode: 0o700 });
    writeFileSync(join(home, "config.yaml"), `fleet:\n  broker: 127.0.0.1:${secure.port}\n  ca_file: ${ca}\n  user: stack-1\n  serial: stack-1\n`, { mode: 0o600 });
    const stage = spawn(join(dirname(process.env.CAIRN_PROGRAM), "cairn-fleet"), ["--run", home, "--stage", "fleet", "--ready-fd", "3"],
      { stdio: ["ignore", "ignore", "pipe", "pipe"], env: { ...process.env, CAIRN_FLEET_PASSWORD: password } });
    let text = "";
    const words = new Promise((done) => stage.stderr.on("data", (data) => (text += data) && until instanceof RegExp && until.test(text) && done()));
    await (until instanceof RegExp ? words : until);
    stage.kill("SIGTERM");
    await new Promise((done) => stage.once("close", done));
    assert.ok(!text.includes(password), text);
  };
  try {
    await said(other.cert, users["stack-1"], /cannot reach the broker: .*not signed by fleet.ca_file/);
    await said(own.cert, "not the secret", /cannot reach the broker: .*CAIRN_FLEET_PASSWORD/);
    await said(own.cert, users["stack-1"], master.heard("connection", (c) => c.connectionState === "ONLINE"));
  } finally {
    master.client.end(true);
    await secure.kill();
  }
});

// ---- a whole stack ----

test("a whole stack behind TLS drives an order, keeps the fleet's zones, waits after a person's stop, and tells that it goes", { skip, timeout: 240_000 }, async () => {
  const run = mkdtempSync(join(tmpdir(), "cairn-fleet-"));
  const own = certificate(run, "broker"), other = certificate(run, "other");
  const secure = new Broker(program, await freePort(), { ...own, users });
  secure.ca = own.cert;
  await secure.start();
  const master = new Master(secure, "3.0", "stack-1");
  const cairn = (...args) => new Promise((done) => {
    const child = spawn(process.env.CAIRN_PROGRAM, [...args, "--run", run], { stdio: ["ignore", "pipe", "ignore"], env: { ...process.env, CAIRN_FLEET_PASSWORD: users["stack-1"] } });
    let text = "";
    child.stdout.on("data", (d) => (text += d));
    child.once("close", (status) => done({ status, text }));
  });

  // A broker whose certificate is another's is told nothing, not even the password.
  const stranger = spawn(lab, ["fleet-sim", "1", "--for", "3s", "--set", `fleet.broker=127.0.0.1:${secure.port}`, "--set", `fleet.ca_file=${other.cert}`,
    "--set", "fleet.user=stack-1", "--set", "fleet.version=3.0", "--set", "fleet.manufacturer=stranger"],
    { stdio: "ignore", env: { ...process.env, CAIRN_FLEET_PASSWORD: users["stack-1"] } });
  let strange = 0;
  const watcher = client(secure);
  watcher.on("connect", () => watcher.subscribe("vda5050/v3/stranger/#"));
  watcher.on("message", () => strange++);

  const known = master.heard("state", (s) => s.mobileRobotPosition?.localized);
  const stack = cairn("up", "--stay", "--headless", "--world", join(root, "test/data/worlds/hall.yaml"), "--set", "fleet.retry_s=1", "--set", `fleet.broker=127.0.0.1:${secure.port}`, "--set", `fleet.ca_file=${own.cert}`, "--set",
    "fleet.user=stack-1", "--set", "fleet.serial=stack-1", "--set", "fleet.version=3.0", "--set", "fleet.rights=drive,configure", "--set",
    "mission.autostart=false", "--set", "web.endpoint=127.0.0.1:0");
  try {
    await known;
    const arrived = master.heard("state", (s) => s.orderId === "one" && s.nodeStates.length === 0 && s.lastNodeId === "n1");
    master.order("one", [[0, 0], [0.8, 0]]);
    await arrived;
    if (stranger.exitCode === null) await new Promise((done) => stranger.once("exit", done));
    assert.equal(strange, 0);

    // Where it knows itself to be is taken, and another place is not.
    const { x, y } = (await master.heard("state", (s) => !s.driving)).mobileRobotPosition;
    assert.equal(await master.locate("there", x, y), "FINISHED");
    assert.equal(await master.locate("elsewhere", x + 2, y), "FAILED");

    // A zone of the fleet is one of the robot's map: an order across it leads round it, and none into it. When it is gone, it bars nothing.
    const [near, far, side] = [1.4, 2.4, 0.9];
    const vertices = [[near, -side], [far, -side], [far, side], [near, side]].map(([x, y]) => ({ x, y }));
    await master.zones("night", [{ zoneId: "z", zoneType: "BLOCKED", vertices }]);
    const { text } = await cairn("echo", "zones", "-n", "1", "--timeout", "20s");
    assert.match(text, /fleet-0/);
    const round = master.heard("state", (s) => s.orderId === "round" && s.nodeStates.length === 0 && s.lastNodeId === "n1");
    master.places = [];
    master.order("round", [[x, y], [3.4, 0]]);
    const end = (await round).mobileRobotPosition;
    const inside = master.places.filter(([px, py]) => px > near && px < far && Math.abs(py) < side);
    assert.deepEqual(inside, []);
    assert.ok(master.places.some(([, py]) => Math.abs(py) > side), "it did not go round");
    const barred = master.heard("state", (s) => s.orderId === "two" && s.errors.some((e) => e.errorType === "NODE_UNREACHABLE"));
    master.order("two", [[end.x, end.y], [1.9, 0]]);
    await barred;
    const opened = master.heard("state", (s) => s.orderId === "two" && s.nodeStates.length === 0 && s.lastNodeId === "n1");
    await master.zones("day", []);
    const there = (await opened).mobileRobotPosition;
    assert.ok(there.x > near && there.x < far && Math.abs(there.y) < side);

    const manual = master.heard("state", (s) => s.operatingMode === "MANUAL");
    assert.equal((await cairn("stop")).status, 0);
    await manual;
    const refused = master.heard("state", (s) => s.errors.some((e) => e.errorType === "MOBILE_ROBOT_NOT_AVAILABLE"));
    master.order("three", [[there.x, there.y], [0, 0]]);
    assert.equal((await refused).orderId, "two");
    const back = master.heard("state", (s) => s.operatingMode === "AUTOMATIC");
    assert.equal((await cairn("automatic")).status, 0);
    await back;
  } finally {
    const offline = master.heard("connection", (c) => c.connectionState === "OFFLINE");
    await cairn("down");
    await stack;
    await Promise.race([offline, new Promise((_, fail) => setTimeout(() => fail(new Error("it did not say that it goes")), 10_000).unref())]);
    master.client.end(true);
    watcher.end(true);
    stranger.kill();
    await secure.kill();
  }
  for (const file of readdirSync(run, { recursive: true, withFileTypes: true }))
    if (file.isFile()) assert.ok(!readFileSync(join(file.path, file.name)).includes(users["stack-1"]), `${file.name} holds the password`);
});

// ---- a broker that dies ----

// Resolves when so many states have come through the broker.
async function states(port, version, count) {
  const listener = client({ port });
  let seen = 0;
  await new Promise((done) => {
    listener.on("connect", () => listener.subscribe(`${version === "3.0" ? "vda5050/v3" : "uagv/v2"}/cairn/+/state`));
    listener.on("message", () => ++seen === count && done());
  });
  await new Promise((done) => listener.end(true, {}, done));
}

// CAIRN_FLEET_FOR: how much simulated time, ten times as fast as the clock; the kills are spread over it.
const simulated_min = parseInt(process.env.CAIRN_FLEET_FOR ?? "5m");

for (const version of ["2.1", "3.0"])
  test(`a broker that is killed twenty times costs no order of ${version}, and none is done twice, whatever else goes wrong`, { skip, timeout: 200_000 + 40_000 * simulated_min }, async (t) => {
    const log = join(folder, `killed-${version}.jsonl`), checks = schemas(root, `${version}.0`);
    const { end } = sim("4", "--for", `${simulated_min}m`, "--rate", "10", "--orders", "--mischief", "--log", log, "--state", mkdtempSync(join(tmpdir(), "cairn-fleet-")),
      "--set", `fleet.version=${version}`, "--set", "fleet.rights=drive,configure");
    let over = false, kills = 0;
    end.then(() => (over = true));
    for (; kills < 20 && !over; kills++) {
      await states(broker.port, version, Math.ceil(1.4 * simulated_min));
      await broker.kill();
      await broker.start();
    }
    const result = await end;
    assert.equal(kills, 20, JSON.stringify(result));
    assert.equal(result.status, 0, JSON.stringify(result));
    assert.equal(result.open, 0);
    assert.equal(result.begun, result.orders_sent);
    assert.equal(result.done + result.dropped, result.orders_sent);
    assert.ok(result.dropped <= result.cancels, `${result.dropped} dropped, ${result.cancels} cancelled`);
    assert.equal(result.contacts, 0);
    t.diagnostic(JSON.stringify(result));
    if (checks) t.diagnostic(JSON.stringify(await validated(log, checks)));
  });
