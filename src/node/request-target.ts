// A request's target as it came over the wire, before anything resolves it.
// "Paths are never resolved, so that a proxy's rule on a prefix holds."

/** `.` or `..`, also encoded. */
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;
/** No route has it: an encoded control character is 404. */
const NOWHERE = '%00';

/**
 * The target with each dot segment, and each backslash, replaced by something
 * that no route has. A URL parser would go up a folder, and would take a
 * backslash for a slash: `/public/..\admin` would be `/admin`.
 */
export function unresolvedTarget(target: string): string {
  const end = target.search(/[?#]/);
  const path = end === -1 ? target : target.slice(0, end);
  if (!path.includes('\\') && !/\/(?:\.|%2e)/i.test(path)) return target;
  const segments = path
    .split(/[/\\]/)
    .map((segment) => (DOT_SEGMENT.test(segment) ? NOWHERE : segment));
  const separator = path.includes('\\') ? `/${NOWHERE}/` : '/';
  return segments.join(separator) + target.slice(path.length);
}

/** "Two `Host` headers: 400." Node keeps the first and drops the others without a word. */
export function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts > 1;
}
