// `node dist/manage.js ready`: what it prints and exits with.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { REASONS, WARNINGS } from '../../src/hosts/operations/troubles.js';
import { buildWithFailingWrites } from '../support/changed-build.js';
import { tokenOf } from '../support/identity-stub.js';
import { openNodeService } from '../support/node-service.js';
import { operationsOf } from '../support/operations.js';
import { startProgram } from '../support/program.js';

const MANAGE = fileURLToPath(new URL('../../dist/manage.js', import.meta.url));

/** What `node dist/manage.js ready` prints and exits with. */
async function ready(environment: Record<string, string>) {
  const command = [process.execPath, MANAGE, 'ready'];
  const { code, stdout, stderr } = await startProgram(command, { environment }).ended;
  return [code, stdout + stderr];
}

it('node dist/manage.js ready exits with 0 or 1, and names reasons, warnings and what to do', async () => {
  const service = await openNodeService();
  const backups = { BACKUP_DIR: service.folder, BACKUP_INTERVAL_HOURS: '0' };
  const good = await service.start({ OPS_PORT: '0', ...backups });
  const { port } = new URL(operationsOf(good));
  expect(await ready({ OPS_PORT: port })).toEqual([0, 'ready\n']);
  await good.stop();
  const silent = `not ready: http://127.0.0.1:${port}/ready doesn't answer (ECONNREFUSED)\n`;
  expect(await ready({ OPS_PORT: port })).toEqual([1, silent]);
  expect(await ready({})).toEqual([2, 'OPS_PORT is unset; set it as the service has it\n']);

  const fault = join(service.folder, 'fault');
  const script = await buildWithFailingWrites(service.folder, fault);
  const bad = await service.start({ OPS_PORT: '0' }, { script });
  await writeFile(fault, '');
  const body = '{"name":"a","phone":"1"}';
  const headers = { Authorization: `Bearer ${tokenOf('amina')}` };
  await fetch(`${bad.origin}/api/v1/customers`, { method: 'POST', headers, body });
  const lines = [
    'not ready: writes_failing (warnings: backup_not_configured)',
    `  writes_failing: ${REASONS.writes_failing.meaning}`,
    `    What to do: ${REASONS.writes_failing.action}`,
    `  backup_not_configured: ${WARNINGS.backup_not_configured.meaning}`,
    `    What to do: ${WARNINGS.backup_not_configured.action}`,
  ];
  const { port: OPS_PORT } = new URL(operationsOf(bad));
  expect(await ready({ OPS_PORT })).toEqual([1, `${lines.join('\n')}\n`]);
  await service.close();
});
