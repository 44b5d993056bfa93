// The document's description as elements: paragraphs, lists and tables of Markdown.

import { element, words } from './dom.js';

export function prose(text: string): HTMLElement[] {
  return text
    .split(/\n{2,}/)
    .map((block) => block.trim())
    .filter((block) => block !== '')
    .map(blockOf);
}

function blockOf(block: string): HTMLElement {
  const lines = block.split('\n');
  if (lines.every((line) => line.startsWith('|'))) return table(lines);
  if (lines.every((line) => line.startsWith('- '))) {
    return element('ul', {}, ...lines.map((line) => element('li', {}, ...words(line.slice(2)))));
  }
  return element('p', {}, ...words(block));
}

function table([head = '', , ...rows]: readonly string[]): HTMLElement {
  const cells = (row: string) =>
    row
      .replace(/^\||\|$/g, '')
      .split('|')
      .map((cell) => cell.trim());
  const line = (row: string, name: 'th' | 'td') =>
    element('tr', {}, ...cells(row).map((cell) => element(name, {}, ...words(cell))));
  return element(
    'div',
    { class: 'scrolls', tabindex: '0', role: 'region', 'aria-label': 'table' },
    element(
      'table',
      {},
      element('thead', {}, line(head, 'th')),
      element('tbody', {}, ...rows.map((row) => line(row, 'td'))),
    ),
  );
}
