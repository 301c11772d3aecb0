// What was said to the robot, what it made of it, and what it says aloud; a sentence in writing, and push-to-talk.
import { byId, clock, el, setText, share, words } from './text.js';
import { ask } from './rights.js';

const SHOWN = 100;
const TONE = { done: 'ok', answered: 'ok', asked: 'warn', refused: 'bad' };

export class Voice {
	said = new Map(); // id of an announcement -> its line

	constructor(link, store) {
		this.list = byId('exchange');
		link.want('voice', ['heard', 'spoken'], 5);
		store.on('heard', (h) => this.heard(h));
		store.on('spoken', (s) => this.spoken(s));
		byId('tell-form').addEventListener('submit', (e) => {
			e.preventDefault();
			const text = byId('tell').value.trim();
			if (text)
				ask(link, byId('tell-send'), 'tell', text).then((answer) => answer?.ok && (byId('tell').value = ''));
		});
		for (const name of ['talk', 'hush'])
			byId(name).addEventListener('click', (e) => ask(link, e.currentTarget, name));
		this.list.append(el('li', { class: 'empty' }, 'Nothing was said yet. Talking needs a device (voice.listen_device); writing needs none.'));
	}

	heard(h) {
		if (h.verdict === 'ignored' && !h.words)
			return; // speech that was not meant for the robot
		const sure = h.transcribed ? 'transcribed' : `${share(h.confidence)} sure`;
		this.add('You', h.words || '\u2026', `${words(h.verdict)}${h.command ? `: ${h.command}` : ''}, ${sure}`, TONE[h.verdict] ?? '');
	}

	// One line for each announcement, whatever becomes of it.
	spoken(s) {
		if (String(s.id) === '0' || !s.text)
			return;
		const how = s.state === 'done' || s.state === 'idle' ? '' : `${words(s.state)}${s.reason ? `: ${s.reason}` : ''}`, known = this.said.get(String(s.id));
		if (known)
			setText(known.lastChild, how);
		else
			this.said.set(String(s.id), this.add('Robot', s.text, how, s.urgency === 'warning' ? 'warn' : 'go'));
	}

	add(who, text, note, tone) {
		this.list.querySelector('.empty')?.remove();
		const li = el('li', {}, el('time', {}, clock(Date.now() / 1000)), el('span', { class: 'tag', 'data-tone': tone }, who), el('span', { class: 'event-text' }, text), el('span', { class: 'dim' }, note));
		this.list.prepend(li);
		while (this.list.children.length > SHOWN)
			this.list.lastChild.remove();
		for (const [id, line] of this.said)
			if (!line.isConnected)
				this.said.delete(id);
		return li;
	}
}
