// The same document in OpenAPI 3.0.3, for generators that don't know 3.1. It is converted
// from the 3.1 document, and only the syntax differs.

import type { JsonObject, JsonValue } from '../../core/domain/json.js';

const VERSION = '3.0.3';

type Entry = [key: string, value: JsonValue];

/** Converts a document of `openApiDocument`. */
export function inVersion30(document: JsonObject): JsonObject {
  const { info, ...rest } = document;
  const { summary: _summary, license, ...information } = info as JsonObject;
  const { name = null } = license as JsonObject;
  return {
    openapi: VERSION,
    info: { ...information, license: { name } },
    ...(rewritten({ ...rest, openapi: VERSION }) as JsonObject),
  };
}

function rewritten(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(rewritten);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => entriesOf(key, inner, value)),
  );
}

/** The entries that stand for one of 3.1. `around`: the object that has it. */
function entriesOf(key: string, value: JsonValue, around: JsonObject): Entry[] {
  switch (key) {
    case 'patternProperties':
      return [];
    // An example is data, not a schema.
    case 'example':
      return [[key, value]];
    case 'examples':
      return [Array.isArray(value) ? ['example', value[0] ?? null] : [key, value]];
    case 'exclusiveMinimum':
      return [
        ['minimum', value],
        [key, true],
      ];
    case 'type':
      return Array.isArray(value) ? nullableEntries(value) : [[key, value]];
    case 'responses':
      return [[key, rewritten('operationId' in around ? withRanges(value as JsonObject) : value)]];
    default:
      return [[key, rewritten(value)]];
  }
}

/** `[X, null]` is the document's only list of types. */
function nullableEntries([type = null, none, ...more]: readonly JsonValue[]): Entry[] {
  if (none !== 'null' || more.length > 0) {
    throw new Error(`no form in OpenAPI 3.0 for a list of types; add one in version-3-0.ts`);
  }
  return [
    ['type', type],
    ['nullable', true],
  ];
}

/** Generators of 3.0 want ranges instead of `default`, to make one type for all refusals. */
function withRanges({ default: anywhere = null, ...responses }: JsonObject): JsonObject {
  return { ...responses, '4XX': anywhere, '5XX': anywhere };
}
