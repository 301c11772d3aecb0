// Debian's mosquitto on a port of its own of this machine, killed by its pid.
import { execFileSync, spawn } from "node:child_process";
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

// A certificate for 127.0.0.1 that is its own authority: { cert, key }.
export function certificate(folder, name) {
  const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
  execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", `/CN=${name}`,
    "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert], { stdio: "ignore" });
  return { cert, key };
}

export class Broker {
  // secure: { cert, key } and { users: { name: password } } or { clients }, the file of the one certificate that is let in; without it
  // whoever asks is let in, unencrypted.
  constructor(program, port, secure) {
    this.program = program;
    this.port = port;
    const folder = mkdtempSync(join(tmpdir(), "cairn-fleet-"));
    this.conf = join(folder, "mosquitto.conf");
    // Without a limit on what waits: a state that is dropped here would look like one that was never sent.
    const lines = [`listener ${port} 127.0.0.1`, "max_queued_messages 0", `allow_anonymous ${!secure?.users}`];
    if (secure) lines.push(`certfile ${secure.cert}`, `keyfile ${secure.key}`);
    if (secure?.clients) lines.push(`cafile ${secure.clients}`, "require_certificate true");
    if (secure?.users) {
      const passwords = join(folder, "passwords");
      writeFileSync(passwords, "");
      for (const [name, password] of Object.entries(secure.users)) execFileSync("mosquitto_passwd", ["-b", passwords, name, password], { stdio: "ignore" });
      lines.push(`password_file ${passwords}`);
    }
    if (secure && process.getuid() === 0) lines.push("user root"); // it would not read what is ours alone
    writeFileSync(this.conf, lines.join("\n") + "\n");
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
