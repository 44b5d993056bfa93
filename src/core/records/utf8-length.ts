// The length of a text in UTF-8, without encoding it.

/** Bytes; a lone surrogate counts 3, as the replacement character that it is encoded as. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const codePoint = text.codePointAt(i) ?? 0;
    if (codePoint < 0x80) continue;
    bytes += codePoint < 0x800 ? 1 : 2;
    // A pair of surrogates is four bytes: its first half counts for both.
    if (codePoint > 0xffff) i++;
  }
  return bytes;
}
