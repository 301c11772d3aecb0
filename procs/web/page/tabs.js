// Tabs of the instruments (arrow keys, Home, End) and the parts of the page on a phone.
import { byId } from './text.js';

export class Tabs {
	constructor() {
		this.tabs = [...document.querySelectorAll('#bench [role=tab]')];
		this.tabs.forEach((tab, i) => {
			tab.addEventListener('click', () => this.choose(i));
			tab.addEventListener('keydown', (e) => this.onKey(e, i));
		});
		for (const button of document.querySelectorAll('[data-show]'))
			button.addEventListener('click', () => showPage(button.dataset.show));
		showPage('map');
	}

	onKey(e, i) {
		const n = this.tabs.length, to = { ArrowRight: (i + 1) % n, ArrowLeft: (i + n - 1) % n, Home: 0, End: n - 1 }[e.key];
		if (to === undefined || document.body.classList.contains('is-hand'))
			return;
		e.preventDefault();
		this.choose(to);
		this.tabs[to].focus();
	}

	choose(i) {
		this.tabs.forEach((tab, k) => {
			tab.setAttribute('aria-selected', String(k === i));
			tab.tabIndex = k === i ? 0 : -1;
			byId(tab.getAttribute('aria-controls')).hidden = k !== i;
		});
		this.onchange?.(this.tabs[i].id.slice(4));
	}
}

// On a phone one part is shown at a time; on a wide screen all are.
function showPage(name) {
	document.body.dataset.page = name;
	for (const panel of document.querySelectorAll('[data-on]'))
		panel.classList.toggle('elsewhere', !panel.dataset.on.split(' ').includes(name));
	for (const button of document.querySelectorAll('[data-show]'))
		button.setAttribute('aria-pressed', String(button.dataset.show === name));
	window.scrollTo(0, 0);
}
