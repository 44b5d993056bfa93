// The document's examples and links, used as a tool would: each example is sent as it
// stands, and each link is followed from the answer that has it.

import { expect, it } from 'vitest';
import { type Caller, type ContractService, onHost, type Reply } from '../support/contract.js';
import { handlerHost } from '../support/handler-host.js';
import {
  type DescribedOperation,
  type LinkObject,
  OPERATIONS,
  type ResponseObject,
  resolved,
} from '../support/openapi-document.js';

/** The account of the examples. */
const OWNER = 'local-preview';
const CREATES = OPERATIONS.filter(({ method }) => method === 'POST');

const byId = (id: string) => {
  const found = OPERATIONS.find(({ object }) => object.operationId === id);
  if (found === undefined) throw new Error(`the document has no operation ${id}`);
  return found;
};

const bodyOf = ({ object }: DescribedOperation) =>
  object.requestBody?.content['application/json']?.example;

const successOf = ({ object }: DescribedOperation): ResponseObject =>
  resolved<ResponseObject>(Object.values(object.responses)[0] ?? { description: '' });

const linksOf = (operation: DescribedOperation) => Object.values(successOf(operation).links ?? {});

function exampleDataOf(operation: DescribedOperation): Record<string, unknown> {
  const { example } = successOf(operation).content?.['application/json'] ?? {};
  return (example as { data: Record<string, unknown> }).data;
}

onHost(handlerHost, 'The examples and links of the document', (service) => {
  it.each(CREATES)('$name: answered as shown, and every link leads on', async (create) => {
    const [toRead, toChange, toRemove] = linksOf(create);
    if (!toRead || !toChange || !toRemove) throw new Error('a create has three links');
    const made = await sent(service, create, { owner_sub: OWNER });
    expect(made.json.data).toEqual({ ...exampleDataOf(create), id: made.json.data.id });
    expect((await followed(service, toRead, made)).status).toBe(200);

    const change = byId(toChange.operationId);
    const changed = await followed(service, toChange, made);
    expect(changed.json.data).toEqual({ ...exampleDataOf(change), id: made.json.data.id });
    for (const link of linksOf(change)) {
      expect((await followed(service, link, changed)).status).toBe(200);
    }

    const other = await sent(service, create, { owner_sub: OWNER });
    const gone = await followed(service, toRemove, other);
    expect(gone.json.data).toEqual({ id: other.json.data.id, deleted: true });
  });
});

/** Sends the link's operation, with parameters taken from the answer and its request. */
function followed(service: ContractService, link: LinkObject, { json }: Reply): Promise<Reply> {
  const sources: Record<string, string> = {
    '$response.body#/data/id': json.data.id,
    '$request.path.owner_sub': OWNER,
  };
  const values = Object.entries(link.parameters).map(([name, from]) => [
    name,
    sources[from] ?? from,
  ]);
  return sent(service, byId(link.operationId), Object.fromEntries(values));
}

/** Sends the operation's example; its path is filled from the values. */
function sent(
  service: ContractService,
  operation: DescribedOperation,
  values: Record<string, string>,
): Promise<Reply> {
  const { method, path } = operation;
  const caller: Caller = path.startsWith('/admin') ? service.operator : service.account(OWNER);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? name);
  const body = bodyOf(operation);
  return caller.send(method, filled, body === undefined ? {} : { body });
}
