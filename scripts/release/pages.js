// The operator's pages as a release has them: in one folder, under short names, so
// that they can be read on a machine without the project. Links are adjusted, and commands are
// those of a release, which has no npm.

import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** Each page of a release, by its place in the project. @type {Readonly<Record<string, string>>} */
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

/** A command as the project calls it: by npm, or by its built file. */
const COMMAND =
  /(?:npm run (?:manage -- )?(?=import|export|dump|load|erase|restore|console)|npm run manage -- (?=[a-z])|node (?:\/opt\/service-management\/)?dist\/manage\.js (?=[a-z]))([a-z]+)(?: +--(?= ))?/g;

/** The text of a page as a release has it. @param {string} root @param {string} path */
export function releasedPage(root, path) {
  return withLinks(readFileSync(join(root, path), 'utf8'), path, PAGES).replaceAll(
    COMMAND,
    'service-management $1',
  );
}

/**
 * A link to a page that is not among these becomes its text.
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
