// The length of a text in UTF-8, without encoding it.

/** Bytes; a lone surrogate counts 3, as the replacement character that it is encoded as. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 ? 1 : 2;
    // A pair of surrogates is four bytes: the first half counts for both.
    if (isHigh(unit) && isLow(text.charCodeAt(i + 1))) i++;
  }
  return bytes;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
