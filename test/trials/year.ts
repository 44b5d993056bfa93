// The trial `year`: a year of an operator in minutes, on a file and with Litestream. The clock jumps
// from day to day. After each event what an operator sees is held against what happened, and what
// was acknowledged against what is there.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { litestreamProgram } from '../../scripts/bench/litestream.js';
import { newSeed, randomFrom } from './load/random.js';
import type { Finding, Trial, TrialOptions } from './trial.js';
import {
  afterWrongClock,
  backupsAway,
  createdByMistake,
  fullDisk,
  sameBuild,
  wrongClock,
} from './year/care-events.js';
import { Clock, fakeTimeLibrary } from './year/clock.js';
import { fileGone, wrongMount } from './year/file-events.js';
import {
  emptyFile,
  emptyFolder,
  lostFolder,
  lostLog,
  lostReplicatedLog,
  machineLost,
} from './year/lost-files.js';
import { Machine } from './year/machine.js';
import {
  erasure,
  firstStart,
  killed,
  outage,
  quietMonth,
  rotatedKeys,
  upgrade,
} from './year/ordinary-events.js';
import { replicaAway, replicatedFileGone } from './year/replica-events.js';
import { type Cells, Row, tableOf, type YearEvent } from './year/row.js';

const ON_A_FILE: readonly YearEvent[] = [
  firstStart,
  quietMonth,
  upgrade,
  sameBuild,
  outage,
  fullDisk,
  backupsAway,
  rotatedKeys,
  emptyFolder,
  killed,
  wrongMount,
  lostFolder,
  emptyFile,
  createdByMistake,
  erasure,
  lostLog,
  fileGone,
  wrongClock,
  afterWrongClock,
  quietMonth,
];

const WITH_LITESTREAM: readonly YearEvent[] = [
  firstStart,
  quietMonth,
  upgrade,
  replicaAway,
  rotatedKeys,
  machineLost,
  killed,
  emptyFile,
  outage,
  erasure,
  lostReplicatedLog,
  replicatedFileGone,
  quietMonth,
];

/** The events of the smallest version. */
export const SMALL: readonly YearEvent[] = [
  firstStart,
  emptyFolder,
  emptyFile,
  lostLog,
  fileGone,
  erasure,
];

/** A short version keeps the events and leaves most days out. */
const QUICK_DAYS = 2;

export const year: Trial = async (options) => {
  const findings = await yearOf({ ...options, events: ON_A_FILE, place: 'on a file' });
  const litestream = litestreamProgram();
  const place = 'with Litestream';
  if (litestream === undefined) {
    const found = 'Litestream is not on this machine: set LITESTREAM to its path';
    findings.push({ fault: place, tried: 'not at all', found, holds: undefined });
  } else {
    findings.push(...(await yearOf({ ...options, events: WITH_LITESTREAM, place, litestream })));
  }
  return findings;
};

export interface YearOptions extends TrialOptions {
  readonly place: string;
  readonly events: readonly YearEvent[];
  readonly litestream?: string | undefined;
  readonly seed?: number;
  /** Whether the clock is the machine's: no day passes, and backups are asked for. */
  readonly isStill?: boolean;
}

export async function yearOf(options: YearOptions): Promise<Finding[]> {
  const {
    events,
    place,
    quick,
    litestream,
    only = '',
    say,
    seed = newSeed(),
    isStill = false,
  } = options;
  const folder = join(options.folder, place.replaceAll(' ', '-'));
  mkdirSync(folder);
  const clock = new Clock(folder, isStill ? undefined : fakeTimeLibrary());
  const machine = await Machine.open({ folder, clock, random: randomFrom(seed), litestream });
  const findings: Finding[] = [];
  const rows: Cells[] = [];
  try {
    for (const event of events) {
      if (event !== firstStart && !event.name.includes(only)) continue;
      const lacking = event.lacks?.(machine);
      if (lacking !== undefined) {
        findings.push({ fault: event.name, tried: 'not at all', found: lacking, holds: undefined });
        continue;
      }
      const days = quick ? Math.min(QUICK_DAYS, event.days) : event.days;
      await machine.pass(days);
      const row = await Row.of(machine, event.name);
      const isOver = await event.happen(row).then(
        () => false,
        (error) => {
          row.failed(error);
          return true;
        },
      );
      rows.push(row.cells);
      findings.push({ ...row.finding, fault: `${place}, ${row.finding.fault}` });
      say(`${place}: ${event.name}`);
      // What is left of the machine after that is no ordinary year.
      if (isOver) break;
    }
    say(`${place}\n${tableOf(rows)}`);
    const { acknowledged } = machine.clients.ledger.outcomes;
    say(`${place}: ${machine.day} days (seed ${seed}), ${acknowledged} changes acknowledged`);
  } finally {
    await machine.close();
  }
  return findings;
}
