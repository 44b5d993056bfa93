// What the host answers before there is a request to route, held to the
// document's `default` response, which stands for it on every operation.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { type NodeService, openNodeService } from '../support/node-service.js';
import {
  DOCUMENT,
  OPERATIONS,
  type ResponseObject,
  resolved,
  violation,
} from '../support/openapi-document.js';
import { rawExchange, requestText } from '../support/raw-http.js';

const RESPONSE = '/components/responses/Anywhere';
const ANYWHERE = DOCUMENT.components['responses']?.['Anywhere'] as ResponseObject | undefined;

let service: NodeService;
let origin: string;

beforeAll(async () => {
  service = await openNodeService();
  ({ origin } = await service.start());
});
afterAll(() => service.close());

it('stands on every operation', () => {
  for (const { object } of OPERATIONS) {
    expect(resolved(object.responses['default'] ?? {})).toBe(ANYWHERE);
  }
});

it.each([
  ['BAD_REQUEST', 400, 'this is no request\r\n\r\n'],
  ['HEADERS_TOO_LARGE', 431, requestText('GET', '/api/v1/health', [`X: ${'x'.repeat(100_000)}`])],
])('%s is as the document says', async (code, status, text) => {
  const [answer] = await rawExchange(origin, text);
  expect([answer?.status, answer?.json.error?.code]).toEqual([status, code]);
  expect(violation(answer?.json, `${RESPONSE}/content/application~1json/schema`)).toBeUndefined();
  expect(Object.keys(ANYWHERE?.content?.['application/json']?.examples ?? {})).toContain(code);
});
