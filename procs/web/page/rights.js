// Who this page is to the robot: rights, key, and what a control without its right says.
import { byId, el, setText } from './text.js';
import { openSheet } from './sheets.js';

// What each right is for, in the order of what it allows.
const RIGHTS = { watch: 'watch', drive: 'drive the robot', configure: 'draw zones and restart stages' };

// What gives a key with this right; the higher one brings the lower.
const keyCommand = (right) => `cairn web-key NAME --rights ${right === 'configure' ? 'watch,drive,configure' : 'watch,drive'}`;

export class Rights {
	have = new Set();

	constructor(link) {
		this.link = link;
		link.addEventListener('hello', (e) => this.take(e.detail.rights ?? [], e.detail.name));
		byId('open-key').addEventListener('click', () => this.open());
		byId('key-form').addEventListener('submit', (e) => {
			e.preventDefault();
			this.login(byId('key-token').value.trim());
		});
		byId('key-out').addEventListener('click', () => this.logout());
		// A control without its right stays in reach, so that it can say why it does nothing.
		document.addEventListener('click', (e) => this.refuse(e), true);
	}

	may(right) {
		return this.have.has(right);
	}

	lacking(right) {
		return `This needs the right to ${RIGHTS[right] ?? right}. Run '${keyCommand(right)}' on the robot and open the address it prints.`;
	}

	take(rights, name = '') {
		this.have = new Set(rights);
		for (const control of document.querySelectorAll('[data-right]'))
			this.mark(control);
		const more = Object.keys(RIGHTS).filter((r) => r !== 'watch' && !this.may(r));
		const has = Object.keys(RIGHTS).filter((r) => this.may(r)).map((r) => RIGHTS[r]);
		setText(byId('rights-text'), this.may('drive') ? '' : 'watching only');
		setText(byId('key-have'), has.length > 0 ? `This page${name ? ` (key ${name})` : ''} may ${has.join(', ')}, and stop the robot.` : 'This page may stop the robot, and nothing else.');
		const lack = byId('lack');
		lack.hidden = this.may('drive');
		lack.replaceChildren('You may watch and stop. To ', RIGHTS[more[0]] ?? 'do more', ', run ', el('code', {}, keyCommand('drive')), ' on the robot and open the address it prints, or ',
			el('button', { type: 'button', class: 'link', onclick: () => this.open() }, 'enter a key'), '.');
	}

	// Also for controls that are made later.
	mark(control) {
		const ok = this.may(control.dataset.right);
		control.toggleAttribute('data-lacking', !ok);
		ok ? control.removeAttribute('aria-disabled') : control.setAttribute('aria-disabled', 'true');
		if (control.dataset.title === undefined)
			control.dataset.title = control.title;
		control.title = ok ? control.dataset.title : this.lacking(control.dataset.right);
		return control;
	}

	refuse(e) {
		const control = e.target.closest?.('[data-lacking]');
		if (!control)
			return;
		e.preventDefault();
		e.stopImmediatePropagation();
		answerAt(control, { ok: false, text: this.lacking(control.dataset.right) });
	}

	open() {
		openSheet(byId('key'));
	}

	// The key of an address like http://robot:8088/#token=...; it does not stay there.
	async fromAddress() {
		const token = new URLSearchParams(location.hash.slice(1)).get('token');
		if (!token)
			return;
		history.replaceState(null, '', location.pathname + location.search);
		await this.login(token, true);
	}

	async login(token, quiet = false) {
		const out = byId('key-answer');
		try {
			const r = await fetch('/api/login', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ token }) });
			const body = await r.json().catch(() => ({}));
			if (!r.ok)
				throw new Error(body.error ?? `refused (${r.status})`);
			byId('key-token').value = '';
			show(out, { ok: true, text: `the key holds: ${(body.rights ?? []).join(', ')}` });
			this.take(body.rights ?? []);
			if (this.link.socket)
				this.link.reconnect();
			if (!quiet)
				byId('key').close();
		} catch (e) {
			show(out, { ok: false, text: e.message });
			if (quiet)
				openSheet(byId('key'));
		}
	}

	async logout() {
		await fetch('/api/logout', { method: 'POST' }).catch(() => undefined);
		show(byId('key-answer'), { ok: true, text: 'forgotten' });
		this.link.reconnect();
	}
}

// Shows an answer in its place; a good one goes by itself, a refusal stays until the next.
export function show(out, answer) {
	clearTimeout(out.timer);
	setText(out, answer.text || (answer.ok ? 'done' : 'refused'));
	out.dataset.tone = answer.ok ? 'ok' : 'bad';
	if (answer.ok)
		out.timer = setTimeout(() => out.replaceChildren(), 8000);
}

// The nearest place for the answer to a control: where it was pressed.
export function answerAt(control, answer) {
	const box = control.closest('.popover, .pane, .panel, dialog, .stops, .banner') ?? document.body;
	const outs = [...box.querySelectorAll('.answer')];
	const after = outs.find((o) => control.compareDocumentPosition(o) & Node.DOCUMENT_POSITION_FOLLOWING);
	let out = after ?? outs.at(-1);
	if (!out) {
		out = el('p', { class: 'answer floating', role: 'status' });
		box.append(out);
	}
	show(out, answer);
}

// Sends a command for a control and shows there what came of it.
export async function ask(link, control, name, args = '') {
	control.setAttribute('aria-busy', 'true');
	const answer = await link.command(name, args);
	control.removeAttribute('aria-busy');
	answerAt(control, answer);
	return answer;
}
