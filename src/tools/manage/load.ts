// `manage load FILE`: puts a dump into an empty database.

import { dirname } from 'node:path';
import { ledgerPath, readLedger } from '../../storage/erasures/ledger.js';
import type { Waits } from '../data/waiting.js';
import { CheckedDump, type Loaded } from '../dump/checked-dump.js';
import { writeNewIds } from '../dump/new-ids.js';
import { flag, text } from '../program/arguments.js';
import { type Command, commandOf } from '../program/command.js';
import { pathOf, warnOfSlips } from '../program/command-dependencies.js';
import { EXIT_DONE, EXIT_FAILED } from '../program/ending.js';
import { DUMP_SETTINGS, subjectIn, targetOf } from './dump.js';

const NAMED_MAX_ACCOUNTS = 20;

export function loadCommand(waits?: Waits): Command {
  return commandOf({
    name: 'manage load',
    usage: 'FILE [--to FILE|URL] [--account SUBJECT] [--bring-back]',
    about: `Loads the dump FILE into a new database file, an empty Postgres database or
Workers. Nothing is overwritten, and a dump that was cut or changed is refused
as a whole. Interrupted, run it again. Ends with 1 if an account is refused.`,
    options: {
      to: text(
        'FILE|URL',
        'a new database file, or the address of the admin Worker;\nunless given, DATABASE_URL',
      ),
      account: text('SUBJECT', 'this account alone'),
      'bring-back': flag('also loads accounts that were erased since'),
    },
    settings: [
      ...DUMP_SETTINGS,
      ['ERASURE_LEDGER', 'or BACKUP_DIR, as the service has it: who was erased'],
    ],
    isFrugal: true,
    async run({ values, file }, dependencies) {
      const { environment, out } = dependencies;
      const path = pathOf(dependencies, file);
      const account = subjectIn(values.account);
      warnOfSlips(dependencies);
      const { name, target } = targetOf(values.to, dependencies, waits);
      try {
        const ledgerAt = ledgerPath(environment, environment['BACKUP_DIR'] || dirname(path));
        const ledger = values['bring-back'] ? undefined : await readLedger(ledgerAt ?? '');
        const { givesIdsOnce } = target;
        const dump = await CheckedDump.read(path, { account, ledger, givesIdsOnce });
        try {
          const loaded: Loaded = await target.load(dump);
          const newIds = `${path}-new-ids.csv`;
          const renumbered = await writeNewIds(newIds, dump.renumbered());
          out(reportOf(name, loaded));
          if (renumbered > 0) out(`  ${renumbered} records have new ids; the list is ${newIds}\n`);
          const left = [...leftOut(dump.withheld, loaded.refused ?? new Map())];
          for (const line of left.slice(0, NAMED_MAX_ACCOUNTS)) out(`  ${line}\n`);
          const more = left.length - NAMED_MAX_ACCOUNTS;
          if (more > 0) out(`  not loaded: ${more} more accounts\n`);
          return left.length === 0 ? EXIT_DONE : EXIT_FAILED;
        } finally {
          dump.close();
        }
      } finally {
        await target.close();
      }
    },
  });
}

function reportOf(name: string, { wasThere, totals, remarks = [] }: Loaded): string {
  const { records, events, contents } = totals;
  const verb = wasThere ? 'had been loaded before' : 'loaded';
  const lines = [
    `${name}: ${records} records and ${events} audit events ${verb}`,
    ...(contents === undefined ? [] : [`contents ${contents}`]),
    ...remarks,
  ];
  return `${lines.join('\n  ')}\n`;
}

function* leftOut(
  withheld: ReadonlyMap<string, string>,
  refused: ReadonlyMap<string, string>,
): Generator<string> {
  for (const [owner, erased] of withheld) {
    yield `not loaded: ${JSON.stringify(owner)}: it was erased on ${erased}; --bring-back loads it`;
  }
  for (const [owner, reason] of refused) yield `not loaded: ${JSON.stringify(owner)}: ${reason}`;
}
