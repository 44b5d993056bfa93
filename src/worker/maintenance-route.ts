// A route of the maintenance Worker, and the form of its answers: JSON, `{ data }` or
// `{ error: { message } }`.

import type { R2Bucket } from '@cloudflare/workers-types';
import type { WorkerEnvironment } from './environment.js';

/** The bucket of the copies, if the maintenance Worker is bound to it. */
export interface MaintenanceEnvironment extends WorkerEnvironment {
  readonly COPIES?: R2Bucket;
}

export interface MaintenanceRoute<Environment = MaintenanceEnvironment> {
  readonly method: string;
  /** Such as `/accounts/{owner_sub}`: a name in braces stands for one segment that is not empty. */
  readonly path: string;
  /** If it rejects, the answer is 500, and the error's text goes to the log alone. */
  readonly action: (call: MaintenanceCall<Environment>) => Promise<Response>;
}

export interface MaintenanceCall<Environment = MaintenanceEnvironment> {
  readonly env: Environment;
  readonly request: Request;
  readonly query: URLSearchParams;
  /** The percent-decoded segment in the place of a name, such as `owner_sub`. */
  segment(name: string): string;
}

export function answered(data: unknown): Response {
  return answer(200, { data });
}

export function refused(status: number, message: string): Response {
  return answer(status, { error: { message } });
}

function answer(status: number, body: unknown): Response {
  return Response.json(body, { status, headers: { 'Cache-Control': 'no-store' } });
}
