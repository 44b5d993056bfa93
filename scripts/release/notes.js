// The notes of a release: how to start, what it needs, and what changed (its section of the changelog).

import { releasedPage } from './pages.js';

const CHANGELOG = 'src/CHANGELOG.md';

/**
 * @param {string} root
 * @param {{ version: string, node: string }} versions `node`: in the second archive
 */
export function notesOf(root, { version, node }) {
  const [, ...sections] = releasedPage(root, CHANGELOG).split(/^## /m);
  const changes = sections.find((text) => text.startsWith(`${version}\n`));
  if (changes === undefined) {
    throw new Error(`${CHANGELOG} has no section "## ${version}"; write what changed`);
  }
  return `# Service Management API ${version}

Unpack it, and run \`./service-management --help\`. [pages/operations.md](pages/operations.md) leads to a service behind TLS with backups and alerts; [pages/running.md](pages/running.md) has what comes after.

- The archive whose name ends in \`-node\` includes Node ${node} and needs nothing else. The other one needs Node 20.19 or newer.
- \`SHA256SUMS\` has the checksums of the archives.

${changes.slice(version.length).trim()}
`;
}
