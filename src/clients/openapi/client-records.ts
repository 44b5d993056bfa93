// The types of the records in the clients, as the text of `src/clients/client/records.ts`.
// TypeScript cannot make them from the table without the schema library, which the clients'
// users do not have; and as text they have comments, which an editor shows.

import { COLLECTION_NAMES, type CollectionName } from '../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../core/domain/collections.js';
import type { Property, PropertyKind } from '../../core/domain/property.js';

const HEAD = `// The types of the records of each collection: what a create takes, and what an
// answer holds. \`npm run client-types\` writes this file from src/core/domain/collections.ts.
// They name the properties that the contract knows, so that a slip in a name does not
// compile. Null clears a property that is optional; one with a default always has a value.
// A program's own properties are declared: see \`OwnProperties\`.

import type { RecordOf } from './stored.js';
`;

const TYPES: Readonly<Record<PropertyKind, string>> = {
  text: 'string',
  moment: 'string',
  number: 'number',
  money: 'number',
  flag: 'boolean',
  object: 'Record<string, unknown>',
};

export function clientTypes(): string {
  return [
    HEAD,
    ...COLLECTION_NAMES.map(bodyOf),
    `${COLLECTION_NAMES.map(recordOf).join('\n')}\n`,
    collections(),
    names(),
  ].join('\n');
}

function bodyOf(name: CollectionName): string {
  const { names, properties } = COLLECTIONS[name];
  return `export interface New${names.one} {\n${properties.map(memberOf).join('')}}\n`;
}

function memberOf(property: Property): string {
  const { name, kind, description, isRequired, default: value } = property;
  const type = TYPES[kind];
  const optional = `${name}?: ${type}${value === undefined ? ' | null' : ''} | undefined`;
  const member = isRequired ? `${name}: ${type}` : optional;
  return `  /** ${description}.${ruleOf(property)} */\n  ${member};\n`;
}

function ruleOf({ kind, isRequired, default: value }: Property): string {
  if (isRequired) return kind === 'money' ? ' Above 0.' : ' Not empty.';
  return value === undefined ? '' : ` Default: ${value}.`;
}

function recordOf(name: CollectionName): string {
  const { names, defaults, mirrorsOwner } = COLLECTIONS[name];
  const set = Object.keys(defaults).map((property) => `'${property}'`);
  const parameters = [`New${names.one}`, ...(set.length > 0 ? [set.join(' | ')] : [])].join(', ');
  const members = mirrorsOwner ? '{\n  readonly ownerSub: string;\n}' : '{}';
  return `export interface ${names.one} extends RecordOf<${parameters}> ${members}`;
}

function collections(): string {
  const members = COLLECTION_NAMES.map((name) => {
    const { one } = COLLECTIONS[name].names;
    return `  ${name}: { body: New${one}; record: ${one} };\n`;
  });
  return `/** The body of a create and the stored record, by collection. */
export interface Collections {
${members.join('')}}
`;
}

function names(): string {
  const members = COLLECTION_NAMES.map((name) => `  '${name}',\n`);
  return `/** The default export, because \`export type *\` leaves it out: the clients export types alone. */
const NAMES = [
${members.join('')}] as const satisfies readonly (keyof Collections)[];

export default NAMES;
`;
}
