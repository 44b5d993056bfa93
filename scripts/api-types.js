// `npm run types`: writes src/core/domain/api-schema.ts, the types of the clients and of the
// operator's views, from the OpenAPI document. test/house/api-types.test.ts fails when they are stale.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from 'json-schema-to-typescript';
import { makeDocument } from './build-document.js';
import { root } from './root.js';

/** @typedef {Record<string, any>} Schema */

export const TYPES_FILE = 'src/core/domain/api-schema.ts';
const HEAD = `// The records, payments and views as the clients and the operator's views type them.
// Made from the OpenAPI document by \`npm run types\`: change src/core/domain/collections.ts or
// src/clients/openapi, and run it again.
`;
const REF = '#/components/schemas/';
/** The clients unwrap envelopes, and type changes and errors themselves. */
const UNTYPED = /(Result|List|Changes|Meta|Deletion|ErrorDetail|ErrorEnvelope)$/;
/** The service sets these; no program can change them. */
const IDENTITY = ['id', 'owner_sub', 'ownerSub'];

/**
 * The text of `TYPES_FILE`.
 * @param {Schema} document
 * @returns {Promise<string>}
 */
export async function apiTypes(document) {
  const schemas = Object.entries(structuredClone(document['components'].schemas)).filter(
    ([name]) => !UNTYPED.test(name),
  );
  const collections = collectionsIn(document);
  const all = Object.fromEntries(schemas);
  for (const { body, record } of collections) typeRecord(all[body], all[record]);
  const names = collections.map(({ name }) => name);
  for (const [, schema] of schemas) {
    typeForClients(schema, names);
    if (Object.keys(schema.properties).join() === names.join()) typeByCollection(schema);
  }
  const definitions = JSON.parse(JSON.stringify(all).replaceAll(REF, '#/definitions/'));
  const compiled = await compile({ definitions }, 'All', {
    bannerComment: '',
    additionalProperties: false,
    unreachableDefinitions: true,
    // `polished` adds `readonly `.
    style: { singleQuote: true, printWidth: 91 },
  });
  const rows = collections.map(
    ({ name, body, record }) => `  ${name}: { body: ${body}; record: ${record} };\n`,
  );
  return `${HEAD}${polished(compiled, new Set(collections.map(({ record }) => record)))}
/** The body of a create and the stored record, by collection. */
export interface Collections {
${rows.join('')}}
`;
}

/** Each collection with the names of two schemas: what a create takes, and a stored record. @param {Schema} document */
function collectionsIn(document) {
  return Object.entries(document['paths']).flatMap(([path, { post }]) => {
    if (post === undefined || path.startsWith('/admin/')) return [];
    const body = post.requestBody.content['application/json'].schema.$ref.slice(REF.length);
    return [{ name: path.slice(1), body, record: body.slice('New'.length) }];
  });
}

/** Null clears an optional property; one with a default, which every record has, is never null. @param {Schema} body @param {Schema} record */
function typeRecord(body, record) {
  for (const schema of [body, record]) {
    delete schema['additionalProperties'];
    for (const [name, property] of Object.entries(schema['properties'])) {
      if (record['required'].includes(name)) continue;
      if (!property.type.includes('null')) property.type = [property.type, 'null'];
    }
  }
  // The document describes `ownerSub` by a pattern, because many languages would spell it as `owner_sub`.
  for (const [pattern, schema] of Object.entries(record['patternProperties'] ?? {})) {
    const name = pattern.slice(1, -1);
    record['properties'][name] = schema;
    record['required'].push(name);
  }
  delete record['patternProperties'];
}

/** One value for each collection: a type that programs can iterate. @param {Schema} schema */
function typeByCollection(schema) {
  const [{ $ref = '' }] = Object.values(schema['properties']);
  const value = $ref === '' ? 'number' : $ref.slice(REF.length);
  schema['tsType'] = `Readonly<Record<keyof Collections, ${value}>>`;
}

/** @param {Schema} schema @param {readonly string[]} names */
function typeForClients({ properties }, names) {
  for (const property of Object.values(properties)) {
    if ('additionalProperties' in property) property.tsType = 'Record<string, unknown> | null';
    // TypeScript programs keep compiling when a later value appears at run time.
    if ('x-extensible-enum' in property)
      property.tsType = unionOf(property['x-extensible-enum'], names);
    if (property.minLength === 1) property.description += '. Not empty';
    if (property.exclusiveMinimum === 0) property.description += '. Above 0';
  }
}

/** @param {readonly string[]} values @param {readonly string[]} names */
function unionOf(values, names) {
  const others = values.filter((value) => !names.includes(value)).map((value) => `'${value}'`);
  return (others.length < values.length ? ['keyof Collections', ...others] : others).join(' | ');
}

/**
 * What the generator has no option for: `readonly`, `undefined` for programs with
 * `exactOptionalPropertyTypes`, comments of one line, and no sentence about definitions.
 * @param {string} text
 * @param {ReadonlySet<string>} records
 */
function polished(text, records) {
  return text
    .replace(/^export interface All \{[^}]*\}\n/m, '')
    .replace(/(?: \*\n)? \* This interface was referenced by .*\n \* via .*\n/g, '')
    .replace(/^\/\*\*\n \*\/\n/gm, '')
    .replace(/^( *)\/\*\*\n *\* (.*)\n *\*\/$/gm, '$1/** $2 */')
    .replace(/^(?=\/\*\*|export)/gm, '\n')
    .replace(/^(\/\*\*.*\n)\n/gm, '$1')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^export interface (\w+) \{\n[^}]*\}/gm, (found, name) => {
      if (name.startsWith('New')) return found.replace(/(\?: .*);$/gm, '$1 | undefined;');
      return found.replace(/^ {2}(\w+)(?=\??:)/gm, (line, property) =>
        records.has(name) && !IDENTITY.includes(property) ? line : `  readonly ${property}`,
      );
    });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { 'openapi.json': document = '' } = await makeDocument(root);
  writeFileSync(join(root, TYPES_FILE), await apiTypes(JSON.parse(document)));
}
