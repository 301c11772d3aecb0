// What the tests of the page share: a browser, the check of accessibility, waiting for a condition.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-headless-shell', '/usr/bin/google-chrome'];
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export async function launch() {
	const executablePath = process.env.CAIRN_CHROMIUM ?? PROGRAMS.find((p) => existsSync(p));
	return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

// A page of the browser that remembers what went wrong in it. Requests to anywhere but the server are such a thing.
export async function open(browser, url, { token, width = 1440, height = 900, ...more } = {}) {
	const context = await browser.newContext({ viewport: { width, height }, colorScheme: 'dark', ...more });
	const page = await context.newPage();
	page.setDefaultTimeout(15000);
	page.faults = [];
	page.on('pageerror', (e) => page.faults.push(`error: ${e.message}`));
	page.on('console', (m) => m.type() === 'error' && !/Failed to load resource|WebSocket connection/.test(m.text()) && page.faults.push(`console: ${m.text()}`));
	page.on('request', (r) => !r.url().startsWith(url) && !/^(data|blob):/.test(r.url()) && page.faults.push(`request to ${r.url()}`));
	page.on('dialog', (d) => (page.faults.push(`dialog: ${d.message()}`), d.dismiss()));
	await page.goto(token ? `${url}#token=${token}` : url);
	await page.locator('#link-text', { hasText: 'live' }).waitFor({ state: 'attached' });
	return page;
}

// All that axe-core finds wrong, one line a rule. The policy of the page allows no scripts but its own: axe comes in by the debugger.
export async function violations(page) {
	await page.evaluate(axeSource);
	const found = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
	return found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(' ')).slice(0, 3).join(', ')}`);
}

export async function until(fn, what, ms = 10000) {
	const end = Date.now() + ms;
	for (;;) {
		const value = await fn();
		if (value)
			return value;
		if (Date.now() > end)
			throw new Error(`not within ${ms} ms: ${what}`);
		await new Promise((resolve) => setTimeout(resolve, 30));
	}
}
