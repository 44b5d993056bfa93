// The files that operators copy name only metrics that the service has.

import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type NodeService, openNodeService } from '../support/node-service.js';
import { Metrics, operationsOf } from '../support/operations.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PORT = { OPS_PORT: '0' };

describe('The operations port', () => {
  let service: NodeService;

  beforeEach(async () => {
    service = await openNodeService();
  });
  afterEach(() => service.close());

  it('has every metric that the alert rules and the dashboard name', async () => {
    const BACKUP_DIR = join(service.folder, 'backups');
    await mkdir(BACKUP_DIR);
    const server = await service.start({ ...PORT, BACKUP_DIR });
    await server.saw('"event":"backup_taken"');
    // Backups and a replica exclude each other; without Litestream `async` starts with a warning.
    const replicated = await service.start({
      ...PORT,
      DATABASE_URL: `file:${join(service.folder, 'replicated.db')}`,
      DATABASE_CREATE: 'yes',
      REPLICATION: `async:${join(service.folder, 'nobody')}`,
    });
    const measured = await Promise.all(
      [server, replicated].map((one) => Metrics.of(operationsOf(one))),
    );
    const families = new Map(measured.flatMap((metrics) => [...metrics.families]));
    const files = ['alerts.yml', 'dashboard.json'].map((name) =>
      readFile(join(ROOT, 'scripts/operations', name), 'utf8'),
    );
    const texts = (await Promise.all(files)).join('\n');
    const named = new Set(texts.match(/\b(?:service|process)_[a-z_]+\b/g));
    expect(named.size).toBeGreaterThan(25);
    // The last is an event of the log that an alert points to.
    const missing = [...named].filter(
      (name) => !families.has(name.replace(/_(bucket|sum|count)$/, '')),
    );
    expect(missing).toEqual(['process_failed']);
  });
});
