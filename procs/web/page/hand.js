// Driving by hand, with a dead man: only what is held is driven. Letting go, leaving the page or a lost connection stops.
import { byId, setText } from './text.js';
import { answerAt, show } from './rights.js';

const PERIOD_MS = 100; // the robot stops by itself after 0.3 s without a word
const DEAF_MS = 1000;  // nothing was heard of the robot for so long: what is sent now may arrive late, all at once
const KEYS = { KeyW: [1, 0], ArrowUp: [1, 0], KeyS: [-1, 0], ArrowDown: [-1, 0], KeyA: [0, 1], ArrowLeft: [0, 1], KeyD: [0, -1], ArrowRight: [0, -1] };

export class Hand {
	on = false;
	held = new Set(); // keys
	pull = null; // the stick: [forward, left], each -1..1

	constructor(link, rights) {
		this.link = link;
		this.rights = rights;
		this.button = byId('hand');
		this.stick = byId('stick');
		this.steerMax = 0.4;
		this.button.addEventListener('click', () => this.arm(!this.on));
		byId('hand-speed').addEventListener('input', () => this.drawSpeed());
		window.addEventListener('keydown', (e) => this.onKey(e));
		window.addEventListener('keyup', (e) => this.onKeyUp(e));
		window.addEventListener('blur', () => this.letGo());
		window.addEventListener('cairn-let-go', () => this.arm(false));
		document.addEventListener('visibilitychange', () => document.hidden && this.arm(false));
		window.addEventListener('pagehide', () => this.arm(false));
		this.stick.addEventListener('pointerdown', (e) => this.onStick(e));
		this.stick.addEventListener('pointermove', (e) => this.stick.hasPointerCapture(e.pointerId) && this.aim(e));
		for (const type of ['pointerup', 'pointercancel', 'lostpointercapture'])
			this.stick.addEventListener(type, () => this.letGo());
		this.stick.addEventListener('contextmenu', (e) => e.preventDefault());
		link.addEventListener('state', (e) => e.detail.state !== 'open' && this.arm(false));
		link.addEventListener('fault', (e) => this.onFault(e.detail));
		link.addEventListener('hello', (e) => this.takeHello(e.detail));
	}

	takeHello({ robot, rights }) {
		if (!(rights ?? []).includes('drive'))
			this.arm(false);
		if (robot?.wheelbase_m > 0 && robot?.turn_radius_min_m > 0)
			this.steerMax = Math.atan(robot.wheelbase_m / robot.turn_radius_min_m);
		if (robot?.speed_max_mps > 0)
			byId('hand-speed').max = String(Math.min(0.5, robot.speed_max_mps));
		this.drawSpeed();
	}

	arm(on) {
		if (!on)
			this.letGo();
		if (this.on === on)
			return;
		this.on = on;
		this.button.setAttribute('aria-pressed', String(on));
		document.body.classList.toggle('is-hand', on);
		show(byId('hand-answer'), { ok: true, text: on ? 'You drive while you hold a key or the stick' : 'Driving by hand is off' });
	}

	onKey(e) {
		if (!this.on || !(e.code in KEYS) || e.ctrlKey || e.metaKey || e.altKey || e.shiftKey)
			return;
		if (e.target instanceof Element && e.target.closest('input:not([type=range]), textarea, select'))
			return;
		e.preventDefault();
		this.held.add(e.code);
		this.drive();
	}

	onKeyUp(e) {
		if (this.held.delete(e.code))
			this.held.size === 0 && !this.pull ? this.letGo() : this.drive();
	}

	onStick(e) {
		if (!this.rights.may('drive'))
			return answerAt(this.stick, { ok: false, text: this.rights.lacking('drive') });
		this.arm(true);
		this.stick.setPointerCapture(e.pointerId);
		this.aim(e);
	}

	aim(e) {
		const box = this.stick.getBoundingClientRect(), reach = box.width / 2;
		let x = (e.clientX - box.left - reach) / reach, y = (e.clientY - box.top - reach) / reach;
		const far = Math.hypot(x, y);
		if (far > 1)
			[x, y] = [x / far, y / far];
		const knob = this.stick.firstElementChild;
		knob.style.setProperty('transform', `translate(${x * reach * 0.62}px, ${y * reach * 0.62}px)`);
		const dead = (v) => (Math.abs(v) < 0.12 ? 0 : v);
		this.pull = [dead(-y), dead(-x)];
		this.drive();
	}

	drive() {
		this.timer ??= setInterval(() => this.say(), PERIOD_MS);
		this.stick.classList.add('held');
		this.say();
	}

	say() {
		if (performance.now() - this.link.heard > DEAF_MS) {
			this.arm(false);
			return show(byId('hand-answer'), { ok: false, text: 'the connection hangs: let go' });
		}
		let [ahead, left] = this.pull ?? [0, 0];
		for (const code of this.held) {
			ahead += KEYS[code][0];
			left += KEYS[code][1];
		}
		const clamp = (v) => Math.max(-1, Math.min(1, v));
		const v = clamp(ahead) * Number(byId('hand-speed').value);
		if (!this.link.send({ op: 'teleop', v_mps: v, steer_rad: clamp(left) * this.steerMax }))
			this.letGo();
	}

	letGo() {
		this.held.clear();
		this.pull = null;
		this.stick.classList.remove('held');
		this.stick.firstElementChild.style.setProperty('transform', 'none');
		if (!this.timer)
			return;
		clearInterval(this.timer);
		this.timer = null;
		this.link.send({ op: 'teleop', v_mps: 0, steer_rad: 0 });
	}

	// What is driven by hand is not answered one by one; a refusal comes as a fault that names it.
	onFault(text) {
		if (!text.startsWith('teleop'))
			return;
		this.arm(false);
		show(byId('hand-answer'), { ok: false, text });
	}

	drawSpeed() {
		setText(byId('hand-speed-text'), `${Number(byId('hand-speed').value).toFixed(2)} m/s`);
	}
}
