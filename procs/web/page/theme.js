// Colours: as the system, dark or light; and the colours of the style sheet for what is drawn on a canvas.
import { byId } from './text.js';

const CHOICES = ['system', 'dark', 'light'];

export class Theme {
	cache = new Map();
	listeners = [];

	constructor() {
		this.choice = read() ?? 'system';
		this.apply();
		byId('theme').addEventListener('click', () => this.next());
		matchMedia('(prefers-color-scheme: light)').addEventListener('change', () => this.apply());
	}

	next() {
		this.choice = CHOICES[(CHOICES.indexOf(this.choice) + 1) % CHOICES.length];
		try {
			localStorage.setItem('cairn.colours', this.choice);
		} catch {
			// without storage it holds as long as the page
		}
		this.apply();
	}

	apply() {
		const dark = this.choice === 'dark' || (this.choice === 'system' && !matchMedia('(prefers-color-scheme: light)').matches);
		document.documentElement.dataset.theme = dark ? 'dark' : 'light';
		byId('theme').setAttribute('aria-label', `Colours: ${this.choice === 'system' ? 'as the system' : this.choice}`);
		byId('theme').title = byId('theme').getAttribute('aria-label');
		this.cache.clear();
		for (const fn of this.listeners)
			fn();
	}

	onChange(fn) {
		this.listeners.push(fn);
	}

	color(name) {
		if (!this.cache.has(name))
			this.cache.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
		return this.cache.get(name);
	}
}

function read() {
	try {
		const kept = localStorage.getItem('cairn.colours');
		return CHOICES.includes(kept) ? kept : null;
	} catch {
		return null;
	}
}
