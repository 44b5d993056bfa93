// The operator's pages in a release: in one folder under short names, to be read without the project.
// Links are adjusted, and commands don't use npm.

import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** The pages of a release, by their path in the project. @type {Readonly<Record<string, string>>} */
export const PAGES = {
  'src/CHANGELOG.md': 'CHANGELOG.md',
  'src/hosts/operations/README.md': 'pages/operations.md',
  'src/hosts/operations/RUNNING.md': 'pages/running.md',
  'src/hosts/node/README.md': 'pages/settings.md',
  'src/core/http/README.md': 'pages/api.md',
  'src/core/identity/README.md': 'pages/identity.md',
  'src/hosts/postgres/README.md': 'pages/postgres.md',
  'src/tools/console/README.md': 'pages/console.md',
  'src/tools/data/README.md': 'pages/data.md',
};

/** A command in the project's form: by npm, or by its built file. */
const COMMAND =
  /(?:npm run (?:manage -- )?(?=import|export|dump|load|erase|restore|console)|npm run manage -- (?=[a-z])|node (?:\/opt\/service-management\/)?dist\/manage\.js (?=[a-z]))([a-z]+)(?: +--(?= ))?/g;

/** The text of a page in a release. @param {string} root @param {string} path */
export function releasedPage(root, path) {
  return withLinks(readFileSync(join(root, path), 'utf8'), path, PAGES).replaceAll(
    COMMAND,
    'service-management $1',
  );
}

/**
 * Replaces links to pages that are not among these by their text.
 * @param {string} text
 * @param {string} path Of the page in the project.
 * @param {Readonly<Record<string, string>>} pages The name of each page, by its path in the project.
 */
export function withLinks(text, path, pages) {
  return text
    .replaceAll(/!?\[([^\]]*)\]\(([^)#\s]*)(#[^)]*)?\)/g, (link, words, target, anchor = '') => {
      if (target === '' || /^https?:/.test(target)) return link;
      const to = pages[normalize(join(dirname(path), target))];
      if (to === undefined) return words;
      return `[${words}](${relativeTo(pages[path] ?? '', to)}${anchor})`;
    })
    .replaceAll('scripts/operations/', 'operations/')
    .replaceAll('`scripts/operations`', '`operations`');
}

/** @param {string} from @param {string} to */
function relativeTo(from, to) {
  if (dirname(from) === dirname(to)) return to.slice(to.lastIndexOf('/') + 1);
  return dirname(from) === '.' ? to : `../${to}`;
}
