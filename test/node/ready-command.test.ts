// `node dist/manage.js ready`: what it prints and exits with.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REASONS, WARNINGS } from '../../src/hosts/operations/troubles.js';
import { buildWithFailingWrites } from '../support/changed-build.js';
import { tokenOf } from '../support/identity-stub.js';
import { type NodeService, openNodeService } from '../support/node-service.js';
import { operationsOf } from '../support/operations.js';
import { startProgram } from '../support/program.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PORT = { OPS_PORT: '0' };

let service: NodeService;

beforeEach(async () => {
  service = await openNodeService();
});
afterEach(() => service.close());

/** What `node dist/manage.js ready` prints and exits with. */
async function readyCommand(environment: Record<string, string>) {
  const command = [process.execPath, join(ROOT, 'dist/manage.js'), 'ready'];
  const { code, stdout, stderr } = await startProgram(command, { environment }).ended;
  return { code, output: stdout + stderr };
}

describe('node dist/manage.js ready', () => {
  it('prints one line and exits with 0 or 1', async () => {
    const BACKUP_DIR = join(service.folder, 'backups');
    await mkdir(BACKUP_DIR);
    const server = await service.start({ ...PORT, BACKUP_DIR });
    const OPS_PORT = new URL(operationsOf(server)).port;
    expect(await readyCommand({ OPS_PORT })).toEqual({ code: 0, output: 'ready\n' });
    await server.stop();
    expect(await readyCommand({ OPS_PORT })).toEqual({
      code: 1,
      output: `not ready: http://127.0.0.1:${OPS_PORT}/ready doesn't answer (ECONNREFUSED)\n`,
    });
    expect(await readyCommand({})).toEqual({
      code: 2,
      output: 'OPS_PORT is unset; set it as the service has it\n',
    });
  });

  it('names the reasons and warnings, what they mean and what to do', async () => {
    const fault = join(service.folder, 'fault');
    const script = await buildWithFailingWrites(service.folder, fault);
    const server = await service.start(PORT, { script });
    const OPS_PORT = new URL(operationsOf(server)).port;
    await writeFile(fault, '');
    const body = '{"name":"a","phone":"1"}';
    const headers = { Authorization: `Bearer ${tokenOf('amina')}` };
    await fetch(`${server.origin}/api/v1/customers`, { method: 'POST', headers, body });
    expect(await readyCommand({ OPS_PORT })).toEqual({
      code: 1,
      output: [
        'not ready: writes_failing (warnings: backup_not_configured)',
        `  writes_failing: ${REASONS.writes_failing.meaning}`,
        `    What to do: ${REASONS.writes_failing.action}`,
        `  backup_not_configured: ${WARNINGS.backup_not_configured.meaning}`,
        `    What to do: ${WARNINGS.backup_not_configured.action}`,
        '',
      ].join('\n'),
    });
  });
});
