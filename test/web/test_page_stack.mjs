// The page against a whole stack: the map grows, the stops stop the simulated robot, rights hold, what strangers wrote is text, and
// the page comes back by itself when its server was killed.
//
//   node test_page_stack.mjs, with the tool in $CAIRN_PROGRAM
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { launch, open, until, violations } from './browser.mjs';

const PROGRAM = process.env.CAIRN_PROGRAM;
const run = mkdtempSync(join(tmpdir(), 'cairn-page-'));
const cairn = (...args) => execFileSync(PROGRAM, [...args, '--run', run], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
// Its exit status tells whether all is well: here what it prints counts.
const status = () => {
	try {
		return JSON.parse(cairn('status', '--json'));
	} catch (e) {
		return JSON.parse(e.stdout);
	}
};
const text = (page, selector) => page.locator(selector).innerText();
let stack, browser, url, token, page;

// A port that is free now, and that the server finds again after it was killed.
function freePort() {
	return new Promise((resolve) => {
		const s = createServer().listen(0, '127.0.0.1', () => {
			const { port } = s.address();
			s.close(() => resolve(port));
		});
	});
}

before(async () => {
	stack = spawn(PROGRAM, ['up', '--run', run, '--headless', '--stay', '--fresh', '--for', '170s', '--set', `web.endpoint=127.0.0.1:${await freePort()}`, '--set', 'sim.seed=5'], { stdio: 'ignore' });
	stack.over = new Promise((resolve) => stack.on('exit', resolve));
	browser = await launch();
	url = await until(() => existsSync(join(run, 'web.url')) && readFileSync(join(run, 'web.url'), 'utf8').trim(), 'RUN/web.url', 60000);
	await until(() => fetch(url).then((r) => r.ok, () => false), 'the page', 30000);
	token = cairn('web-key', 'test', '--rights', 'watch,drive,configure').match(/#token=([\w-]+)/)[1];
	page = await open(browser, url);
});

after(async () => {
	await browser?.close();
	if (stack && stack.exitCode === null) {
		try {
			cairn('down');
		} catch {
			stack.kill('SIGINT');
		}
		await stack.over;
	}
	rmSync(run, { recursive: true, force: true });
});

const floor = async () => Number((await text(page, '#coverage b')).match(/([\d.]+) m² of floor/)?.[1] ?? 0);
const moves = () => until(() => Math.abs(status().pose?.v_mps ?? 0) > 0.05, 'the robot moves', 40000);
const stands = () => until(() => Math.abs(status().pose.v_mps) < 0.01, 'the robot stands', 5000);

// Pixels of the canvas in one of the page's colours, drawn over the floor with this share.
const drawn = (colour = '--floor', on = page, share = 1) => on.evaluate(([name, of]) => {
	const canvas = document.querySelector('#map-canvas'), style = getComputedStyle(document.documentElement);
	const [top, floor] = [name, '--floor'].map((v) => parseInt(style.getPropertyValue(v).trim().slice(1), 16)).map((n) => [n >> 16, (n >> 8) & 255, n & 255]);
	const wanted = top.map((v, k) => of * v + (1 - of) * floor[k]);
	const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
	let count = 0;
	for (let i = 0; i < data.length; i += 4)
		count += wanted.every((v, k) => Math.abs(data[i + k] - v) < 26) && data[i + 2] > 36;
	return count;
}, [colour, share]);

test('the map grows while the robot explores', async () => {
	const first = await until(floor, 'some floor', 30000);
	await until(async () => (await floor()) > first + 1, 'more floor than at first', 40000);
	await until(async () => (await drawn()) > 2000, 'the floor is drawn');
	assert.match(await text(page, '#gauges'), /Heading\s+[NESW]{1,2} \d+°/);
	await until(() => page.locator('#camera-picture').evaluate((i) => i.naturalWidth > 0), 'the picture');
});

test('who has no key is refused, by the page and by the server', async () => {
	await page.click('#home', { force: true });
	assert.match(await text(page, '#steer-answer'), /cairn web-key/);
	const answer = await page.evaluate(async () => {
		const r = await fetch('/api/command/home', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"args":""}' });
		return { code: r.status, ...(await r.json()) };
	});
	assert.equal(answer.code, 403);
	assert.equal(answer.ok, false);
	assert.match(answer.text, /right to drive/);
});

test('the emergency stop stops the robot: by the mouse, and by the space bar', async () => {
	const driver = await open(browser, url, { token });
	for (const press of [() => page.click('#estop'), () => page.keyboard.press('Space')]) {
		await moves();
		await press();
		await page.locator('#held').waitFor();
		assert.equal(status().motion.state, 'estop');
		await stands();
		await driver.locator('#release').click();
		await driver.locator('#release-sure').click();
		await driver.locator('#held').waitFor({ state: 'hidden' });
		await page.locator('#held').waitFor({ state: 'hidden' });
	}
	await driver.context().close();
});

test('a held key drives, and letting go, leaving the page or losing it stops', async () => {
	const driver = await open(browser, url, { token });
	await driver.click('#stop');
	await stands();
	await driver.click('#hand');
	const speed = async () => Math.abs(Number((await text(driver, '#gauges')).match(/Speed\s+(-?[\d.]+) m\/s/)?.[1] ?? 0));
	// Ahead or back: one of both is free wherever the robot stands.
	const drives = async () => {
		for (const key of ['KeyS', 'KeyW']) {
			await driver.keyboard.down(key);
			if (await until(async () => (await speed()) > 0.03, key, 4000).catch(() => false))
				return key;
			await driver.keyboard.up(key);
		}
		throw new Error(`nothing moves by hand: ${await text(driver, '#hand-answer')}`);
	};
	const key = await drives();
	await driver.keyboard.up(key);
	await stands();
	const again = await drives();
	await driver.evaluate(() => window.dispatchEvent(new Event('blur')));
	await stands();
	await driver.keyboard.up(again);
	await drives();
	await driver.context().close(); // with the key held
	await stands();
});

test('a page that is opened later shows the way driven and what held the robot back before', async () => {
	await stands();
	const late = await open(browser, url);
	await late.locator('#events', { hasText: /emergency stop/i }).waitFor({ state: 'attached' });
	await until(async () => (await drawn('--trail', late, 0.75)) > 40, 'the way is drawn');
	await late.context().close();
});

test('a mission is given and its words are text, whoever wrote them', async () => {
	const driver = await open(browser, url, { token });
	const evil = '<img src=x onerror=alert(1)>\u202e';
	await driver.locator('#now-state', { hasText: /idle|finished/i }).waitFor();
	await driver.click('#stop');
	await driver.locator('#stop-answer[data-tone=bad]', { hasText: 'ended already' }).waitFor();
	cairn('zone', 'keepout <img/src=x/onerror=alert(2)> 40,40 41,40 41,41');
	await driver.fill('#goal', evil);
	await driver.click('#explore');
	await driver.locator('#steer-answer[data-tone=ok]').waitFor();
	await driver.locator('#mission-goal', { hasText: '<img src=x onerror=alert(1)>' }).waitFor();
	await driver.click('#tab-places');
	await driver.locator('#place-rows th', { hasText: '<img/src=x/onerror=alert(2)>' }).waitFor();
	assert.equal(await driver.locator('main img[src=x]').count(), 0);
	assert.deepEqual(driver.faults, []);
	await driver.context().close();
});

test('a decision can be opened and traced back', async () => {
	await page.locator('.card-open').first().click();
	await page.locator('#trace .steps li').nth(4).waitFor();
	assert.match(await text(page, '#trace'), /Saw\s+snapshot \d+[^]*Called\s+[a-z_]+[^]*Verdict/);
	await page.keyboard.press('Escape');
});

test('the page comes back by itself after web was killed', async () => {
	const pid = status().stages.items.find((s) => s.name === 'web').pid;
	process.kill(pid, 'SIGKILL');
	await page.locator('#lost').waitFor();
	await page.locator('#lost').waitFor({ state: 'hidden', timeout: 30000 });
	await page.locator('#map:not(.is-old)').waitFor();
});

test('axe-core finds nothing, and a phone needs no scrolling sideways', async () => {
	assert.deepEqual(await violations(page), []);
	const phone = await open(browser, url, { width: 360, height: 740, hasTouch: true, isMobile: true });
	for (const part of ['map', 'eye', 'list', 'gear']) {
		await phone.click(`[data-show=${part}]`);
		assert.ok((await phone.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)) <= 0, part);
	}
	assert.deepEqual(await violations(phone), []);
	await phone.context().close();
	assert.deepEqual(page.faults, []);
});
