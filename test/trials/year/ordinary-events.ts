// What happens in every year: a first start, quiet months, upgrades, keys, a provider's outage.

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SAMPLE_COUNT } from '../../../src/core/domain/sample-records.js';
import { Metrics } from '../../support/operations.js';
import { changedServer } from '../service/changed-server.js';
import { clientOf } from '../service/requests.js';
import { DAY_MS } from './clock.js';
import type { Seen } from './eyes.js';
import { BACKUPS_KEPT, CHANGES } from './machine.js';
import type { Row, YearEvent } from './row.js';

const QUIET_DAYS = 30;
const REFUSED = 401;
const UNAVAILABLE = 503;

/** Nothing that asks for a person. */
export function expectQuiet(row: Row, { log, ready, alerts, statuses }: Seen): void {
  row.expect(log.length === 0, `the log warns: ${log.join(', ')}`);
  row.expect(ready?.ready === true, '/ready says no');
  row.expect(ready?.warnings.length === 0, `/ready warns: ${ready?.warnings.join(', ')}`);
  row.expect((alerts ?? []).length === 0, 'an alert fires');
  row.expect(statuses[0] === 200 && statuses[1] === 201, 'a client is refused');
}

export const firstStart: YearEvent = {
  name: 'the first start',
  days: 0,
  async happen(row) {
    const { machine } = row;
    const isReplicated = machine.litestream !== undefined;
    const start = await machine.start({
      // A replica that nobody has asked yet may hold a database.
      environment: isReplicated ? { DATABASE_CREATE: 'yes' } : {},
    });
    row.expect(start.isUp, 'it does not start');
    const { ready } = await row.look();
    row.expect(ready?.ready === true, '/ready says no');
    const created = start.log.find(({ event }) => event === 'database_created');
    row.expect(created?.level === 'warn', 'no warning database_created');
    row.expect(JSON.stringify(created ?? '').includes(machine.file), 'it does not name the path');
  },
};

/** The figures of a quiet month are those of the files and of the ledger. */
export const quietMonth: YearEvent = {
  name: `${QUIET_DAYS} quiet days`,
  days: 0,
  async happen(row) {
    const { machine } = row;
    if (machine.clock.isMovable) await machine.pass(QUIET_DAYS);
    else await machine.pass(BACKUPS_KEPT + 1);
    const seen = await row.look();
    expectQuiet(row, seen);
    const metrics = new Metrics(seen.metrics ?? '');
    const { data } = await machine.clients.client.get<{ record_count: number }>('/admin/overview');
    // The last look came before the last write.
    const shown = metrics.total('service_records');
    row.expect(shown === data.record_count, `${shown} records shown, ${data.record_count} there`);
    row.expect(data.record_count > SAMPLE_COUNT, 'nothing was written');
    if (machine.litestream === undefined) {
      const names = machine.backupNames();
      row.expect(names.length === BACKUPS_KEPT, `${names.length} backups are kept`);
      const newest = metrics.total('service_backup_last_success_timestamp_seconds') * 1_000;
      // A backup has the time of its begin as its name, and that of its end in the figures.
      const name = `service-${new Date(newest).toISOString().replaceAll(':', '-')}.db`;
      row.expect((names.at(-1) ?? '') <= name, 'the newest backup is not the one shown');
      row.expect(machine.clock.now() - newest < DAY_MS, 'a backup is shown as older than a day');
    }
    await row.compared();
  },
};

export const upgrade: YearEvent = {
  name: 'an upgrade to another build, and back',
  days: 20,
  async happen(row) {
    const { machine } = row;
    const script = changedServer(join(machine.folder, 'release-2'), 'server.js', []);
    for (const how of [{ script }, {}]) {
      row.expect((await machine.end()) === 0, 'the stop fails');
      row.expect((await machine.start(how)).isUp, 'it does not start');
      await machine.clients.change(CHANGES);
      await row.compared();
    }
    expectQuiet(row, await row.look());
  },
};

export const killed: YearEvent = {
  name: 'kill -9, and a start',
  days: 20,
  async happen(row) {
    const { machine } = row;
    await machine.clients.change(CHANGES);
    await machine.end('SIGKILL');
    row.expect((await machine.start()).isUp, 'it does not start');
    await row.compared();
    expectQuiet(row, await row.look());
  },
};

export const outage: YearEvent = {
  name: 'the identity provider is away',
  days: 20,
  async happen(row) {
    const { machine } = row;
    machine.provider.isAway = true;
    row.begin();
    const { ready, alerts, statuses, console, log } = await row.look();
    row.expect(
      statuses.every((status) => status === UNAVAILABLE),
      'clients do not get 503',
    );
    row.expect(ready?.ready === true, '/ready says no, and a restart would cure nothing');
    const warning = 'identity_provider_unavailable';
    row.expect(ready?.warnings.includes(warning) === true, '/ready does not warn');
    row.expect(log.includes(warning), 'the log does not say it');
    row.expect(console.includes('dentity provider'), 'the console does not say it');
    row.expectAlert(alerts, 'ServiceIdentityProviderDown');
    machine.provider.isAway = false;
    await machine.clients.change(CHANGES);
    await row.compared();
  },
};

export const rotatedKeys: YearEvent = {
  name: 'the administration key is rotated: both, then the new one alone',
  days: 20,
  async happen(row) {
    const { machine } = row;
    const [old, next] = [machine.adminKey, randomBytes(32).toString('base64')];
    for (const keys of [[old, next], [next]]) {
      machine.writeKeys(keys);
      await machine.end();
      machine.adminKey = next;
      row.expect((await machine.start()).isUp, 'it does not start');
      const status = await statusWith(machine.origin, old);
      row.expect((status === REFUSED) === !keys.includes(old), `the old key gets ${status}`);
      await row.compared();
    }
    const { console, log } = await row.look();
    row.expect(log.includes('admin_key_refused'), 'the log does not say admin_key_refused');
    row.expect(/well/.test(console), 'the console cannot look');
  },
};

async function statusWith(origin: string, key: string): Promise<number> {
  const client = clientOf(origin, key);
  try {
    return (await client.send({ method: 'GET', path: '/admin/overview' })).status;
  } finally {
    client.close();
  }
}

export const erasure: YearEvent = {
  name: 'an account is erased, and comes back with an older state',
  days: 20,
  async happen(row) {
    const { machine } = row;
    const body = { name: 'Fatuma', phone: '+255 713 000 001' };
    const call = { method: 'POST', path: '/customers', account: 'fatuma', body } as const;
    await machine.clients.client.send(call);
    const back = await olderState(row);
    await erase(row);
    row.expect(existsSync(machine.erasures), 'no ledger was written');
    await machine.clients.change(CHANGES);
    row.begin();
    const { said, lost } = await back();
    const isNamed = said.includes('fatuma');
    row.saw(`the restore or the start ${isNamed ? 'names the account' : 'says nothing'}`);
    row.expect(isNamed, 'nobody names the account that came back');
    row.lost(`${lost} acknowledged since that state, as the page says`, true);
    await erase(row);
    const { data } = await machine.clients.client.get<unknown[]>('/admin/accounts?q=fatuma');
    row.expect(data.length === 0, 'the account is still there');
    await row.compared();
  },
};

/** Keeps the state of now. Resolves with the way back to it. */
async function olderState({ machine }: Row) {
  const moment = machine.clients.ledger.begun;
  const at = new Date();
  await machine.backUpNow();
  const name = machine.backupNames().at(-1) ?? '';
  return async () => {
    await machine.end();
    if (machine.litestream === undefined) {
      const { stdout, stderr, lost } = await machine.restore(name);
      await machine.start();
      return { said: stdout + stderr, lost };
    }
    await machine.endLitestream('SIGTERM');
    machine.restoreReplica(at);
    const { log } = await machine.start();
    return { said: JSON.stringify(log), lost: machine.clients.ledger.goBack(moment) };
  };
}

async function erase({ machine }: Row): Promise<void> {
  const to = join(machine.folder, `fatuma-${machine.log.length}`);
  const args = ['erase', '--account', 'fatuma', '--export-first', to, '--confirm', 'fatuma'];
  const { code, stdout, stderr } = await machine.run(args);
  if (code !== 0) throw new Error(`erase: ${stdout}${stderr}`);
}
