// A route of the admin Worker, and the form of its answers: JSON, `{ data }` or
// `{ error: { message } }`.

import type { Context } from 'hono';
import type { WorkerEnvironment } from '../environment.js';

export interface AdminEnvironment extends WorkerEnvironment {
  /** `on`: the script works on accounts. Otherwise it refuses every request. */
  readonly MAINTENANCE?: string;
}

export type AdminCall = Context<{ Bindings: AdminEnvironment }>;

export interface AdminRoute {
  readonly method: string;
  /** Such as `/accounts/:owner_sub`: a name stands for one segment that is not empty. */
  readonly path: string;
  /** If it rejects, the answer is 500, and the error's text goes only to the log. */
  readonly action: (call: AdminCall) => Promise<Response>;
}

/** The account that the path names. */
export function ownerIn(call: AdminCall): string {
  return call.req.param('owner_sub') ?? '';
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
