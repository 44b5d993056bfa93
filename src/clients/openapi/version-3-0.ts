// The same document in OpenAPI 3.0.3, for generators that don't know 3.1. It is converted from the
// 3.1 document, and only the syntax differs.

import { isJsonObject, type JsonObject, type JsonValue } from '../../core/domain/json.js';

/** Converts a document of `openApiDocument`. */
export function inVersion30(document: JsonObject): JsonObject {
  const converted: JsonObject = JSON.parse(JSON.stringify(document), downgraded);
  const { summary: _, license, ...info } = converted['info'] as JsonObject;
  const { name = null } = license as JsonObject;
  return { ...converted, openapi: '3.0.3', info: { ...info, license: { name } } };
}

/** A reviver of JSON. The names are those of schemas and operations alone: no example has them. */
function downgraded(_key: string, value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const { patternProperties: _, exclusiveMinimum, examples, type, default: usual, ...rest } = value;
  return {
    ...rest,
    ...(exclusiveMinimum !== undefined && { minimum: exclusiveMinimum, exclusiveMinimum: true }),
    ...(examples !== undefined && { example: (examples as JsonValue[])[0] ?? null }),
    // `[X, null]` is the document's only list of types.
    ...(Array.isArray(type)
      ? { type: type[0] ?? null, nullable: true }
      : type !== undefined && { type }),
    // Generators of 3.0 want ranges instead of a `default` response, to make one type for all refusals.
    ...(isJsonObject(usual)
      ? { '4XX': usual, '5XX': usual }
      : usual !== undefined && { default: usual }),
  };
}
