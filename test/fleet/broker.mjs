// Debian's mosquitto on a port of its own of this machine, killed by its pid.
import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const MOSQUITTO = ["/usr/sbin/mosquitto", "/usr/bin/mosquitto", "/usr/local/sbin/mosquitto"];

export async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

async function answers(port) {
  return new Promise((done) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("connect", () => (socket.destroy(), done(true)));
    socket.on("error", () => done(false));
  });
}

export class Broker {
  constructor(program, port) {
    this.program = program;
    this.port = port;
    this.conf = join(mkdtempSync(join(tmpdir(), "cairn-fleet-")), "mosquitto.conf");
    // Without a limit on what waits: a state that is dropped here would look like one that was never sent.
    writeFileSync(this.conf, `listener ${port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\n`);
  }

  async start() {
    this.child = spawn(this.program, ["-c", this.conf], { stdio: "ignore" });
    while (!(await answers(this.port))) await new Promise((done) => setTimeout(done, 20));
  }

  async kill(signal = "SIGKILL") {
    const gone = new Promise((done) => this.child.once("exit", done));
    this.child.kill(signal);
    await gone;
  }
}
