// The door of the operator's scripts: it asks for the key, and finds the route.

import { ADMIN_KEY_MIN_CHARACTERS } from '../domain/limits.js';
import { consoleLog } from './console-log.js';
import { settingsIn, type WorkerEnvironment } from './environment.js';
import { type MaintenanceRoute, refused } from './maintenance-route.js';

const KEY_HEADER = 'X-Service-Admin-Key';

/** Answers a request by its route. Without the key of this script the answer is 401. */
export async function answerBy<Environment extends WorkerEnvironment>(
  routes: readonly MaintenanceRoute<Environment>[],
  request: Request,
  env: Environment,
): Promise<Response> {
  if (!(await hasKey(request, env))) {
    return refused(401, `send ADMIN_API_KEY of this script in ${KEY_HEADER}`);
  }
  const { pathname, searchParams: query } = new URL(request.url);
  const matching = routes.flatMap((route) => {
    const segments = segmentsIn(pathname, route.path);
    return segments === undefined ? [] : [{ route, segments }];
  });
  if (matching.length === 0) {
    const paths = [...new Set(routes.map(({ path }) => path))].join(', ');
    return refused(404, `no such path; the paths are ${paths}`);
  }
  const found = matching.find(({ route }) => route.method === request.method);
  if (found === undefined) {
    const methods = matching.map(({ route }) => route.method).join(', ');
    return refused(405, `${request.method} is not possible here; use ${methods}`);
  }
  const segment = (name: string) => found.segments.get(name) ?? '';
  try {
    return await found.route.action({ env, request, query, segment });
  } catch (error) {
    consoleLog().error('maintenance_failed', error);
    return refused(500, 'an account, the directory or the bucket gave no answer; send it again');
  }
}

/** The segments in the places of the pattern's names; undefined if the path is another one. */
function segmentsIn(pathname: string, pattern: string): Map<string, string> | undefined {
  const given = pathname.split('/');
  const wanted = pattern.split('/');
  if (given.length !== wanted.length) return undefined;
  const segments = new Map<string, string>();
  for (const [i, part] of wanted.entries()) {
    const segment = given[i] ?? '';
    if (!part.startsWith('{')) {
      if (segment !== part) return undefined;
      continue;
    }
    const decoded = decodedSegment(segment);
    if (decoded === undefined) return undefined;
    segments.set(part.slice(1, -1), decoded);
  }
  return segments;
}

function decodedSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment) || undefined;
  } catch {
    return undefined;
  }
}

/** Compares digests, so that the time of a comparison tells nothing about the key. */
async function hasKey({ headers }: Request, env: WorkerEnvironment): Promise<boolean> {
  const key = settingsIn(env)['ADMIN_API_KEY'] ?? '';
  if (key.length < ADMIN_KEY_MIN_CHARACTERS) return false;
  const [wanted, given] = await Promise.all([key, headers.get(KEY_HEADER) ?? ''].map(digest));
  return wanted === given;
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return new Uint8Array(bytes).join();
}
