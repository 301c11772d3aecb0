// Stop, emergency stop (button, or space bar from anywhere but a text field) and its release in two steps.
import { byId, setText } from './text.js';
import { ask, show } from './rights.js';

const SURE_MS = 6000; // the second step of the release is offered this long

const types = (node) => node instanceof Element && node.closest('input:not([type=range]), textarea, select, [contenteditable]') !== null;

export class Stops {
	constructor(link, store) {
		this.link = link;
		this.store = store;
		this.out = byId('stop-answer');
		byId('estop').addEventListener('click', () => this.emergency('page'));
		byId('stop').addEventListener('click', () => this.stop());
		// Before everything else: a button that has the focus must not take the space bar for itself.
		for (const type of ['keydown', 'keyup'])
			window.addEventListener(type, (e) => this.onSpace(e), true);
		byId('release').addEventListener('click', () => this.offerRelease());
		byId('release-sure').addEventListener('click', (e) => this.release(e.currentTarget));
		store.watch(['motion'], () => this.draw());
		link.addEventListener('state', () => this.draw());
	}

	onSpace(e) {
		if (e.code !== 'Space' || types(e.target))
			return;
		e.preventDefault();
		e.stopImmediatePropagation();
		if (e.type === 'keydown' && !e.repeat)
			this.emergency('space bar of the page');
	}

	async emergency(by) {
		window.dispatchEvent(new Event('cairn-let-go')); // nobody drives by hand from here on
		byId('estop').classList.add('pressed');
		show(this.out, { ok: true, text: 'stopping\u2026' });
		const answer = await this.link.emergencyStop(by);
		byId('estop').classList.remove('pressed');
		show(this.out, answer.ok ? answer : { ok: false, text: `NOT CONFIRMED: ${answer.text}. Use the switch on the robot.` });
	}

	async stop() {
		window.dispatchEvent(new Event('cairn-let-go'));
		const answer = await this.link.stop();
		show(this.out, answer.lost ? { ok: false, text: `NOT CONFIRMED: ${answer.text}` } : answer);
	}

	offerRelease() {
		const sure = byId('release-sure');
		sure.hidden = false;
		sure.focus();
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.withdraw(), SURE_MS);
	}

	withdraw() {
		const sure = byId('release-sure'), focused = document.activeElement === sure;
		sure.hidden = true;
		if (focused)
			byId('release').focus();
	}

	async release(control) {
		clearTimeout(this.timer);
		await ask(this.link, control, 'release');
		this.withdraw();
	}

	draw() {
		const motion = this.store.data('motion');
		const held = motion?.state === 'estop';
		byId('held').hidden = !held;
		document.body.classList.toggle('is-held', held);
		byId('estop').classList.toggle('held', held && this.store.fresh('motion'));
		if (held)
			setText(byId('held-why'), motion.reason);
		else
			this.withdraw();
	}
}
