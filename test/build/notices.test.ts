// What ships names what it contains: each bundled package with its licence.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { noticesOf } from '../../scripts/notices.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));
const NOTICES = () => readFileSync(join(DIST, 'THIRD-PARTY-NOTICES.txt'), 'utf8');

describe('The third-party notices', () => {
  it('name every package that the source maps of dist/ name, with its licence text', () => {
    const maps = readdirSync(DIST).filter((name) => name.endsWith('.js.map'));
    const sources: string[] = maps.flatMap(
      (name) => JSON.parse(readFileSync(join(DIST, name), 'utf8')).sources,
    );
    const names = new Set(
      sources.flatMap(
        (path) => /(node_modules\/.*)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
      ),
    );
    expect([...names]).toContain('node_modules/hono');
    const notices = NOTICES();
    for (const name of names) {
      const folder = join(ROOT, name);
      expect(notices).toContain(`\n${name.replace(/.*node_modules\//, '')} `);
      const licence = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file)) ?? 'LICENSE';
      expect(notices, name).toContain(readFileSync(join(folder, licence), 'utf8').trim());
    }
  });

  it('are not written when a bundled package has no licence file', async () => {
    const folder = await openTemporaryFolder();
    try {
      const bare = join(folder.path, 'node_modules/bare');
      mkdirSync(bare, { recursive: true });
      writeFileSync(join(bare, 'package.json'), '{"version":"1.0.0"}');
      const input = { bytesInOutput: 1 };
      const output = { bytes: 1, imports: [], exports: [] };
      const outputs = { 'dist/a.js': { ...output, inputs: { 'node_modules/bare/a.js': input } } };
      expect(() => noticesOf(folder.path, [{ inputs: {}, outputs }])).toThrow(
        'node_modules/bare: no licence file',
      );
    } finally {
      await folder.remove();
    }
  });

  it('npm sbom lists all packages, also when only some groups are installed', () => {
    const sbom = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'];
    const { components } = JSON.parse(execFileSync('npm', sbom, { cwd: ROOT, encoding: 'utf8' }));
    const names = components.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['libsql', 'hono', 'zod']));
  });
});
