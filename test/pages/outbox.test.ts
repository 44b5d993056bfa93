// The Workers' page explains every field of the outbox and every column of its
// table: they are right only together, so none may be left out.

import { expect, it } from 'vitest';
import { codesIn, sectionOf, tableRows, textOf } from '../support/pages.js';

const SCHEMA = textOf('src/storage/object/object-schema.ts');
const SOURCE = textOf('src/hosts/workers/outbox.ts');
const rows = tableRows(sectionOf('src/hosts/workers/README.md', '## The outbox'));

it('The page explains every column of the table `outbox`', () => {
  const [, columns = ''] = /create table outbox \(([^)]*)\)/.exec(SCHEMA) ?? [];
  const added = [...SCHEMA.matchAll(/alter table outbox add column (\w+)/g)];
  const named = columns
    .split(',')
    .map((column) => column.trim().split(' ')[0])
    .concat(added.map(([, name]) => name));
  expect(rows.flatMap((row) => codesIn(row['Column'] ?? ''))).toEqual(named);
});

it('The page explains every field that changes', () => {
  const fields = [...SOURCE.matchAll(/^ {2}(#\w+)(?::| =)/gm)].map(([, name = '']) => name);
  expect(fields.length).toBeGreaterThan(5);
  const explained = rows.flatMap((row) => codesIn(row['Field'] ?? ''));
  expect(explained.sort()).toEqual(fields.sort());
});
