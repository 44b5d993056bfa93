// Lines of JSON in files that a command writes as it goes on.

/** The line's object; undefined where a lost machine has torn the line. */
export function objectIn(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
