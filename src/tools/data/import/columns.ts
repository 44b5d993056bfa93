// Decides which column becomes which property, before the first row is judged.

import { COLLECTION_NAMES } from '../../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../../core/domain/collections.js';
import { UsageError } from '../../program/ending.js';
import { CommandError } from '../failures.js';

export interface Column {
  /** The header as the file has it, without spaces around it; empty if the column has none. */
  readonly header: string;
  readonly property: string;
  readonly isNumber: boolean;
}

/** The properties that must be numbers, or with which the service computes. */
const NUMBER_PROPERTIES: ReadonlySet<string> = new Set(
  COLLECTION_NAMES.flatMap((collection) =>
    COLLECTIONS[collection].properties
      .filter(({ kind }) => kind === 'money')
      .map(({ name }) => name),
  ),
);
const MAP_EXAMPLE = '--map "Jina=name,Simu=phone"';

/** `Jina=name,Simu=phone`; a comma or an equals sign of a header has a backslash before it. */
export function parseMap(given: readonly string[]): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (const pair of given.flatMap((text) => text.split(/(?<!\\),/))) {
    const [header = '', property = '', ...more] = pair
      .split(/(?<!\\)=/)
      .map((part) => part.trim().replace(/\\([,=])/g, '$1'));
    if (header === '' || property === '' || more.length > 0) {
      throw new UsageError(
        `--map has ${JSON.stringify(pair)}; it must be HEADER=PROPERTY, such as ${MAP_EXAMPLE}`,
      );
    }
    if (map.has(header)) throw new UsageError(`--map names the header ${quoted(header)} twice`);
    if ([...map.values()].includes(property)) {
      throw new UsageError(`--map gives the property ${quoted(property)} two headers`);
    }
    map.set(header, property);
  }
  return map;
}

/** Throws if two columns would become one property, or if the map names a missing column. */
export function columnsOf(
  file: string,
  line: number,
  headers: readonly string[],
  map: ReadonlyMap<string, string>,
): Column[] {
  const names = headers.map((header) => header.trim());
  for (const header of map.keys()) {
    if (!names.includes(header)) {
      throw new UsageError(
        `--map names the column ${quoted(header)}; ${file} has ${names.map(quoted).join(', ')}`,
      );
    }
  }
  const taken = new Map<string, number>();
  return names.map((header, index) => {
    const property = map.get(header) ?? header;
    const other = taken.get(property);
    if (header !== '' && other !== undefined) {
      // The map goes by name, so it cannot tell two equal headers apart.
      const cure = names[other] === header ? 'rename one in the file' : 'rename one, or pass --map';
      throw new CommandError(
        `${file}, line ${line}: columns ${other + 1} (${quoted(names[other] ?? '')}) and ${index + 1} (${quoted(header)}) would both be the property ${quoted(property)}; ${cure}`,
      );
    }
    taken.set(property, index);
    return { header, property, isNumber: NUMBER_PROPERTIES.has(property) };
  });
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
