// Lines of JSON in a file to which a command adds while it works.

/** The line's object; undefined if the line is not whole, as after a power cut. */
export function objectIn(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
