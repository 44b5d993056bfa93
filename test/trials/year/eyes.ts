// What an operator sees after an event: the log, /ready, /metrics, the alerts, the console, and
// the status that clients get.

import { startConsoleProcess } from '../../support/console-process.js';
import { Visitor } from '../../support/console-visitor.js';
import { type ReadyPage, readyOf } from '../../support/operations.js';
import { alertsOf, type FiredAlert, promtoolIsThere } from './alerts.js';
import type { Machine } from './machine.js';

/** An account outside the ledger, for requests that may fail. */
const ASKING = 'asking';
const QUESTIONS = 3;
const CONSOLE_PAGES = ['/', '/health'];

export interface Seen {
  /** Each event of level warn or error, once. */
  readonly log: readonly string[];
  /** Undefined where nothing answers. */
  readonly ready: ReadyPage | undefined;
  readonly metrics: string | undefined;
  /** Undefined without promtool. */
  readonly alerts: readonly FiredAlert[] | undefined;
  /** The text of its pages. */
  readonly console: string;
  /** Of a read and a write of an account; undefined where nothing answers. */
  readonly statuses: readonly [read: number | undefined, write: number | undefined];
}

/** The log and the metrics at a moment before an event. */
export interface Mark {
  readonly lines: number;
  readonly metrics: string | undefined;
}

const hasPromtool = promtoolIsThere();

export async function markOf(machine: Machine): Promise<Mark> {
  return { lines: machine.log.length, metrics: await metricsOf(machine) };
}

export async function look(machine: Machine, mark: Mark): Promise<Seen> {
  const after = await metricsOf(machine);
  let statuses: Seen['statuses'] = [undefined, undefined];
  for (let question = 0; question < QUESTIONS; question++) statuses = await ask(machine);
  const later = await metricsOf(machine);
  const scrapes = { before: mark.metrics, after, later, at: machine.clock.now() };
  return {
    log: loud(machine, mark),
    ready: await readyOf(machine.operations).catch(() => undefined),
    metrics: later,
    alerts: hasPromtool ? alertsOf(scrapes, machine.folder) : undefined,
    console: await consoleOf(machine),
    statuses,
  };
}

/** Every event since then that is more than information, once. */
export function loud(machine: Machine, mark: Mark): string[] {
  const lines = machine.log.slice(mark.lines).filter(({ level }) => level !== 'info');
  return [...new Set(lines.map(({ event }) => event))];
}

/** One line of a table. */
export function wordsOf({ log, ready, alerts, statuses }: Seen): string {
  const words = [`log: ${list(log)}`];
  if (ready === undefined) words.push('/ready: no answer');
  else {
    const { reasons, warnings } = ready;
    words.push(
      `/ready: ${ready.ready ? 'yes' : `no, ${list(reasons)}`}, warnings ${list(warnings)}`,
    );
  }
  if (alerts !== undefined) {
    words.push(`alerts: ${list(alerts.map(({ name, minutes }) => `${name} (${minutes} min)`))}`);
  }
  words.push(`a read ${statuses[0] ?? 'no answer'}, a write ${statuses[1] ?? 'no answer'}`);
  return words.join('; ');
}

function list(words: readonly string[]) {
  return words.length === 0 ? 'none' : words.join(', ');
}

async function metricsOf(machine: Machine): Promise<string | undefined> {
  return fetch(`${machine.operations}/metrics`)
    .then((response) => response.text())
    .catch(() => undefined);
}

async function ask(machine: Machine): Promise<Seen['statuses']> {
  const headers = { Authorization: `Bearer ${ASKING}` };
  const url = `${machine.origin}/api/v1/customers`;
  const body = '{"name":"Neema Mushi","phone":"+255 713 445 210"}';
  const status = (init: RequestInit) =>
    fetch(url, { ...init, headers }).then(
      async (response) => {
        await response.body?.cancel();
        return response.status;
      },
      () => undefined,
    );
  return [await status({ method: 'GET' }), await status({ method: 'POST', body })];
}

/** The pages that an operator who signs in now reads. */
async function consoleOf(machine: Machine): Promise<string> {
  const running = await startConsoleProcess({
    ...machine.clock.environment,
    SERVICE_URL: `${machine.origin}/api/v1`,
    ADMIN_API_KEY: machine.adminKey,
    CONSOLE_OPS_URL: machine.operations,
  });
  try {
    const visitor = new Visitor(running.origin);
    await visitor.signIn(running.code());
    const pages = [];
    for (const path of CONSOLE_PAGES) pages.push((await visitor.get(path)).text);
    return pages
      .join(' ')
      .replaceAll(/<(?:style|script)[\s\S]*?<\/(?:style|script)>|<[^>]+>/g, ' ')
      .replaceAll(/\s+/g, ' ');
  } finally {
    await running.stop();
  }
}
