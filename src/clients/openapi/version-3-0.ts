// Converts the document to OpenAPI 3.0.3, for generators that don't support 3.1. Only the syntax
// differs.

import { isJsonObject, type JsonObject, type JsonValue } from '../../core/domain/json.js';

/** Converts a document of `openApiDocument`. */
export function inVersion30(document: JsonObject): JsonObject {
  const converted: JsonObject = JSON.parse(JSON.stringify(document), downgraded);
  const { summary: _, license, ...info } = converted['info'] as JsonObject;
  const { name = null } = license as JsonObject;
  return { ...converted, openapi: '3.0.3', info: { ...info, license: { name } } };
}

/** A reviver for `JSON.parse`. No example has a property of these names. */
function downgraded(_key: string, value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const { patternProperties: _, exclusiveMinimum, examples, type, default: usual, ...rest } = value;
  return {
    ...rest,
    ...(exclusiveMinimum !== undefined && { minimum: exclusiveMinimum, exclusiveMinimum: true }),
    ...(examples !== undefined && { example: (examples as JsonValue[])[0] ?? null }),
    // The document's only lists of types are `[X, null]`.
    ...(Array.isArray(type)
      ? { type: type[0] ?? null, nullable: true }
      : type !== undefined && { type }),
    // With ranges instead of a `default` response, generators for 3.0 create one type for all errors.
    ...(isJsonObject(usual)
      ? { '4XX': usual, '5XX': usual }
      : usual !== undefined && { default: usual }),
  };
}
