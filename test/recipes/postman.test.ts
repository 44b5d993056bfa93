// The Postman collection, run twice in a row against one preview, by Postman's own
// runner.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/pages.js';
import { interrupted, printed, spawnPreview } from '../support/preview-process.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { MODULES, openRecipe, runNode } from './project.js';

const NEWMAN = join(MODULES, 'newman/bin/newman.js');

interface Summary {
  readonly run: {
    readonly stats: Readonly<Record<'requests' | 'assertions', { total: number; failed: number }>>;
    readonly executions: readonly object[];
  };
}

it('The collection runs twice in a row, with the key and without', async () => {
  const folder = await openTemporaryFolder();
  const preview = spawnPreview(folder.path);
  const text = await printed(preview);
  const variables = {
    base_url: /runs at (\S+)/.exec(text)?.[1] ?? '',
    token: 'local-newman',
    admin_key: /Admin key {2}(\S+)/.exec(text)?.[1] ?? '',
  };
  const project = await openRecipe('postman', {});
  const run = async (given: Readonly<Record<string, string>>): Promise<Summary['run']['stats']> => {
    const collection = join(ROOT, 'dist/postman.json');
    const settings = Object.entries(given).flatMap(([name, value]) => [
      '--env-var',
      `${name}=${value}`,
    ]);
    const report = ['--reporters', 'json', '--reporter-json-export', 'report.json'];
    await runNode(project, [NEWMAN, 'run', collection, ...settings, ...report]);
    const summary: Summary = JSON.parse(await readFile(join(project.path, 'report.json'), 'utf8'));
    return summary.run.stats;
  };
  try {
    const { paths } = JSON.parse(await readFile(join(ROOT, 'dist/openapi.json'), 'utf8'));
    const all = Object.values<object>(paths)
      .flatMap((item) => Object.keys(item))
      .filter((name) => ['get', 'post', 'patch', 'delete'].includes(name)).length;
    for (const _ of ['once', 'twice']) {
      const { requests, assertions } = await run(variables);
      expect(requests).toMatchObject({ total: all, failed: 0 });
      expect(assertions.failed).toBe(0);
      expect(assertions.total).toBeGreaterThan(2 * all);
    }
    const withoutKey = await run({ ...variables, admin_key: '' });
    expect(withoutKey.requests).toMatchObject({ total: 32, failed: 0 });
    expect(withoutKey.assertions.failed).toBe(0);
  } finally {
    await interrupted(preview);
    await project.remove();
    await folder.remove();
  }
});
