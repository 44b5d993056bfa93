// `npm run types`: generates src/core/domain/api-schema.ts, the types of the clients and of the operator's
// views, from the OpenAPI document. test/house/api-types.test.ts fails if they are stale.

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

import type { NewRecord, RecordBase } from './stored-record.js';
`;
const REF = '#/components/schemas/';
/** The clients unwrap envelopes, and type changes and errors themselves. */
const UNTYPED = /(Result|List|Changes|Meta|Deletion|ErrorDetail|ErrorEnvelope)$/;

/**
 * The text of `TYPES_FILE`.
 * @param {Schema} document
 * @returns {Promise<string>}
 */
export async function apiTypes(document) {
  /** @type {Schema} */
  const all = structuredClone(document['components'].schemas);
  for (const name of Object.keys(all)) if (UNTYPED.test(name)) delete all[name];
  const collections = collectionsIn(document);
  const names = collections.map(({ name }) => name);
  const bodies = collections.map(({ body, record }) => {
    const { required = [] } = all[body];
    typeRecord(all[body], all[record]);
    delete all[body];
    const needed = required.length > 0 ? `, '${required.join("' | '")}'` : '';
    return `export type ${body} = NewRecord<${record}${needed}>;\n`;
  });
  for (const schema of Object.values(all)) {
    typeForClients(schema, names);
    if (Object.keys(schema['properties']).join() === names.join()) typeByCollection(schema);
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
  const records = new Set(collections.map(({ record }) => record));
  return `${HEAD}${polished(compiled, records)}
${bodies.join('')}
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
  const { id: _id, owner_sub: _owner, ...properties } = record['properties'];
  Object.assign(record, { properties, additionalProperties: undefined });
  for (const [name, property] of Object.entries(properties)) {
    const { description, minLength, exclusiveMinimum } = body['properties'][name];
    const limit = minLength === 1 ? '. Not empty' : exclusiveMinimum === 0 ? '. Above 0' : '';
    const convention = /\. By convention.*/.exec(property.description) ?? '';
    property.description = description + limit + convention;
    if (record['required'].includes(name) || property.type.includes('null')) continue;
    property.type = [property.type, 'null'];
  }
  // The document describes `ownerSub` by a pattern, because many languages would spell it as `owner_sub`.
  if (record['patternProperties'] === undefined) return;
  properties['ownerSub'] = { type: 'string' };
  record['required'].push('ownerSub');
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
  const collections = names.map((name) => `'${name}'`).join(' | ');
  for (const property of Object.values(properties)) {
    if ('additionalProperties' in property) property.tsType = 'Record<string, unknown> | null';
    // TypeScript programs keep compiling when a later value appears at run time.
    const values = property['x-extensible-enum']?.join("' | '");
    if (values) property.tsType = `'${values}'`.replace(collections, 'keyof Collections');
  }
}

/**
 * Adds what the generator has no option for: `readonly`, one-line comments, no sentences about definitions.
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
      if (!records.has(name)) return found.replace(/^ {2}(?=\w+\??:)/gm, '  readonly ');
      const extended = found.replace(' {', ' extends RecordBase {');
      return extended.replace('  ownerSub', '  readonly ownerSub');
    });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { 'openapi.json': document = '' } = await makeDocument(root);
  writeFileSync(join(root, TYPES_FILE), await apiTypes(JSON.parse(document)));
}
