// A column of Postgres' type text holds neither U+0000 nor half of a surrogate pair; a subject
// may have both. They are spelled with U+0001 before four hexadecimal digits, and so is U+0001.
// Bodies need no such thing: JSON spells these characters in ASCII.

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that are spelled
const SPELLED = /[\u0000\u0001]|\p{Cs}/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the mark before the digits
const SPELLING = /\u0001([0-9a-f]{4})/g;

export function toStored(text: string): string {
  return text.replace(
    SPELLED,
    (unit) => `\u0001${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function fromStored(text: string): string {
  return text.replace(SPELLING, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
