// What happens to the disk, the backups and the clock of a year on a file.

import { cpSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Metrics } from '../../support/operations.js';
import { privateMounts } from '../../support/private-mounts.js';
import { DAY_MS } from './clock.js';
import { emptyDataFolder } from './lost-files.js';
import { BACKUPS_KEPT, CHANGES } from './machine.js';
import { expectQuiet } from './ordinary-events.js';
import type { YearEvent } from './row.js';

const DISK_BYTES = 12_000_000;
/** So many failures that the disk is certainly full. */
const FULL_MAX_CHANGES = 3_000;
const WRONG_DAYS = 400;
const AWAY_DAYS = 3;
/** So long that the rotation has removed every older backup, but one that it holds back. */
const UNNOTICED_DAYS = BACKUPS_KEPT + 1;
const NO_CLOCK = 'no day passes here: install faketime';

export const fullDisk: YearEvent = {
  name: `the disk is full (tmpfs of ${DISK_BYTES / 1e6} MB), and gets room again`,
  days: 20,
  lacks: () => (privateMounts() === undefined ? 'this user may not mount' : undefined),
  async happen(row) {
    const { machine } = row;
    await machine.end();
    const data = dirname(machine.file);
    const copy = join(machine.folder, 'before-full');
    cpSync(data, copy, { recursive: true });
    const mount = `mount -t tmpfs -o size=${DISK_BYTES} tmpfs "$0" && cp -a "$1/." "$0" && shift && exec "$@"`;
    await machine.start({ under: [...(privateMounts() ?? []), 'sh', '-c', mount, data, copy] });
    const inside = join('/proc', String(machine.service?.pid), 'root', data);
    const { bavail, bsize } = statfsSync(inside);
    const ballast = join(inside, 'ballast');
    writeFileSync(ballast, Buffer.alloc(bavail * bsize));
    row.begin();
    const { unknown } = machine.clients.ledger.outcomes;
    for (let tried = 0; tried < FULL_MAX_CHANGES; tried++) {
      if (machine.clients.ledger.outcomes.unknown > unknown) break;
      await machine.clients.create();
    }
    const { ready, alerts, statuses, log } = await row.look();
    row.expect(statuses[0] === 200, 'a read is refused');
    row.expect(ready?.reasons.includes('disk_full') === true, '/ready does not say disk_full');
    row.expect(log.includes('storage_commit_failed'), 'the log does not say it');
    row.expectAlert(alerts, 'ServiceWritesFailing');
    rmSync(ballast);
    await machine.clients.change(CHANGES);
    await row.compared();
    // Back to the real disk, with what the small one has.
    machine.service?.child.kill('SIGSTOP');
    cpSync(inside, data, { recursive: true, force: true });
    await machine.end('SIGKILL');
    await machine.start();
    await row.compared();
  },
};

export const backupsAway: YearEvent = {
  name: `the folder of the backups is away for ${AWAY_DAYS} days`,
  days: 20,
  lacks: ({ clock }) => (clock.isMovable ? undefined : NO_CLOCK),
  async happen(row) {
    const { machine } = row;
    const away = join(machine.folder, 'backups-away');
    renameSync(machine.backups, away);
    row.begin();
    for (let day = 0; day < AWAY_DAYS; day++) await machine.quietDay();
    const { ready, alerts, log, console } = await row.look();
    row.expect(log.includes('backup_failed'), 'the log does not say backup_failed');
    row.expect(ready?.warnings.includes('backup_failed') === true, '/ready does not warn');
    row.expect(/ackup/.test(console), 'the console does not say it');
    for (const wanted of ['ServiceBackupFailed', 'ServiceBackupMissing']) {
      row.expectAlert(alerts, wanted);
    }
    renameSync(away, machine.backups);
    await machine.pass(1);
    await row.compared();
  },
};

export const wrongClock: YearEvent = {
  name: `one start with a clock ${WRONG_DAYS} days ahead`,
  days: 20,
  lacks: ({ clock }) => (clock.isMovable ? undefined : NO_CLOCK),
  async happen(row) {
    const { machine } = row;
    const good = machine.backupNames();
    await machine.end();
    await machine.start({ environment: machine.clock.wrongBy(WRONG_DAYS) });
    await machine.backUpNow();
    await machine.clients.change(CHANGES);
    await machine.end();
    row.begin();
    await machine.start();
    await machine.pass(1);
    const { metrics, alerts } = await row.look();
    const newest = new Metrics(metrics ?? '').total(
      'service_backup_last_success_timestamp_seconds',
    );
    const ahead = Math.round((newest * 1_000 - machine.clock.now()) / DAY_MS);
    row.expect(ahead <= 0, `the newest backup is shown ${ahead} days ahead`);
    const left = machine.backupNames().filter((name) => good.includes(name)).length;
    row.expect(left >= good.length - 3, `${good.length - left} good backups are gone`);
    row.expect((alerts ?? []).length === 0, 'an alert fires');
    await row.compared();
    const warned = row.log.some((event) => /clock|future|backup/.test(event));
    row.expect(warned, 'the log does not name the backup from the future');
  },
};

/** The watch over the backups sees that none was taken, whatever a wrong clock left. */
export const afterWrongClock: YearEvent = {
  ...backupsAway,
  name: `after the wrong clock ${backupsAway.name}`,
  days: 5,
};

export const createdByMistake: YearEvent = {
  name: `DATABASE_CREATE=yes on an empty folder, by mistake; nobody looks for ${UNNOTICED_DAYS} days`,
  days: 20,
  async happen(row) {
    const { machine } = row;
    const good = machine.backupNames().at(-1) ?? '';
    const aside = join(machine.folder, 'good.db');
    cpSync(join(machine.backups, good), aside);
    await machine.end();
    emptyDataFolder(machine);
    row.begin();
    const start = await machine.start({ environment: { DATABASE_CREATE: 'yes' } });
    const { alerts } = await row.look();
    const created = start.log.find(({ event }) => event === 'database_created');
    row.expect(created?.level === 'warn', 'no warning database_created');
    row.expectAlert(alerts, 'ServiceRecordsFell');
    for (let day = 0; day < UNNOTICED_DAYS; day++) await machine.quietDay();
    const { ready } = await row.look();
    row.expect(ready?.warnings.includes('backup_held_back') === true, '/ready does not warn');
    const isThere = machine.backupNames().includes(good);
    row.expect(isThere, 'the rotation removed the newest good backup');
    await machine.end();
    // The year goes on with it, whatever became of it.
    cpSync(aside, join(machine.backups, good));
    const { lost } = await machine.restore(good);
    await machine.start();
    row.lost(`${lost} acknowledged since the newest good backup, as the page says`, true);
    await row.compared();
    // The small backups after it hold nothing of worth.
    for (const name of machine.backupNames()) if (name > good) rmSync(join(machine.backups, name));
  },
};

export const sameBuild: YearEvent = {
  name: 'a restart with the same build',
  days: 20,
  async happen(row) {
    const { machine } = row;
    row.expect((await machine.end()) === 0, 'the stop fails');
    row.expect((await machine.start()).isUp, 'it does not start');
    await row.compared();
    expectQuiet(row, await row.look());
  },
};
