// Missions: explore with a goal in words, pause, resume, home, survey.
import { byId } from './text.js';
import { answerAt, ask } from './rights.js';

// A goal in words stands in quotes; nothing in it may look like the next option.
const quoted = (text) => `"${text.replaceAll(' --', ' \u2013')}"`;

export class Steer {
	constructor(link, store) {
		this.store = store;
		byId('goal-form').addEventListener('submit', (e) => {
			e.preventDefault();
			const button = byId('explore'), goal = byId('goal').value.trim();
			if (button.hasAttribute('data-lacking'))
				return answerAt(button, { ok: false, text: button.title });
			ask(link, button, 'explore', goal ? `--goal ${quoted(goal)}` : '');
		});
		for (const name of ['pause', 'resume', 'home', 'survey'])
			byId(name).addEventListener('click', (e) => ask(link, e.currentTarget, name));
		store.watch(['mission'], () => this.draw());
	}

	draw() {
		const paused = this.store.data('mission')?.state === 'paused';
		byId('pause').hidden = paused;
		byId('resume').hidden = !paused;
	}
}
