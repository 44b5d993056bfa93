// What the operator does to an account as a whole, which is no part of the API: it
// is asked of a script of its own, with the operator's key, and never of the service.

import { ADMIN_KEY_MIN_CHARACTERS } from '../domain/limits.js';
import { consoleLog } from './console-log.js';
import { accountStub, settingsIn, type WorkerEnvironment } from './environment.js';

const KEY_HEADER = 'X-Service-Admin-Key';
const ACCOUNT = /^\/accounts\/([^/]+)$/;

/** `DELETE /accounts/{owner_sub}` erases an account. Answers are JSON: `{ data }` or `{ error }`. */
export async function maintain(request: Request, env: WorkerEnvironment): Promise<Response> {
  if (!(await hasKey(request, env))) {
    return refusal(401, `send ADMIN_API_KEY of this script in ${KEY_HEADER}`);
  }
  const owner = ownerIn(new URL(request.url).pathname);
  if (owner === undefined) return refusal(404, 'the one path is /accounts/{owner_sub}');
  if (request.method !== 'DELETE') return refusal(405, 'the one method is DELETE');
  try {
    return answer(200, { data: await accountStub(env, owner).erase(owner) });
  } catch (error) {
    consoleLog().error('maintenance_failed', error);
    return refusal(500, 'the account gave no answer, or its directory did not; send it again');
  }
}

function ownerIn(path: string): string | undefined {
  const segment = ACCOUNT.exec(path)?.[1];
  try {
    return segment === undefined ? undefined : decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Compares digests, so that the time which a comparison takes tells nothing of the key. */
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

function refusal(status: number, message: string): Response {
  return answer(status, { error: { message } });
}

function answer(status: number, body: unknown): Response {
  return Response.json(body, { status, headers: { 'Cache-Control': 'no-store' } });
}
