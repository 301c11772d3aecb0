// The page by itself, against a server that plays a recorded run: every part shows what came, controls are acknowledged or
// refused where they were pressed, what a stranger wrote is text, and axe-core finds nothing.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, open, until, violations } from './browser.mjs';
import { Mock, sampleScene, sampleTask } from './mock_server.mjs';

const TOKEN = 'key-of-the-test';
let browser, mock;

before(async () => {
	browser = await launch();
	mock = await new Mock().start();
	mock.jump(45000);
});
after(async () => {
	await browser.close();
	await mock.stop();
});

// A page for one test, closed after it; whatever went wrong in it fails the test.
function pageTest(name, options, fn) {
	test(name, async () => {
		const page = await open(browser, mock.url, options);
		try {
			await fn(page);
			assert.deepEqual(page.faults, []);
		} finally {
			await page.context().close();
		}
	});
}

const text = (page, selector) => page.locator(selector).innerText();

pageTest('every part shows what came, and axe-core finds nothing', { token: TOKEN }, async (page) => {
	await page.locator('.card-open').first().waitFor();
	await until(async () => /%/.test(await text(page, '#coverage b')), 'the share that was seen');
	assert.match(await text(page, '#gauges'), /Heading\s+[NESW]{1,2} \d+°/);
	assert.match(await text(page, '#money b'), /USD of 1\.00/);
	assert.match(await text(page, '#mission-figures'), /Calls\s+\d+/);
	await until(() => page.locator('#camera-picture').evaluate((i) => i.naturalWidth > 0), 'the picture');
	assert.deepEqual(await violations(page), []);
	for (const [tab, pane, has] of [['stages', '#stage-rows', /motor\s*up/], ['places', '#place-rows', /opening\s*F\d+[^]*m² unknown/], ['house', '#house-rows', /red cup\s*kitchen; on table 1[^]*fridge\s*kitchen; open, not where it was/], ['safety', '#events', /./], ['logs', '#log', /tracking good/]]) {
		await page.click(`#tab-${tab}`);
		await until(async () => has.test(await text(page, pane)), `${tab} shows ${has}`);
		assert.deepEqual(await violations(page), [], tab);
	}
	await page.click('#map-layers');
	assert.equal(await page.locator('#layers button').count(), 14);
	assert.deepEqual(await violations(page), []);
});

pageTest('a thing is shown with the picture that shows it best, and can be driven to', { token: TOKEN }, async (page) => {
	await page.click('#tab-house');
	const row = page.locator('#house-rows tr', { hasText: 'red cup' });
	await row.locator('.thumb').click();
	await page.locator('#view dd', { hasText: 'kitchen' }).waitFor();
	const blue = () => page.locator('#view canvas').evaluate((c) => [...c.getContext('2d').getImageData(200, 180, 1, 1).data].slice(0, 3).join());
	await until(async () => (await blue()) === '108,182,255', 'the outline where the view says that it is');
	assert.match(await text(page, '#view'), /Relation\s+on table 1[^]*Size\s+0\.40 × 0\.40 × 0\.80 m/);
	assert.deepEqual(await violations(page), []);
	await page.keyboard.press('Escape');
	assert.equal(await page.locator('#house-rows tr', { hasText: 'fridge' }).locator('.thumb').isVisible(), false, 'without a picture there is none');
	await row.locator('button', { hasText: 'Go' }).click();
	await until(() => mock.commands.at(-1)?.name === 'goto', 'goto');
	assert.equal(mock.commands.at(-1).args, '1.10 0.50');
	mock.say('scene', { nodes: [], edges: [], objects: 0 });
	await page.locator('#house-none').waitFor();
	mock.say('scene', sampleScene());
	await row.waitFor();
});

/** What is written on canvases from now on, as window.written. */
const noteWriting = (page) => page.evaluate(() => {
	window.written = [];
	const draw = CanvasRenderingContext2D.prototype.fillText;
	CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
		window.written.push(text);
		draw.call(this, text, ...rest);
	};
});

pageTest('the goal of an exploration is on the map once its place is known', { token: TOKEN }, async (page) => {
	const mission = mock.latest.get('mission').message.data;
	const shown = async () => (await page.evaluate(() => window.written)).includes('goal: kitchen');
	await noteWriting(page);
	mock.say('mission', { ...mission, goal: 'find the kettle', goal_known: false, goal_place: '' });
	assert.equal(await shown(), false);
	await until(async () => {
		mock.say('mission', { ...mission, goal: 'find the kettle', goal_known: true, goal_place: 'kitchen', goal_x_m: 1.5, goal_y_m: 0.5 });
		return shown();
	}, 'the goal on the map');
	mock.say('mission', mission);
});

pageTest('a gap that is too narrow is on the map and in the table with its width and what it lacks', { token: TOKEN }, async (page) => {
	const opening = (id, x_m, gap_x_m) => ({ id, x_m, y_m: 2, goal_x_m: 1, goal_y_m: 0, distance_m: -1, width_m: 1, gain_m2: 2, detour_m: -1, kind: 'frontier', gap_m: 0.33, gap_x_m, gap_y_m: -0.45 });
	const frontiers = { items: [opening(1, 2, 1.2), opening(2, 4, 1.3)], blind: [], total: 2, reachable: 0, free_m2: 12, coverage: 0.5, needs_m: 0.4 };
	await noteWriting(page);
	assert.equal(await page.evaluate(async (f) => (await import('/narrow.js')).narrowGaps(f).length, frontiers), 1, 'two openings behind one gap');
	await page.click('#tab-places');
	await until(async () => {
		mock.say('frontiers', frontiers); // the recording plays on beside it
		return /F1[^]*behind a gap of 0\.33 m at 1\.20, -0\.45 m, 0\.07 m too narrow/.test(await text(page, '#place-rows'));
	}, 'the row');
	await until(async () => {
		mock.say('frontiers', frontiers);
		return (await page.evaluate(() => window.written)).includes('0.33 m, 0.07 m too narrow');
	}, 'the mark');
});

pageTest('a task is given in words, and its plan, cost, answer and evidence are shown', { token: TOKEN }, async (page) => {
	assert.equal(await page.isVisible('#task'), false, 'without a task there is no panel');
	await page.click('#give-task');
	await page.locator('#steer-answer', { hasText: 'Say in words' }).waitFor();
	await page.fill('#goal', 'Where is the "red" cup?');
	await page.click('#give-task');
	await until(() => mock.commands.at(-1)?.name === 'task', 'task');
	assert.equal(mock.commands.at(-1).args, 'Where is the "red" cup?');
	mock.say('agent', sampleTask());
	await page.locator('#task-step', { hasText: 'looks in the kitchen' }).waitFor();
	assert.match(await text(page, '#task-figures'), /Asked\s+9 times, 2 not paid again\s+Tokens\s+23k in, 812 out\s+Spent\s+0\.0120 USD/);
	await page.click('#task-plan summary');
	assert.match(await text(page, '#task-lines'), /1 find the cup\s+2 look at it/);
	assert.deepEqual(await violations(page), []);
	mock.say('agent', sampleTask({ state: 'failed', limit: 'usd', answer: 'one more query might exceed what a task may cost' }));
	await page.locator('#task-state[data-tone=bad]', { hasText: 'failed: usd' }).waitFor();
	mock.say('agent', sampleTask({ state: 'done', answer: 'On the table in the kitchen.', evidence: 'cup_3', confidence: 0.9 }));
	await page.locator('#task-answer', { hasText: 'On the table' }).waitFor();
	assert.equal(await page.isVisible('#task-step'), false);
	assert.deepEqual(await violations(page), []);
	await page.locator('#task-evidence .link', { hasText: 'cup 3' }).click();
	await page.locator('#view dd', { hasText: 'cup_3' }).waitFor();
	mock.say('agent', sampleTask({ task_id: '0' }));
	await page.locator('#task').waitFor({ state: 'hidden' });
});

pageTest('what is said to the robot and by it can be followed, and a sentence can be written', { token: TOKEN }, async (page) => {
	await page.click('#tab-voice');
	await page.fill('#tell', 'go to the "kitchen"');
	await page.keyboard.press('Enter');
	await until(() => mock.commands.at(-1)?.name === 'tell', 'tell');
	assert.equal(mock.commands.at(-1).args, 'go to the "kitchen"');
	await until(async () => (await page.inputValue('#tell')) === '', 'it was taken');
	mock.refuse.set('talk', 'nobody answers: listen does not run');
	await page.click('#talk');
	await page.locator('#tell-answer', { hasText: 'listen does not run' }).waitFor();
	mock.refuse.clear();
	mock.say('heard', { id: '1', words: 'go to the kitchen', confidence: 0.55, spotted: false, transcribed: false, intent: 'goto', place: 'kitchen', verdict: 'asked', command: '', reply: 'Shall I go to the kitchen?', latency_ms: 300 });
	mock.say('spoken', { id: '1', text: 'Shall I go to the kitchen?', urgency: 'answer', state: 'speaking', reason: '', waiting: 0 });
	await page.locator('#exchange li', { hasText: 'Shall I go' }).filter({ hasText: 'speaking' }).waitFor();
	mock.say('spoken', { id: '1', text: 'Shall I go to the kitchen?', urgency: 'answer', state: 'cut', reason: 'stop', waiting: 0 });
	await page.locator('#exchange li', { hasText: 'Shall I go' }).filter({ hasText: 'cut: stop' }).waitFor();
	assert.equal(await page.locator('#exchange li', { hasText: 'Shall I go' }).count(), 1, 'one line for each announcement');
	assert.match(await text(page, '#exchange'), /You\s*go to the kitchen\s*asked, 55 % sure/);
	assert.deepEqual(await violations(page), []);
});

pageTest('light colours pass axe-core, too, also with a sheet open', { colorScheme: 'light' }, async (page) => {
	await page.locator('.card-open').nth(1).click();
	await page.locator('#trace .steps li').nth(5).waitFor();
	assert.match(await text(page, '#trace'), /Verdict[^]*Became/);
	assert.deepEqual(await violations(page), []);
	await page.keyboard.press('Escape');
	for (const sheet of ['help', 'key']) {
		await page.click(`#open-${sheet}`);
		assert.deepEqual(await violations(page), [], sheet);
		await page.keyboard.press('Escape');
	}
});

pageTest('without the right a control says what is missing, where it was pressed', {}, async (page) => {
	const sent = mock.commands.length;
	assert.equal(await page.getAttribute('#explore', 'aria-disabled'), 'true');
	await page.click('#explore', { force: true });
	assert.match(await text(page, '#steer-answer'), /cairn web-key/);
	await page.click('#map-canvas', { position: { x: 300, y: 250 } });
	await page.locator('#popover button', { hasText: 'Go there' }).click({ force: true });
	assert.match(await text(page, '#popover .answer'), /cairn web-key/);
	assert.equal(mock.commands.length, sent, 'nothing was sent');
});

pageTest('a wrong key is refused in its place, the right one opens the controls', {}, async (page) => {
	await page.click('#open-key');
	await page.fill('#key-token', 'wrong');
	await page.click('#key-form [type=submit]');
	await page.locator('#key-answer[data-tone=bad]').waitFor();
	await page.fill('#key-token', TOKEN);
	await page.click('#key-form [type=submit]');
	await until(() => page.evaluate(() => !document.querySelector('#explore').hasAttribute('aria-disabled')), 'the right to drive');
	page.faults = [];
});

pageTest('commands are those of the command line, and a refusal shows where it was pressed', { token: TOKEN }, async (page) => {
	assert.ok(!page.url().includes(TOKEN), 'the key does not stay in the address');
	await page.fill('#goal', 'find the "red" door');
	await page.click('#explore');
	await until(() => mock.commands.at(-1)?.name === 'explore', 'explore');
	assert.equal(mock.commands.at(-1).args, '--goal "find the "red" door"');
	await page.locator('#steer-answer[data-tone=ok]').waitFor();
	mock.refuse.set('home', 'refused: no way to the start is known');
	await page.click('#home');
	await page.locator('#steer-answer', { hasText: 'no way to the start is known' }).waitFor();
	mock.refuse.clear();
	await page.click('#map-canvas', { position: { x: 300, y: 250 } });
	await page.locator('#popover button', { hasText: 'Go there' }).click();
	await until(() => mock.commands.at(-1)?.name === 'goto', 'goto');
	assert.match(mock.commands.at(-1).args, /^-?\d+\.\d\d -?\d+\.\d\d$/);
	await page.click('#tab-stages');
	await page.locator('#stage-rows button[aria-label="Restart mapper"]').click();
	await until(() => mock.commands.at(-1)?.name === 'restart', 'restart');
	assert.equal(mock.commands.at(-1).args, 'mapper');
});

pageTest('rooms of the graph stand on the map and among the places, and those that the model alone has named', { token: TOKEN }, async (page) => {
	await page.evaluate(() => {
		window.drawn = new Map();
		const draw = CanvasRenderingContext2D.prototype.fillText;
		CanvasRenderingContext2D.prototype.fillText = function (text, ...at) {
			window.drawn.set(text, this.font);
			return draw.call(this, text, ...at);
		};
	});
	const hall = { ...sampleScene().nodes[0], id: 'room_2', label: '', x_m: 3, area_m2: 4 };
	mock.say('rooms', { items: [{ name: 'kitchen', x_m: 1.2, y_m: 0 }, { name: 'pantry', x_m: -1, y_m: 1 }] });
	mock.say('scene', { ...sampleScene(), nodes: [...sampleScene().nodes, hall] });
	const font = (name) => page.evaluate((n) => window.drawn.get(n), name);
	for (const [name, bold] of [['kitchen', true], ['pantry', true], ['room 2', false]])
		await until(async () => (await font(name))?.startsWith('600') === bold, `${name} on the map`);
	await page.click('#tab-places');
	for (const name of ['kitchen', 'pantry', 'room 2'])
		await page.locator(`#place-rows tr[data-key="room/${name}"]`).waitFor();
	assert.equal(await page.locator('#place-rows tr[data-key="room/kitchen"]').count(), 1, 'a room that both know stands there once');
	mock.say('rooms', { items: [] });
	mock.say('scene', sampleScene());
});

pageTest('no name on the map stands over another, and each stays where it was while others come', { token: TOKEN }, async (page) => {
	await page.evaluate(() => { // the grounds of the names of each picture: text -> rectangle
		const canvas = CanvasRenderingContext2D.prototype, { fillRect, roundRect, fillText } = canvas;
		let rect;
		window.names = new Map();
		canvas.fillRect = function (x, y, w, h) {
			if (this.canvas.id === 'map-canvas' && x === 0 && y === 0 && w > 100)
				window.names = new Map();
			return fillRect.call(this, x, y, w, h);
		};
		canvas.roundRect = function (...r) {
			rect = r;
			return roundRect.call(this, ...r);
		};
		canvas.fillText = function (text, ...at) {
			if (this.canvas.id === 'map-canvas')
				window.names.set(text, rect.slice(0, 4));
			return fillText.call(this, text, ...at);
		};
	});
	await page.click('#map-in'); // a view that a person has chosen stays
	await page.click('#map-layers');
	for (const moving of ['robot', 'frontiers', 'candidates', 'discoveries'])
		await page.click(`#layers button[data-layer=${moving}]`);
	const scene = sampleScene(), [kitchen, cup] = scene.nodes;
	const things = Array.from({ length: 30 }, (_, i) => ({ ...cup, id: `thing_${i}`, label: `thing number ${i}`, x_m: kitchen.x_m + 0.15 * (i % 6), y_m: kitchen.y_m + 0.12 * Math.floor(i / 6), seen: 100 - i }));
	const row = Array.from({ length: 80 }, (_, i) => ({ ...cup, id: `row_${i}`, label: `in a row ${i}`, x_m: kitchen.x_m - 12 + 0.3 * i, y_m: kitchen.y_m + 2, seen: 1 })); // to both edges and beyond
	const shown = () => page.evaluate(() => [...window.names]);
	const { width, height } = await page.locator('#map-canvas').boundingBox();
	const apart = ([, [ax, ay, aw, ah]], [, [bx, by, bw, bh]]) => ax + aw <= bx || bx + bw <= ax || ay + ah <= by || by + bh <= ay;
	const speed = mock.speed;
	mock.speed = 0; // nothing else comes meanwhile
	let last = '';
	const settled = (pattern, what) => until(async () => {
		const all = await shown(), before = last;
		last = JSON.stringify(all);
		return last === before && all.some(([text]) => pattern.test(text)) && all;
	}, what);
	try {
		mock.say('scene', { ...scene, nodes: [kitchen, ...things.slice(0, 12)] });
		const some = await settled(/^thing number 0$/, 'names of things');
		assert.ok(some.some(([text]) => text === 'kitchen'), 'a room comes before its things');
		mock.say('scene', { ...scene, nodes: [kitchen, ...things.slice(12).map((t) => ({ ...t, seen: 200 })), ...things.slice(0, 12), ...row] });
		const more = await settled(/^thing number (1[2-9]|2\d)$/, 'names of more things');
		for (const names of [some, more])
			for (let i = 0; i < names.length; i++)
				for (let k = 0; k < i; k++)
					assert.ok(apart(names[i], names[k]), `${names[i]} over ${names[k]}`);
		for (const [text, [x, y, w, h]] of more)
			assert.ok(x >= 0 && y >= 0 && x + w <= width && y + h <= height, `${text} is cut off`);
		const kept = new Map(more), steady = some.filter(([text]) => /^(kitchen|thing)/.test(text));
		assert.ok(steady.length > 3);
		for (const [text, [x, y]] of steady)
			assert.deepEqual(kept.get(text)?.slice(0, 2).map(Math.round), [x, y].map(Math.round), `${text} has moved`);
	} finally {
		mock.speed = speed;
		mock.say('scene', sampleScene());
	}
});

pageTest('any number can be plotted over time, six at most', { token: TOKEN }, async (page) => {
	const answer = () => text(page, '#plot-answer');
	await page.selectOption('#plot-topic', 'pose');
	await page.locator('#plot-field option[value=x_m]').waitFor({ state: 'attached' });
	for (const field of ['x_m', 'y_m', 'yaw_rad']) {
		await page.selectOption('#plot-field', field);
		await page.click('#plot-add');
	}
	assert.equal(await page.locator('.plot').count(), 6);
	await page.click('#plot-add');
	await until(async () => /6 plots at most/.test(await answer()), 'the seventh is refused');
	const x = page.locator('.plot', { hasText: 'pose.x_m' });
	await until(async () => /\d/.test(await x.locator('b').innerText()), 'its value');
	const inked = () => x.locator('canvas').evaluate((c) => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some((v, i) => i % 4 === 3 && v > 0));
	await until(inked, 'a line');
	await x.locator('button').click();
	assert.equal(await page.locator('.plot').count(), 5);
	assert.deepEqual(await violations(page), []);
});

pageTest('a mission is paused and resumed', { token: TOKEN }, async (page) => {
	const mission = mock.latest.get('mission').message.data;
	clearInterval(mock.timer);
	mock.say('mission', { ...mission, state: 'exploring' });
	await page.click('#pause');
	await until(() => mock.commands.at(-1)?.name === 'pause', 'pause');
	mock.say('mission', { ...mission, state: 'paused' });
	await page.click('#resume');
	await until(() => mock.commands.at(-1)?.name === 'resume', 'resume');
	mock.say('mission', mission);
	mock.timer = setInterval(() => mock.play(), 20);
});

pageTest('a finger on the stick drives, and stops when it is lifted or taken away', { token: TOKEN, width: 360, height: 740, hasTouch: true, isMobile: true }, async (page) => {
	await page.click('[data-show=map]');
	const stick = page.locator('#stick');
	await stick.evaluate((e) => e.scrollIntoView({ block: 'center' })); // clear of the bar with the stops
	const box = await stick.boundingBox(), debug = await page.context().newCDPSession(page);
	const touch = (type, x, y) => debug.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' || type === 'touchCancel' ? [] : [{ x, y }] });
	const [mx, my] = [box.x + box.width / 2, box.y + box.height / 2];
	for (const end of ['touchEnd', 'touchCancel']) {
		mock.teleop = [];
		await touch('touchStart', mx, my);
		await touch('touchMove', mx, box.y + 6);
		await until(() => mock.teleop.some((t) => t.v_mps > 0), `ahead (${end})`);
		await touch(end);
		await until(() => mock.teleop.at(-1).v_mps === 0, `${end} lets go`);
	}
});

pageTest('a zone is drawn by its corners', { token: TOKEN }, async (page) => {
	await page.click('#map-zone');
	for (const [x, y] of [[420, 120], [520, 120], [520, 220]])
		await page.click('#map-canvas', { position: { x, y } });
	await page.selectOption('#zone-kind', 'slowdown');
	await page.fill('#zone-name', 'rug by the door');
	await page.locator('#popover [type=submit]').click();
	await until(() => mock.commands.at(-1)?.name === 'zone', 'zone');
	assert.match(mock.commands.at(-1).args, /^slowdown rug_by_the_door( -?\d+\.\d\d,-?\d+\.\d\d){3}$/);
});

pageTest('the space bar stops from anywhere but a text field, and release takes two steps', {}, async (page) => {
	const stops = () => mock.commands.filter((c) => c.name === 'estop').length;
	await page.click('#goal');
	await page.keyboard.type('a b');
	assert.equal(await page.inputValue('#goal'), 'a b');
	assert.equal(stops(), 0, 'typing stops nothing');
	await page.focus('#theme');
	await page.keyboard.press('Space');
	await page.locator('#held').waitFor();
	assert.ok(stops() > 0);
	assert.equal(await page.evaluate(() => localStorage.getItem('cairn.colours')), null, 'the button with the focus was not pressed');
	assert.deepEqual(await violations(page), []);
	await page.click('#release', { force: true });
	assert.match(await text(page, '#release-answer'), /cairn web-key/);
	mock.obey([...mock.tokens[TOKEN]], 'release', '');
	await page.locator('#held').waitFor({ state: 'hidden' });
	const driver = await open(browser, mock.url, { token: TOKEN });
	await driver.click('#estop');
	await driver.locator('#held').waitFor();
	const released = () => mock.commands.filter((c) => c.name === 'release').length, before = released();
	await driver.click('#release');
	assert.equal(released(), before, 'one step releases nothing');
	await driver.click('#release-sure');
	await driver.locator('#held').waitFor({ state: 'hidden' });
	await driver.context().close();
});

pageTest('an emergency stop without an answer says so', {}, async (page) => {
	mock.silent = true;
	await page.click('#estop');
	await page.locator('#stop-answer', { hasText: 'NOT CONFIRMED' }).waitFor();
	mock.silent = false;
});

pageTest('driving by hand is sent while a key is held, and ends with the key, the focus and the stop', { token: TOKEN }, async (page) => {
	const let_go = async (how, what) => {
		mock.teleop = [];
		await page.keyboard.down('KeyW');
		await until(() => mock.teleop.length >= 3, 'words while the key is held');
		assert.ok(mock.teleop.every((t) => t.v_mps > 0 && t.v_mps <= 0.3));
		await how();
		await until(() => mock.teleop.at(-1).v_mps === 0, `${what} lets go`);
		const n = mock.teleop.length;
		await new Promise((resolve) => setTimeout(resolve, 400));
		assert.equal(mock.teleop.length, n, `${what}: nothing is sent after it`);
		await page.keyboard.up('KeyW');
	};
	mock.teleop = [];
	await page.keyboard.press('KeyW');
	assert.equal(mock.teleop.length, 0, 'nothing is driven before it is switched on');
	await page.click('#hand');
	await let_go(() => page.keyboard.up('KeyW'), 'the key');
	await let_go(() => page.evaluate(() => window.dispatchEvent(new Event('blur'))), 'the focus');
	const box = await page.locator('#stick').boundingBox();
	mock.teleop = [];
	await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width * 0.2, box.y + 6, { steps: 3 });
	await until(() => mock.teleop.some((t) => t.v_mps > 0 && t.steer_rad > 0), 'ahead and left by the stick');
	await page.mouse.up();
	await until(() => mock.teleop.at(-1).v_mps === 0, 'the stick lets go');
	await let_go(() => (clearInterval(mock.timer), undefined), 'a server that says nothing');
	assert.match(await text(page, '#hand-answer'), /hangs/);
	mock.say('mission', { ...mock.latest.get('mission').message.data, activity: 'talks again' });
	await until(async () => (await text(page, '#now-activity')) === 'talks again', 'it is heard again');
	mock.timer = setInterval(() => mock.play(), 20);
	await page.click('#hand');
	await let_go(() => page.keyboard.press('Space'), 'the stop');
	mock.obey(['drive'], 'release', '');
	mock.teleop = [];
	await page.keyboard.press('KeyW');
	assert.equal(mock.teleop.length, 0, 'after a stop it is off');
});

pageTest('what strangers wrote is shown as text, with what hides made visible', { token: TOKEN }, async (page) => {
	const evil = '<img src=x onerror="alert(1)"><script>alert(2)</script>';
	mock.decisions = [{ id: 77, t: 1, what: `navigate_to_goal ${evil}`, by: 'model', reasoning: `safe\u202eevil\u0007 ${evil}`, trigger: evil, snapshot: { id: 1, x_m: 0, y_m: 0, yaw_rad: 0 }, provider: evil, model: evil, latency_s: 1,
		prompt: { context: evil }, result: { outcome: 'refused', reason: evil, executed: evil, suggestion: evil } }];
	mock.lines = [{ t: '2026-01-01T00:00:00Z', stage: evil, level: 'warn', text: `\u001b[2J${evil}\u2066` }];
	mock.say('rooms', { items: [{ name: `${evil}\u202e`, x_m: 1, y_m: 0 }] });
	mock.say('discoveries', { items: [{ id: '1', kind: 'object', label: evil, notes: evil, room: evil, x_m: 0, y_m: 0, unix_s: 0, snapshot_id: '0', picture: '' }] });
	mock.say('scene', { nodes: [{ ...sampleScene().nodes[1], label: evil, colour: evil, state: evil, room: evil, source: evil }], edges: [{ src: 'cup_3', relation: 'on', dst: evil }], objects: 1 });
	mock.say('heard', { id: '2', words: evil, confidence: 1, transcribed: true, verdict: 'done', command: evil, reply: evil });
	mock.say('spoken', { id: '2', text: evil, urgency: 'news', state: 'left_out', reason: evil });
	mock.say('agent', sampleTask({ task: evil, state: 'done', step: evil, answer: evil, evidence: evil, plan: [{ text: evil }] }));
	mock.say('zones', { items: [{ id: 1, kind: 'keepout', name: evil, author: 'operator', corners: [{ x_m: 0, y_m: 0 }, { x_m: 1, y_m: 0 }, { x_m: 1, y_m: 1 }] }] });
	mock.say('mission', { ...mock.latest.get('mission').message.data, goal: evil, activity: evil, help: evil });
	await page.reload();
	await page.locator('.card-open', { hasText: 'alert(1)' }).waitFor();
	assert.match(await page.locator('.card .said', { hasText: 'safe' }).innerText(), /safe‹U\+202E›evil‹U\+0007›/);
	for (const tab of ['places', 'house', 'logs'])
		await page.click(`#tab-${tab}`);
	await page.locator('#log', { hasText: '‹U+001B›[2J<img' }).waitFor();
	await page.locator('.card-open', { hasText: 'alert(1)' }).click();
	await page.locator('#trace .steps').waitFor();
	assert.equal(await page.locator('img[src=x], body script, main script').count(), 0);
	mock.decisions = mock.lines = undefined;
	mock.say('scene', sampleScene());
	mock.say('agent', sampleTask({ task_id: '0' }));
	mock.jump(45000);
});

test('a robot that asks for help is shown, and said aloud once', async () => {
	const own = await new Mock().start();
	const page = await open(browser, own.url, {});
	try {
		own.jump(30000);
		await page.locator('#map:not(.is-old)').waitFor();
		clearInterval(own.timer); // what is said below is the last word of the mission
		await page.evaluate(() => {
			window.said = [];
			window.speechSynthesis.speak = (u) => window.said.push(u.text);
		});
		const mission = own.latest.get('mission').message.data;
		for (const activity of ['standing', 'standing still']) {
			own.say('mission', { ...mission, activity, help: 'the door is shut' });
			await page.locator('#now-activity', { hasText: activity }).waitFor();
		}
		assert.equal(await text(page, '#asks'), 'The robot asks for help: the door is shut');
		assert.deepEqual(await page.evaluate(() => window.said), ['The robot asks for help: the door is shut']);
		own.say('motion', { ...own.latest.get('motion').message.data, state: 'contradiction', reason: 'mirrored', waits_release: true });
		own.say('signal', { signal: 'waits_for_person', reason: 'mirrored', calls: true, rgb: 0xffff00 });
		own.say('mission', { ...mission, activity: 'standing', help: '' });
		await page.locator('#asks', { hasText: 'The robot waits for a person to release it: mirrored' }).waitFor();
		await page.locator('#mission-figures', { hasText: 'Signalwaits for person' }).waitFor();
		assert.deepEqual(await page.evaluate(() => window.said.slice(1)), ['The robot waits for a person']);
		assert.deepEqual(page.faults, []);
	} finally {
		await page.context().close();
		await own.stop();
	}
});

test('a lost connection is said, the data turn grey with their age, and the page comes back by itself', async () => {
	let own = await new Mock().start();
	const page = await open(browser, own.url, {});
	try {
		own.jump(30000);
		await page.locator('#map:not(.is-old)').waitFor();
		await own.stop();
		await page.locator('#lost').waitFor();
		assert.match(await text(page, '#lost'), /Connection lost/);
		await page.locator('#map.is-old').waitFor();
		await until(async () => /\d+ s old/.test(await text(page, '#map-age')), 'the age');
		await page.keyboard.press('Space');
		await page.locator('#stop-answer', { hasText: 'NOT CONFIRMED' }).waitFor();
		own = await new Mock().start(own.port);
		own.jump(30000);
		await page.locator('#lost').waitFor({ state: 'hidden' });
		await page.locator('#map:not(.is-old)').waitFor();
		assert.deepEqual(page.faults, []);
	} finally {
		await page.context().close();
		await own.stop();
	}
});

pageTest('nothing is sent while nobody looks', {}, async (page) => {
	const wanted = () => [...mock.clients].reduce((n, c) => n + c.wanted.size, 0);
	await until(() => wanted() > 5, 'subscriptions');
	await page.evaluate(() => {
		Object.defineProperty(document, 'hidden', { value: true, configurable: true });
		document.dispatchEvent(new Event('visibilitychange'));
	});
	await until(() => wanted() === 0, 'no subscription is left');
	await page.evaluate(() => {
		Object.defineProperty(document, 'hidden', { value: false, configurable: true });
		document.dispatchEvent(new Event('visibilitychange'));
	});
	await until(() => wanted() > 5, 'and all are back');
});

pageTest('a phone shows every part without scrolling sideways, with the stops in reach', { token: TOKEN, width: 360, height: 740, hasTouch: true, isMobile: true }, async (page) => {
	for (const part of ['map', 'eye', 'list', 'gear']) {
		await page.click(`[data-show=${part}]`);
		assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)) <= 0, part);
		const stop = await page.locator('#estop').boundingBox();
		assert.ok(stop.y + stop.height <= 740 && stop.width >= 160 && stop.height >= 44, `${part}: ${JSON.stringify(stop)}`);
		assert.deepEqual(await violations(page), [], part);
	}
	await page.click('[data-show=list]');
	await page.locator('.card-open').first().click();
	await page.locator('#trace .steps').waitFor();
	await page.locator('#estop').click({ trial: true }); // not covered by the sheet
	assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)) <= 0);
});
