// The answers of the operator's views as types: the text of `src/core/operator-answers.ts`.

import * as z from 'zod';
import {
  OPERATOR_VIEWS,
  type OperatorView,
  VIEW_SCHEMAS,
} from '../../core/domain/operator-views.js';

const HEAD = `// The answers of the operator's views, for the service and its clients. \`npm run client-types\`
// writes this file from src/core/domain/operator-views.ts.
`;

/** The formatter's. */
const LINE_MAX_CHARACTERS = 100;

type Schema = z.core.JSONSchema.BaseSchema;

const VIEWS: readonly (readonly [string, OperatorView])[] = Object.entries(OPERATOR_VIEWS);

export function answerTypes(): string {
  const named = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(VIEW_SCHEMAS)) named.add(schema, { id });
  const { schemas } = z.toJSONSchema(named, { io: 'input', uri: (id) => id });
  const interfaces = Object.entries(schemas).map(([name, schema]) => interfaceOf(name, schema));
  return [HEAD, ...interfaces, ...viewsByKind()].join('\n');
}

function interfaceOf(
  name: string,
  { properties = {}, required = [], description }: Schema,
): string {
  const members = Object.entries(properties).map(([property, schema]) => {
    const isRequired = required.includes(property);
    const { description: words } = schema as Schema;
    const member = `  readonly ${property}${isRequired ? '' : '?'}:`;
    return `${comment(words, '  ')}${lineOf(member, typeOf(schema as Schema))}`;
  });
  return `${comment(description, '')}export interface ${name} {\n${members.join('')}}\n`;
}

function typeOf({ $ref, type, enum: values, anyOf, items }: Schema): string {
  if ($ref !== undefined) return $ref;
  if (values !== undefined) return values.map((value) => `'${value}'`).join(' | ');
  if (anyOf !== undefined) return anyOf.map((one) => typeOf(one as Schema)).join(' | ');
  if (type === 'array') return `readonly ${typeOf(items as Schema)}[]`;
  if (type === 'integer') return 'number';
  if (type === 'string' || type === 'number' || type === 'boolean' || type === 'null') return type;
  throw new Error(
    `an answer of ${JSON.stringify(type)} has no type; name objects in VIEW_SCHEMAS of src/core/domain/operator-views.ts`,
  );
}

/** As the formatter has it: a union that is too long for a line has a line for each of its types. */
function lineOf(member: string, type: string): string {
  const line = `${member} ${type};`;
  if (line.length <= LINE_MAX_CHARACTERS) return `${line}\n`;
  return `${member}\n    | ${type.split(' | ').join('\n    | ')};\n`;
}

/** The types of the answers by the names of the views, and these names. */
function viewsByKind(): string[] {
  const member = ([name, { summary, schema }]: (typeof VIEWS)[number]) =>
    `${comment(summary, '  ')}  readonly ${name}: ${schema};\n`;
  const objects = VIEWS.filter(([, { answers }]) => answers === 'object');
  const rows = VIEWS.filter(([, { answers }]) => answers === 'rows');
  const searched = rows.filter(([, view]) => view.answers === 'rows' && view.isSearched);
  const keys = rows.map(([name, view]) => `    ${name}: '${'key' in view ? view.key : ''}',\n`);
  return [
    `/** The views that answer one object. */\nexport interface ObjectViews {\n${objects.map(member).join('')}}\n`,
    `/** The views that answer rows, with the type of one row. */\nexport interface RowViews {\n${rows.map(member).join('')}}\n`,
    `/** The views whose rows \`q\` searches. */\nexport type SearchedView = ${searched.map(([name]) => `'${name}'`).join(' | ')};\n`,
    `/**
 * The names of the views, and the property that no two rows of a view share. The default
 * export, because \`export type *\` leaves it out: the clients export types alone.
 */
const VIEWS = {
  objects: [${namesOf(objects)}],
  rows: [${namesOf(rows)}],
  keys: {
${keys.join('')}  },
} as const satisfies {
  readonly objects: readonly (keyof ObjectViews)[];
  readonly rows: readonly (keyof RowViews)[];
  readonly keys: Readonly<Record<keyof RowViews, string>>;
};

export default VIEWS;
`,
  ];
}

function namesOf(views: typeof VIEWS): string {
  return views.map(([name]) => `'${name}'`).join(', ');
}

function comment(text: string | undefined, indent: string): string {
  return text === undefined ? '' : `${indent}/** ${text}${text.endsWith('.') ? '' : '.'} */\n`;
}
