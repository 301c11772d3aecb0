// A whole stack with the stage ros2-bridge, in a run directory of its own.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './dds.mjs';

const { CAIRN_PROGRAM } = process.env;

export class Stack {
	run = mkdtempSync(join(tmpdir(), 'cairn-ros2-'));
	async up(domain, ...settings) {
		const all = ['web.endpoint=127.0.0.1:0', 'sim.seed=5', 'detect.source=simulated', 'ros2.enabled=true', `ros2.domain=${domain}`, ...settings];
		this.child = spawn(CAIRN_PROGRAM, ['up', '--run', this.run, '--headless', '--stay', '--fresh', '--for', '600s', ...all.flatMap((s) => ['--set', s])], { stdio: 'ignore' });
		this.over = new Promise((done) => this.child.on('exit', done));
		await until(() => this.status().well, 'all stages are up', 90000);
	}
	tool(...args) {
		return execFileSync(CAIRN_PROGRAM, [...args, '--run', this.run], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
	}
	// Its exit status tells whether all is well: here what it prints counts. Nothing before the stack is there.
	status() {
		try {
			return JSON.parse(this.tool('status', '--json'));
		} catch (e) {
			return e.stdout ? JSON.parse(e.stdout) : {};
		}
	}
	// The newest message of a topic.
	newest(topic) {
		return JSON.parse(this.tool('echo', topic, '-n', '1')).data;
	}
	// A file of the run directory; empty while it is not there.
	file(...path) {
		const file = join(this.run, ...path);
		return existsSync(file) ? readFileSync(file, 'utf8') : '';
	}
	async down() {
		if (this.child && this.child.exitCode === null) {
			try {
				this.tool('down');
			} catch {
				this.child.kill('SIGINT');
			}
			await this.over;
		}
		rmSync(this.run, { recursive: true, force: true });
	}
}
