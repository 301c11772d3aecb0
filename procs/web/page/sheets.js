// Sheets over the page. They are not modal: the stops stay in reach of mouse, finger and screen reader while one is open.
import { byId } from './text.js';

let opener = null;

export function openSheet(sheet) {
	if (sheet.open)
		return;
	for (const other of document.querySelectorAll('dialog[open]'))
		other.close();
	opener = document.activeElement;
	sheet.show();
	document.body.classList.add('is-sheet');
	sheet.scrollTop = 0;
	(sheet.querySelector('input') ?? sheet.querySelector('[data-close]'))?.focus();
}

for (const sheet of document.querySelectorAll('dialog')) {
	sheet.addEventListener('close', () => {
		document.body.classList.toggle('is-sheet', document.querySelector('dialog[open]') !== null);
		if (sheet.contains(document.activeElement) || document.activeElement === document.body)
			opener?.focus?.({ preventScroll: true });
	});
	sheet.addEventListener('click', (e) => e.target.closest('[data-close]') && sheet.close());
}
byId('scrim').addEventListener('click', () => document.querySelector('dialog[open]')?.close());
document.addEventListener('keydown', (e) => e.key === 'Escape' && document.querySelector('dialog[open]')?.close());
