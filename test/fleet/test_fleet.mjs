// The core of the stage fleet at a real broker, in simulated robots (`cairn fleet-sim`): its messages against the official schemas, a master
// control by others, and a broker that dies.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createReadStream, existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

for (const version of ["2.1", "3.0"]) {
  test(`every message of ${version} is as the official schemas want it`, { skip, timeout: 200_000 }, async (t) => {
    const checks = schemas(root, `${version}.0`);
    if (!checks) return t.skip("no schemas in ../shared/data/vda5050");
    const log = join(folder, `log-${version}.jsonl`), seen = {};
    const end = await sim("3", "--for", "5m", "--rate", "20", "--orders", "--mischief", "--log", log, "--set",
      `fleet.version=${version}`, "--set", "fleet.rights=drive,configure").end;
    assert.equal(end.status, 0, JSON.stringify(end));
    for await (const line of createInterface(createReadStream(log))) {
      const { topic, message } = JSON.parse(line);
      if (message === null) continue; // sent to be refused
      seen[topic] = (seen[topic] ?? 0) + 1;
      assert.ok(checks[topic](message), `${topic}: ${JSON.stringify(checks[topic].errors)} in ${JSON.stringify(message)}`);
    }
    const names = ["state", "connection", "factsheet", "visualization", "order"];
    for (const name of names) assert.ok(seen[name] > 0, `no ${name} among ${JSON.stringify(seen)}`);
    assert.ok(end.done > 0);
    t.diagnostic(JSON.stringify(seen));
  });
}

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

// ---- a whole stack, at a broker that wants certificate and password ----

const users = { "stack-1": "a robot's secret", master: "a master's secret" };

// What a master control hears and says of one robot.
class Master {
  constructor(secure, base) {
    this.base = base;
    this.waiting = [];
    this.client = mqtt.connect({ protocol: "mqtts", host: "127.0.0.1", port: secure.port, ca: readFileSync(secure.ca), username: "master", password: users.master });
    this.client.on("connect", () => this.client.subscribe(`${base}/+`));
    this.client.on("message", (topic, payload) => {
      const message = JSON.parse(payload);
      for (const w of [...this.waiting])
        if (topic === `${base}/${w.topic}` && w.holds(message)) (this.waiting.splice(this.waiting.indexOf(w), 1), w.done(message));
    });
  }
  heard(topic, holds) {
    return new Promise((done) => this.waiting.push({ topic, holds, done }));
  }
  send(topic, content) {
    const header = { headerId: 0, timestamp: new Date().toISOString(), version: "3.0.0", ...agv, serialNumber: "stack-1" };
    this.client.publish(`${this.base}/${topic}`, JSON.stringify({ ...header, ...content }));
  }
  order(orderId, places) {
    const { nodes, edges } = nodesOf(places);
    for (const node of nodes) node.nodePosition.allowedDeviationXY = { a: 0.4, b: 0.4, theta: 0 };
    this.send("order", { orderId, orderUpdateId: 0, nodes, edges });
  }
  // Says where the robot is; resolves to how that ended.
  async locate(actionId, x, y) {
    const state = this.heard("state", (s) => s.instantActionStates.some((a) => a.actionId === actionId && ["FINISHED", "FAILED"].includes(a.actionStatus)));
    const actionParameters = Object.entries({ x, y, theta: 0, mapId: "map", lastNodeId: "dock" }).map(([key, value]) => ({ key, value }));
    this.send("instantActions", { actions: [{ actionId, actionType: "initializePosition", blockingType: "NONE", actionParameters }] });
    return (await state).instantActionStates.find((a) => a.actionId === actionId).actionStatus;
  }
}

test("a whole stack behind TLS drives an order, keeps the fleet's zones, waits after a person's stop, and tells that it goes", { skip, timeout: 240_000 }, async () => {
  const run = mkdtempSync(join(tmpdir(), "cairn-fleet-"));
  const own = certificate(run, "broker"), other = certificate(run, "other");
  const secure = new Broker(program, await freePort(), { ...own, users });
  secure.ca = own.cert;
  await secure.start();
  const master = new Master(secure, "vda5050/v3/cairn/stack-1");
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
  const watcher = mqtt.connect({ protocol: "mqtts", host: "127.0.0.1", port: secure.port, ca: readFileSync(own.cert), username: "master", password: users.master });
  watcher.on("connect", () => watcher.subscribe("vda5050/v3/stranger/#"));
  watcher.on("message", () => strange++);

  const known = master.heard("state", (s) => s.mobileRobotPosition?.localized);
  const stack = cairn("up", "--stay", "--headless", "--set", `fleet.broker=127.0.0.1:${secure.port}`, "--set", `fleet.ca_file=${own.cert}`, "--set",
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

    // A zone of the fleet is one of the robot's map: no order leads into it.
    const zoned = master.heard("state", (s) => s.zoneSets?.some((z) => z.zoneSetId === "night" && z.zoneSetStatus === "ENABLED"));
    const vertices = [[1.2, -0.8], [2.4, -0.8], [2.4, 0.8], [1.2, 0.8]].map(([x, y]) => ({ x, y }));
    master.send("zoneSet", { zoneSet: { mapId: "map", zoneSetId: "night", zones: [{ zoneId: "z", zoneType: "BLOCKED", vertices }] } });
    await zoned;
    const { text } = await cairn("echo", "zones", "-n", "1", "--timeout", "20s");
    assert.match(text, /fleet-0/);
    const barred = master.heard("state", (s) => s.orderId === "two" && s.errors.some((e) => e.errorType === "NODE_UNREACHABLE"));
    master.order("two", [[x, y], [1.8, 0]]);
    await barred;

    const manual = master.heard("state", (s) => s.operatingMode === "MANUAL");
    assert.equal((await cairn("stop")).status, 0);
    await manual;
    const refused = master.heard("state", (s) => s.errors.some((e) => e.errorType === "MOBILE_ROBOT_NOT_AVAILABLE"));
    master.order("three", [[x, y], [0, 0]]);
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
});

// ---- a broker that dies ----

// Resolves when so many states have come through the broker.
async function states(port, count) {
  const client = mqtt.connect(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 50 });
  let seen = 0;
  await new Promise((done) => {
    client.on("connect", () => client.subscribe("uagv/v2/cairn/+/state"));
    client.on("message", () => ++seen === count && done());
  });
  await new Promise((done) => client.end(true, {}, done));
}

test("a broker that is killed twenty times costs no order, and none is done twice", { skip, timeout: 300_000 }, async (t) => {
  const { end } = sim("4", "--for", "10m", "--rate", "10", "--orders", "--state", mkdtempSync(join(tmpdir(), "cairn-fleet-")));
  let over = false, kills = 0;
  end.then(() => (over = true));
  for (; kills < 20 && !over; kills++) {
    await states(broker.port, 6);
    await broker.kill();
    await broker.start();
  }
  const result = await end;
  assert.equal(kills, 20, JSON.stringify(result));
  assert.equal(result.status, 0, JSON.stringify(result));
  assert.equal(result.open, 0);
  assert.equal(result.begun, result.orders_sent);
  assert.equal(result.done + result.dropped, result.orders_sent);
  assert.equal(result.dropped, 0);
  t.diagnostic(JSON.stringify(result));
});
