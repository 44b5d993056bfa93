// The project's pages as their readers see them: tables, links and code.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Paths of all pages, relative to the root: `README.md`, `src/hosts/node/README.md`, … */
export const PAGES: readonly string[] = [
  ...markdownIn('.', false),
  ...['src', 'test', 'scripts'].flatMap((folder) => markdownIn(folder, true)),
];

/** The text of a file, by its path relative to the root. */
export function textOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The text between a heading (`## Settings`) and the next one of its level or above. Throws if the page has no such heading. */
export function sectionOf(page: string, heading: string): string {
  const lines = textOf(page).split('\n');
  const start = lines.indexOf(heading);
  if (start === -1) throw new Error(`${page} has no line "${heading}"; the tests read its table`);
  const level = heading.indexOf(' ');
  const length = lines
    .slice(start + 1)
    .findIndex((line) => /^#+ /.test(line) && line.indexOf(' ') <= level);
  return lines.slice(start + 1, length === -1 ? undefined : start + 1 + length).join('\n');
}

/** The anchors of a page's text, as GitHub makes them of its headings. */
export function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s-]/gu, '')
      .replace(/\s/g, '-'),
  );
}

export type Row = Readonly<Record<string, string>>;

/** The rows of the tables in a text, each cell under its column's heading. */
export function tableRows(text: string): Row[] {
  const rows: Row[] = [];
  let head: readonly string[] | undefined;
  for (const line of text.split('\n')) {
    const cells = line
      .replace(/^\||\|$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim());
    if (!line.startsWith('|')) head = undefined;
    else if (head === undefined) head = cells;
    else if (!/^[-|\s]+$/.test(line)) {
      rows.push(Object.fromEntries(head.map((name, index) => [name, cells[index] ?? ''])));
    }
  }
  return rows;
}

/** The texts in backticks. */
export function codesIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

/** The first block of code in a language after a line of the page that contains the words. */
export function pageCode(page: string, words: string, language = 'js'): string {
  const text = textOf(page);
  const line = text.split('\n').find((candidate) => candidate.includes(words));
  const after = line === undefined ? '' : text.slice(text.indexOf(line));
  const code = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(after)?.[1];
  if (code === undefined) throw new Error(`${page} has no ${language} after "${words}"`);
  return code;
}

function markdownIn(folder: string, recursive: boolean): string[] {
  return readdirSync(join(ROOT, folder), { recursive, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => join(folder, name))
    .sort();
}
