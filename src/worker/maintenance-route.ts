// A route of the maintenance Worker, and the form of its answers: JSON, `{ data }` or
// `{ error: { message } }`.

import type { WorkerEnvironment } from './environment.js';

export interface MaintenanceRoute {
  readonly method: string;
  /** Such as `/accounts/{owner_sub}`: a name in braces stands for one segment that is not empty. */
  readonly path: string;
  /** A rejection is answered with 500, and its text goes to the log alone. */
  readonly action: (call: MaintenanceCall) => Promise<Response>;
}

export interface MaintenanceCall {
  readonly env: WorkerEnvironment;
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
