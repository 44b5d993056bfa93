// The help of a command, made of what its description says: one screen.

import { COMMON, type Options } from './arguments.js';
import { EXIT_DONE, EXIT_FAILED, EXIT_INTERRUPTED, EXIT_WRONG_USE } from './ending.js';

/** A name, and a line or several about it. */
export type Row = readonly [name: string, says: string];

/** Where the second column begins. */
const COLUMN = 24;

interface Described {
  readonly name: string;
  readonly usage: string;
  readonly about: string;
  readonly options: Options;
  readonly settings?: readonly Row[];
  readonly ending?: string;
}

export function helpOf({ name, usage, about, options, settings = [], ending }: Described): string {
  const parts = [
    `${name} ${usage}`.trimEnd(),
    about,
    rowsOf([...rowsOn(options), ...rowsOn(COMMON)]),
  ];
  if (settings.length > 0) parts.push(`Settings (environment)\n${rowsOf(settings)}`);
  return `${parts.join('\n\n')}\n${exitCodes(ending !== 'own')}\n`;
}

export function rowsOf(rows: readonly Row[]): string {
  return rows
    .map(([name, says]) => {
      const left = `  ${name}`.padEnd(COLUMN - 1);
      return `${left} ${says.replaceAll('\n', `\n${' '.repeat(COLUMN)}`)}`;
    })
    .join('\n');
}

/** Of a service, Ctrl-C is the end that it waits for. */
export function exitCodes(isInterruptible: boolean): string {
  const codes = `${EXIT_DONE} done, ${EXIT_FAILED} failed, ${EXIT_WRONG_USE} usage error`;
  return `Exit codes: ${codes}${isInterruptible ? `, ${EXIT_INTERRUPTED} stopped with Ctrl-C` : ''}.`;
}

function rowsOn(options: Options): Row[] {
  return Object.entries(options).flatMap(([name, { value, says }]) =>
    says === undefined ? [] : [[`--${name}${value === undefined ? '' : ` ${value}`}`, says]],
  );
}
