// Ready-made requests, made from the OpenAPI document: one for each operation,
// with the document's examples. As a .http file; `postman.ts` makes a collection.

import type { JsonObject, JsonValue } from '../domain/json.js';

/** The parts of the document that the requests need. */
export interface DescribedApi {
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly [{ readonly url: string }];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, DescribedParameter>>;
  };
}

interface DescribedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly [string];
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly { readonly $ref: string }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly example: JsonObject }>>;
  };
  readonly responses: Readonly<Record<string, DescribedResponse>>;
}

interface DescribedResponse {
  readonly content?: Readonly<Record<string, { readonly example?: { readonly data?: JsonValue } }>>;
}

interface DescribedParameter {
  readonly name: string;
  readonly example?: string;
  readonly schema: { readonly default?: number };
}

export interface ReadyRequest {
  readonly name: string;
  readonly summary: string;
  readonly tag: string;
  readonly method: string;
  /** Below the base URL, with the examples' ids. */
  readonly path: string;
  /** The same with the parameters' names, such as `/orders/{id}`. */
  readonly template: string;
  readonly query: readonly { readonly key: string; readonly value: string }[];
  readonly headers: readonly { readonly key: string; readonly value: string }[];
  readonly body: string | undefined;
}

const MEDIA_TYPE = 'application/json';
const METHODS = ['get', 'post', 'patch', 'delete'];

/** A header for each security scheme, with the variable that holds the secret. */
const CREDENTIALS: Readonly<Record<string, { readonly key: string; readonly value: string }>> = {
  bearer: { key: 'Authorization', value: 'Bearer {{token}}' },
  adminKey: { key: 'X-Service-Admin-Key', value: '{{admin_key}}' },
};

/** For the REST clients of editors. */
export function httpFile(api: DescribedApi): string {
  const head = variables(api).map(([name, value]) => `@${name} = ${value}`);
  const requests = readyRequests(api).map(
    ({ name, summary, method, path, query, headers, body }) => {
      const target = `{{base_url}}${path}${queryText(query)}`;
      const lines = [`### ${summary}`, `# @name ${name}`, `${method} ${target}`];
      lines.push(...headers.map(({ key, value }) => `${key}: ${value}`));
      return [...lines, ...(body === undefined ? [] : ['', body]), ''].join('\n');
    },
  );
  return `${[...head, '', ...requests].join('\n')}`;
}

export function readyRequests(api: DescribedApi): ReadyRequest[] {
  return Object.entries(api.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [readyRequest(api, path, method, operation)];
    }),
  );
}

function readyRequest(
  { components }: DescribedApi,
  path: string,
  method: string,
  operation: DescribedOperation,
): ReadyRequest {
  const example = operation.requestBody?.content[MEDIA_TYPE]?.example;
  const schemes = operation.security.flatMap((requirement) => Object.keys(requirement));
  const body = example && JSON.stringify(example, null, 2);
  return {
    name: operation.operationId,
    summary: operation.summary,
    tag: operation.tags[0],
    method: method.toUpperCase(),
    template: path,
    path: path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(
        (name === 'id' ? exampleId(operation) : components.parameters[name]?.example) ?? '',
      ),
    ),
    query: (operation.parameters ?? []).flatMap(({ $ref }) => {
      const parameter = components.parameters[$ref.split('/').at(-1) ?? ''];
      if (parameter === undefined) return [];
      return [{ key: parameter.name, value: String(parameter.schema.default ?? '') }];
    }),
    headers: [
      ...schemes.flatMap((scheme) => CREDENTIALS[scheme] ?? []),
      ...(body === undefined ? [] : [{ key: 'Content-Type', value: MEDIA_TYPE }]),
    ],
    body,
  };
}

/** The id of the record that the operation's own example shows. */
function exampleId({ responses }: DescribedOperation): string | undefined {
  const data = responses['200']?.content?.[MEDIA_TYPE]?.example?.data;
  const id = typeof data === 'object' && data !== null && 'id' in data ? data['id'] : undefined;
  return typeof id === 'string' ? id : undefined;
}

export function variables({ servers: [server] }: DescribedApi): [string, string][] {
  return [
    ['base_url', server.url],
    ['token', 'local-preview'],
    ['admin_key', ''],
  ];
}

export function queryText(query: ReadyRequest['query']): string {
  return query.length === 0 ? '' : `?${query.map(({ key, value }) => `${key}=${value}`).join('&')}`;
}
