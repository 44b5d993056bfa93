// The length of a text in UTF-8.

const encoder = new TextEncoder();

/** Bytes; a lone surrogate counts 3, as the replacement character that it is encoded as. */
export function utf8Length(text: string): number {
  return encoder.encode(text).length;
}
