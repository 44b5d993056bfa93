// Finds the header, and maps its columns to properties.

import type { CollectionName } from '../../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../../core/domain/collections.js';
import type { Property } from '../../../core/domain/property.js';
import { UsageError } from '../../program/command.js';
import { type Cell, INVISIBLE, isCellError, textOfCell } from '../cell-values.js';
import { CommandError } from '../errors.js';
import type { SheetRow } from './text-rows.js';

export interface Column {
  /** As in the file, trimmed; empty if the column has none. */
  readonly header: string;
  readonly property: string;
  /** Undefined if the table of collections has no such property. */
  readonly known: Property | undefined;
}

export interface Header {
  /** Among the rows that were searched. */
  readonly index: number;
  readonly columns: readonly Column[];
  /** Whether the file is one of our exports: only these have the columns `id` and `owner_sub`. */
  readonly isExport: boolean;
}

/** Parses `Jina=name,Simu=phone` into `map`. A backslash escapes a comma or an equals sign in a header. */
export function parseMap(given: string, map = new Map<string, string>()) {
  for (const pair of given.split(/(?<!\\),/)) {
    const [header = '', property = '', ...more] = pair
      .split(/(?<!\\)=/)
      .map((part) => part.trim().replace(/\\([,=])/g, '$1'));
    if (header === '' || property === '' || more.length > 0) {
      throw new UsageError(
        `--map has ${JSON.stringify(pair)}; it must be HEADER=PROPERTY, such as --map "Jina=name,Simu=phone"`,
      );
    }
    map.set(header, property);
  }
  return map;
}

/**
 * The header is the first row that has every required property and every column of the map; titles may
 * precede it. If there is none, throws an error with what the first row lacks.
 */
export function headerIn(
  file: string,
  rows: readonly SheetRow[],
  collection: CollectionName,
  map: ReadonlyMap<string, string> = new Map(),
): Header {
  const { properties } = COLLECTIONS[collection];
  const required = properties.filter(({ rule }) => rule).map(({ name }) => name);
  const unmapped = (names: readonly string[]) =>
    [...map.keys()].filter((key) => !names.includes(key));
  const lacking = (names: readonly string[]) => {
    const given = names.map((name) => map.get(name) ?? name);
    return required.filter((property) => !given.includes(property));
  };
  const isHeader = (names: readonly string[]) =>
    unmapped(names).length + lacking(names).length === 0;
  const candidates = rows.map(namesIn);
  const index = Math.max(candidates.findIndex(isHeader), 0);
  const names = candidates[index] ?? [];
  const listed = names.map(quoted).join(', ');
  const [unknown] = unmapped(names);
  if (unknown !== undefined) {
    throw new UsageError(`--map names the column ${quoted(unknown)}; ${file} has ${listed}`);
  }
  const missing = lacking(names);
  if (missing.length > 0) {
    const example = missing.map((property) => `HEADER=${property}`).join(',');
    throw new CommandError(
      `${file}: no column for ${missing.join(' or ')}, which ${collection} must have; the columns are ${listed}; pass --map "${example}", or another --delimiter`,
    );
  }
  const taken = new Map<string, number>();
  const columns = names.map((header, at) => {
    const property = map.get(header) ?? header;
    const other = taken.get(property);
    if (header !== '' && other !== undefined) {
      throw new CommandError(
        `${file}, line ${rows[index]?.line}: columns ${other + 1} (${quoted(names[other] ?? '')}) and ${at + 1} (${quoted(header)}) would both be the property ${quoted(property)}; rename one in the file`,
      );
    }
    taken.set(property, at);
    return { header, property, known: properties.find(({ name }) => name === property) };
  });
  return { index, columns, isExport: isExport(names) };
}

function namesIn({ cells }: SheetRow): string[] {
  const names = cells.map(headerOf);
  if (!isExport(names)) return names.map((name) => name.trim());
  return names.map((name) => (name.startsWith("'") ? name.slice(1) : name));
}

/** A cell that is merged with another one is empty. */
function headerOf(cell: Cell): string {
  return isCellError(cell) ? '' : textOfCell(cell).replace(INVISIBLE, '');
}

function isExport(names: readonly string[]): boolean {
  return names.includes('id') && names.includes('owner_sub');
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
