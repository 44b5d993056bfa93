// Parses lines of NDJSON, of which the last one may be incomplete.

/** The line's object; undefined if the line is incomplete, as after a power cut, or holds no object. */
export function parseJsonLine(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
