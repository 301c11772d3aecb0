// The agent's task (topic `agent`): what it is at, its plan, what it has cost, its answer, and what that rests on.
import { byId, duration, el, figures, setText, share, usd, words } from './text.js';
import { answerAt, ask } from './rights.js';
import { things } from './house.js';

const TONE = { planning: 'go', thinking: 'go', acting: 'go', searching: 'go', done: 'ok', handoff: 'warn', failed: 'bad' };
const thousands = (n) => (Number(n) >= 10000 ? `${Math.round(Number(n) / 1000)}k` : String(n));

export class Task {
	constructor(link, store, map, house) {
		Object.assign(this, { store, map, house });
		link.want('task', ['agent'], 2);
		store.watch(['agent', 'scene'], () => this.draw());
		byId('give-task').addEventListener('click', (e) => this.give(link, e.currentTarget));
	}

	give(link, button) {
		const text = byId('goal').value.trim();
		if (text === '')
			return answerAt(button, { ok: false, text: 'Say in words what to find out or to do, "where is the red mug?" for example' });
		ask(link, button, 'task', text);
	}

	draw() {
		const a = this.store.data('agent'), panel = byId('task');
		panel.hidden = !a || String(a.task_id) === '0';
		if (panel.hidden)
			return;
		const over = ['done', 'handoff', 'failed'].includes(a.state), state = byId('task-state');
		setText(byId('task-text'), a.task);
		setText(state, words(a.state) + (a.state === 'failed' && a.limit !== 'none' ? `: ${words(a.limit)}` : ''));
		state.dataset.tone = TONE[a.state] ?? '';
		setText(byId('task-step'), over ? '' : a.step);
		setText(byId('task-answer'), over ? a.answer : '');
		this.drawEvidence(over ? a.evidence.split(' ').filter(Boolean) : []);
		this.drawPlan(a);
		figures(byId('task-figures'), [
			['Time', duration(a.elapsed_s)],
			['Asked', `${a.queries} times${a.repeated > 0 ? `, ${a.repeated} not paid again` : ''}`],
			['Tokens', `${thousands(a.tokens_in)} in, ${thousands(a.tokens_out)} out`],
			['Spent', usd(a.usd)],
			['Steps', `${a.steps}${a.revisions > 0 ? `, the plan revised ${a.revisions === 1 ? 'once' : `${a.revisions} times`}` : ''}`],
			a.state === 'done' && Number(a.queries) > 0 && ['Certain', share(a.confidence)],
		].filter(Boolean));
	}

	drawPlan(a) {
		byId('task-plan').hidden = a.plan.length === 0;
		const list = byId('task-lines');
		while (list.children.length > a.plan.length)
			list.lastChild.remove();
		a.plan.forEach((line, i) => setText(list.children[i] ?? list.appendChild(el('li')), line.text));
	}

	// Things and rooms that can be looked at; a picture by its number.
	drawEvidence(ids) {
		const box = byId('task-evidence'), key = ids.join(' ');
		box.hidden = ids.length === 0;
		if (box.key === key)
			return;
		box.key = key;
		box.replaceChildren('Rests on ', ...ids.map((id) => el('button', { type: 'button', class: 'link', onclick: () => this.show(id) }, words(id))));
	}

	show(id) {
		const scene = this.store.data('scene'), thing = things(scene).find((t) => t.id === id), room = scene?.nodes.find((n) => n.id === id);
		if (thing && Number(thing.picture) > 0)
			this.house.open(thing);
		else if (thing ?? room)
			this.map.show((thing ?? room).x_m, (thing ?? room).y_m);
	}
}
