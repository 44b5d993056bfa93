// The function that orval's client calls: it adds the address of the service.

import { BASE_URL } from './shop.js';

/** A request's options with the caller's credentials. */
export function signedAs(headers: Record<string, string>): RequestInit {
  return { headers };
}

/** Resolves with status, body and headers, as orval's types have them. Rejects where no answer comes. */
export async function fetcher<T>(path: string, options: RequestInit): Promise<T> {
  const response = await fetch(`${BASE_URL}${path}`, options);
  const data: unknown = await response.json();
  return { status: response.status, data, headers: response.headers } as T;
}
