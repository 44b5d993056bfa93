// A request's target as it came over the wire, before anything resolves it.
// "Paths are never resolved, so that a proxy's rule on a prefix holds."

/** `.` or `..`, also encoded. */
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;
/** Takes the place of a dot segment. No route has it, because an encoded control character is 404. */
const NOWHERE = '%00';

/**
 * The target with each dot segment replaced by one that no route has, because a URL
 * parser would resolve dot segments. It would also take a backslash for a slash; such a
 * target is refused later.
 */
export function unresolvedTarget(target: string): string {
  const end = target.search(/[?#]/);
  const path = end === -1 ? target : target.slice(0, end);
  if (!/\/(?:\.|%2e)/i.test(path)) return target;
  const segments = path
    .split('/')
    .map((segment) => (DOT_SEGMENT.test(segment) ? NOWHERE : segment));
  return segments.join('/') + target.slice(path.length);
}

/** "Two `Host` headers: 400." Node keeps the first and silently drops the others. */
export function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts > 1;
}
