// Requests to the processes of a fleet, as accounts of a test.

import { tokenOf } from './identity-stub.js';
import type { ServerProcess } from './server-process.js';

export const CUSTOMERS = '/api/v1/customers';
export const ACCOUNTS = Array.from({ length: 24 }, (_, i) => `account-${i}`);

interface Listed {
  readonly id: string;
  readonly name: string;
}

interface Answer {
  readonly status: number;
  /** Of one record, or of a list. */
  readonly data: Listed & readonly Listed[];
  readonly retryAfter: string | null;
}

export async function ask(
  { origin }: Pick<ServerProcess, 'origin'>,
  account: string,
  method = 'GET',
  path = CUSTOMERS,
  body?: object,
): Promise<Answer> {
  const response = await fetch(origin + path, {
    method,
    headers: { Authorization: `Bearer ${tokenOf(account)}` },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { data } = JSON.parse(await response.text());
  return { status: response.status, data, retryAfter: response.headers.get('retry-after') };
}

export function create(process: Pick<ServerProcess, 'origin'>, account: string, name = 'Neema') {
  return ask(process, account, 'POST', CUSTOMERS, { name, phone: '1' });
}
