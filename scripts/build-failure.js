// Why a build failed, as lines that begin with file and line.

/** Further errors are usually consequences of the first ones. */
const ERRORS_MAX = 10;

/** Its message is for a person: one line for each error. */
export class BuildFailure extends Error {
  /** @param {readonly string[]} errors */
  constructor(errors) {
    const left = errors.length - ERRORS_MAX;
    const lines = errors.slice(0, ERRORS_MAX);
    if (left > 0) lines.push(`and ${left} more; run npm run quick`);
    super(lines.join('\n'));
  }
}

/**
 * The compiler's errors without the explanations indented below them.
 * `src/a.ts(3,5): error TS2304: X` becomes `src/a.ts:3:5: X (TS2304)`.
 * @param {string} output
 */
export function typeErrors(output) {
  const found = output
    .split('\n')
    .filter((line) => /^\S/.test(line))
    .map((line) => line.replace(/^(.*)\((\d+),(\d+)\): error (TS\d+): (.*)$/, '$1:$2:$3: $5 ($4)'));
  return found.length > 0 ? found : ['the TypeScript compiler failed without an error message'];
}

/** esbuild's errors, such as `src/a.ts:3:5: Could not resolve "x"`. @param {unknown} error */
export function messagesOf(error) {
  if (!(error instanceof Error && 'errors' in error && Array.isArray(error.errors))) throw error;
  return error.errors.map((/** @type {import('esbuild').Message} */ { text, location }) =>
    location === null ? text : `${location.file}:${location.line}:${location.column + 1}: ${text}`,
  );
}

/**
 * An exception of a source file: its message, after the place that threw it.
 * @param {unknown} error
 * @param {string} root The project's folder, with a separator at its end.
 */
export function thrownIn(error, root) {
  if (!(error instanceof Error)) return String(error);
  const place = error.stack
    ?.split('\n')
    .map((line) => /\b(src\/[^\s()]+:\d+:\d+)/.exec(line.replaceAll(root, ''))?.[1])
    .find((found) => found !== undefined);
  return `${place ?? 'src/clients/openapi/document.ts'}: ${error.message}`;
}
