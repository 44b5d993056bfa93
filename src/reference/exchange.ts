// One request to the API: its address, the command that does the same, what came
// back; and the ids that were met, so that the next form can name a record.

import type { Operation } from './described-api.js';

export interface Request {
  readonly method: string;
  readonly url: string;
  readonly token: string | undefined;
  readonly body: string | undefined;
}

export interface Reply {
  readonly status: string;
  readonly isGood: boolean;
  readonly text: string;
  readonly milliseconds: number;
}

/** `values`: of the operation's parameters, by name. */
export function requestOf(
  baseUrl: string,
  { method, path, parameters, needsToken, body }: Operation,
  values: ReadonlyMap<string, string>,
  token: string,
  bodyText: string,
): Request {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values.get(name) ?? ''),
  );
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && (values.get(parameter.name) ?? '') !== '')
    .map(({ name }) => `${name}=${encodeURIComponent(values.get(name) ?? '')}`)
    .join('&');
  return {
    method,
    url: `${baseUrl}${filled}${query === '' ? '' : `?${query}`}`,
    token: needsToken ? token : undefined,
    body: body === undefined ? undefined : bodyText,
  };
}

/** The same request for a shell. */
export function curlOf({ method, url, token, body }: Request, isAdmin: boolean): string {
  const lines = [`curl '${url}'`];
  if (method !== 'GET' && method !== 'POST') lines.push(`-X ${method}`);
  if (isAdmin) lines.push(`-H "X-Service-Admin-Key: $ADMIN_API_KEY"`);
  if (token !== undefined) lines.push(`-H 'Authorization: Bearer ${quoted(token)}'`);
  if (body !== undefined) lines.push(`-d '${quoted(compact(body))}'`);
  return lines.join(' \\\n  ');
}

export async function send({ method, url, token, body }: Request): Promise<Reply> {
  const startedAt = performance.now();
  const elapsed = () => Math.round(performance.now() - startedAt);
  try {
    const response = await fetch(url, {
      method,
      headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
      ...(body !== undefined && { body }),
    });
    const text = pretty(await response.text());
    const status = `${response.status} ${response.statusText}`.trim();
    return { status, isGood: response.ok, text, milliseconds: elapsed() };
  } catch (error) {
    const text = `${error instanceof Error ? error.message : error}\nDoes the preview still run?`;
    return { status: 'no answer', isGood: false, text, milliseconds: elapsed() };
  }
}

/** The record that a reply shows, where it shows one: the first of a list, one that was created or changed. */
export function idIn(text: string): string | undefined {
  try {
    const { data } = JSON.parse(text);
    const shown = Array.isArray(data) ? data[0] : data;
    return typeof shown?.id === 'string' && shown.deleted !== true ? shown.id : undefined;
  } catch {
    return undefined;
  }
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

function quoted(text: string): string {
  return text.replaceAll("'", "'\\''");
}
