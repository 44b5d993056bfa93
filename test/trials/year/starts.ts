// Starts that must be refused, and what follows when they are not: nobody notices for days.

import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BACKUPS_KEPT, type StartOptions } from './machine.js';
import type { Row } from './row.js';

/** So long that the rotation has removed every older backup. */
const UNNOTICED_DAYS = BACKUPS_KEPT + 1;

/** What is said where a database was and none is. */
export const EARLIER = /DATABASE_CREATE|restore/;

/**
 * Starts the service, which must end with exit code 1 and the sentence. Otherwise it goes on as
 * if nobody noticed, and the row says so. Then no service runs, and all backups are there.
 */
export async function refusedStart(row: Row, sentence: RegExp, how: StartOptions = {}) {
  const { machine } = row;
  const aside = join(machine.folder, 'aside');
  cpSync(machine.backups, aside, { recursive: true });
  const isChecked = how.under === undefined ? (await machine.check()).code !== 0 : true;
  row.expect(isChecked, '--check finds nothing');
  row.begin();
  const start = await machine.start(how);
  if (start.isUp) {
    row.expect(false, 'the start was accepted');
    await row.look();
    for (let day = 0; day < UNNOTICED_DAYS; day++) await machine.quietDay();
    await machine.end();
  } else {
    const failed = start.log.find(({ event }) => event === 'start_failed');
    const text = String(failed?.['error'] ?? failed?.['reason'] ?? '');
    const short = text.replaceAll(`${machine.folder}/`, '');
    row.saw(`exit code ${start.code}: "${short}"`);
    row.expect(start.code === 1, `exit code ${start.code}`);
    row.expect(sentence.test(text), `the sentence does not say ${sentence}`);
    const { alerts } = await row.look();
    row.expectAlert(alerts, 'ServiceDown');
  }
  const missing = readdirSync(aside).filter((name) => !existsSync(join(machine.backups, name)));
  row.expect(missing.length === 0, `${missing.length} good backups removed`);
  // The year goes on with them, whatever became of them.
  rmSync(machine.backups, { recursive: true });
  cpSync(aside, machine.backups, { recursive: true });
  rmSync(aside, { recursive: true });
}
