// The stream of decisions: what the robot decided, on which picture, why, and what became of it. Newest first.
import { byId, clock, el, latency, setText, visible, words } from './text.js';

const SHOWN = 60;
const OUTCOME_TONE = { success: 'ok', partial: 'ok', blocked: 'warn', failed: 'warn', refused: 'bad', replaced: '' };

// One tool call from its message, as the log writes it.
export function callText(d) {
	if (d.what)
		return d.what;
	const arg = {
		move_toward: () => `${words(d.direction)} ${d.speed} ${d.duration_s} s`,
		rotate: () => (d.absolute ? `to ${Math.round(d.angle_deg)}\u00b0` : `${Math.abs(Math.round(d.angle_deg))}\u00b0 ${d.angle_deg < 0 ? 'left' : 'right'}`),
		navigate_to_goal: () => ({ frontier: `F${d.frontier_id}`, candidate: `C${d.candidate_id}`, coordinates: `(${d.x_m.toFixed(1)}, ${d.y_m.toFixed(1)})` })[d.goal_kind] ?? words(d.goal_kind),
		define_zone: () => `${d.zone_kind} ${d.zone_name}`,
		follow_wall: () => words(d.direction),
		stop_robot: () => d.reason,
		request_help: () => d.reason,
	}[d.tool];
	return `${d.tool} ${arg ? arg() : ''}`.trim();
}

// What the safety layers said of it: {word, tone, why}.
export function verdict(d) {
	const r = d.result;
	if (d.why_stop)
		return { word: 'refused', tone: 'bad', why: d.why_stop };
	if (d.shadow)
		return { word: 'not driven', tone: '', why: 'shadow mode: the model is only compared' };
	if (!r)
		return { word: d.current ? 'under way' : 'taken', tone: d.current ? 'go' : '', why: '' };
	if (r.outcome === 'refused')
		return { word: 'refused', tone: 'bad', why: r.reason };
	if (r.overridden)
		return { word: 'overruled', tone: 'warn', why: r.reason };
	return { word: 'accepted', tone: 'ok', why: '' };
}

export const outcomeTone = (outcome) => OUTCOME_TONE[outcome] ?? '';

export class Decisions {
	byKey = new Map();

	constructor(link, store) {
		this.link = link;
		this.store = store;
		this.list = byId('stream');
		link.want('decisions', ['decision', 'result'], 20);
		link.addEventListener('hello', () => this.load(SHOWN));
		store.on('decision', (d) => this.take({ ...d, t: Date.now() / 1000, by: d.source, snapshot: { id: d.snapshot_id, x_m: d.snapshot_x_m, y_m: d.snapshot_y_m, yaw_rad: d.snapshot_yaw_rad } }));
		store.on('result', (r) => this.takeResult(r));
		store.onCommanded(() => this.loadSoon());
		store.watch(['mission'], () => this.markCurrent());
		this.draw();
	}

	// The log has more than the messages: what was asked, by which service, in which words.
	async load(count) {
		const r = await fetch(`/api/decisions?last=${count}`, { cache: 'no-store' }).catch(() => null);
		if (!r?.ok)
			return;
		const text = await r.text();
		for (const line of parseLines(text))
			this.byKey.set(keyOf(line), { ...this.byKey.get(keyOf(line)), ...line, result: line.result ?? this.byKey.get(keyOf(line))?.result ?? null });
		this.draw();
	}

	loadSoon() {
		this.timer ??= setTimeout(() => {
			this.timer = null;
			this.load(8);
		}, 400);
	}

	take(d) {
		const key = keyOf(d);
		this.byKey.set(key, { ...d, ...this.byKey.get(key) });
		this.draw();
		this.loadSoon();
	}

	takeResult(r) {
		const known = this.byKey.get(String(r.decision_id));
		if (known)
			known.result = { ...known.result, ...r };
		this.draw();
		this.loadSoon();
	}

	markCurrent() {
		const m = this.store.data('mission'), id = m && m.decision_id !== '0' ? String(m.decision_id) : '';
		if (id === this.current)
			return;
		for (const key of [this.current, id]) {
			const d = this.byKey.get(key);
			if (d)
				d.current = key === id && !d.result;
		}
		this.current = id;
		this.draw();
	}

	// Newest first.
	all() {
		const list = [...this.byKey.values()].sort((a, b) => (b.t ?? 0) - (a.t ?? 0));
		for (const old of list.slice(SHOWN))
			this.byKey.delete(keyOf(old));
		return list.slice(0, SHOWN);
	}

	// For the map: where each was decided.
	marks() {
		return this.all().filter((d) => d.snapshot && !d.command).map((d) => {
			const v = verdict(d);
			return { id: String(d.id), x_m: d.snapshot.x_m, y_m: d.snapshot.y_m, what: callText(d), said: d.reasoning, verdict: v.word, tone: v.tone === 'go' ? 'accent' : v.tone };
		});
	}

	open(id) {
		this.onopen?.(String(id));
	}

	draw() {
		const all = this.all(), known = new Map([...this.list.children].map((li) => [li.dataset.key, li]));
		setText(byId('decisions-count'), all.length > 0 ? `${all.length} shown` : '');
		if (all.length === 0) {
			this.list.replaceChildren(el('li', { class: 'empty' }, 'No decision yet. Each one appears here with its picture, its words and what became of it.'));
			return;
		}
		this.list.querySelector('.empty')?.remove();
		let before = null;
		for (const d of all) {
			const key = keyOf(d), mark = JSON.stringify([d.what, d.reasoning, d.result, d.current, d.latency_s, d.trigger, d.command]);
			let li = known.get(key);
			known.delete(key);
			if (!li || li.mark !== mark) {
				const made = d.command ? commandCard(d) : this.card(d, li?.querySelector('img'));
				made.dataset.key = key;
				made.mark = mark;
				const focused = li?.contains(document.activeElement);
				li ? li.replaceWith(made) : before ? before.after(made) : this.list.prepend(made);
				if (focused)
					made.querySelector('button')?.focus();
				li = made;
			}
			before = li;
		}
		for (const gone of known.values())
			gone.remove();
	}

	// The picture that the model was given. Where none is kept: that of the snapshot, if this page has seen it.
	picture(d, props = {}) {
		const img = el('img', { src: `/api/decisions/${encodeURIComponent(String(d.id))}/picture.jpg`, alt: '', ...props });
		img.addEventListener('error', () => {
			const kept = this.pictureOf?.(d.snapshot?.id);
			img.classList.toggle('missing', !kept || img.src === kept);
			if (kept && img.src !== kept) {
				img.src = kept;
				img.title = 'The snapshot as this page saw it; of what the model was sent no picture is kept';
			}
			img.dispatchEvent(new Event(kept ? 'replaced' : 'missing'));
		});
		return img;
	}

	card(d, oldPicture) {
		const v = verdict(d), r = d.result, id = String(d.id);
		const picture = oldPicture ?? this.picture(d, { loading: 'lazy', width: '96', height: '72' });
		const became = r && r.outcome !== 'refused' ? el('p', { class: 'became' }, el('span', { class: 'tag', 'data-tone': outcomeTone(r.outcome) }, r.outcome), ` ${r.executed ?? ''}`) : null;
		return el('li', { class: 'card', 'data-tone': v.tone }, el('button', { type: 'button', class: 'card-open', onclick: () => this.open(id) },
			picture,
			el('span', { class: 'card-body' },
				el('span', { class: 'card-head' }, el('b', {}, callText(d)), el('time', {}, clock(d.t))),
				d.reasoning && el('span', { class: 'said' }, d.reasoning),
				el('span', { class: 'card-meta' }, el('span', { class: 'tag', 'data-tone': v.tone }, v.word), d.trigger && el('span', {}, `asked: ${words(d.trigger)}`), d.latency_s > 0 && el('span', {}, latency(d.latency_s)), d.by && d.by !== 'model' && el('span', {}, `by ${d.by}`)),
				v.why && el('span', { class: 'why' }, v.why))), became);
	}
}

function commandCard(d) {
	const c = d.command;
	return el('li', { class: 'card command', 'data-tone': c.ok ? '' : 'bad' }, el('p', { class: 'card-head' }, el('b', {}, visible(`${c.service === 'motor.ctl' && c.verb === 'stop' ? 'emergency stop' : c.verb} ${c.arg}`.trim())), el('time', {}, clock(d.t))),
		el('p', { class: 'why' }, `${c.ok ? 'done' : 'refused'}: ${c.text}`), el('p', { class: 'dim' }, `by ${c.who}`));
}

function keyOf(d) {
	return d.command ? `c${d.t}.${d.command.id}` : String(d.id);
}

// A JSON array, or a JSON object a line; a line that is cut is left out.
function parseLines(text) {
	try {
		const all = JSON.parse(text);
		return Array.isArray(all) ? all : all.items ?? all.decisions ?? [all];
	} catch {
		return text.split('\n').flatMap((line) => {
			try {
				return line ? [JSON.parse(line)] : [];
			} catch {
				return [];
			}
		});
	}
}
