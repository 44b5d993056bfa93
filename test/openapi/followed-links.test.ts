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
    const made = await sent(service, create, { owner_sub: OWNER });
    expect(made.json.data).toEqual({ ...exampleDataOf(create), id: made.json.data.id });
    const [read, change, remove] = linksOf(create).map(targetOf);
    const target = valuesOf(linksOf(create)[1], made);
    expect((await sent(service, read, valuesOf(linksOf(create)[0], made))).status).toBe(200);

    const changed = await sent(service, change, target);
    expect(changed.status).toBe(200);
    expect(changed.json.data).toEqual({ ...exampleDataOf(change), id: target['id'] });
    for (const link of linksOf(change)) {
      expect((await sent(service, targetOf(link), valuesOf(link, changed))).status).toBe(200);
    }

    const other = await sent(service, create, { owner_sub: OWNER });
    const gone = await sent(service, remove, valuesOf(linksOf(create)[2], other));
    expect(gone.json.data).toEqual({ ...exampleDataOf(remove), id: other.json.data.id });
  });
});

const targetOf = ({ operationId }: LinkObject) => byId(operationId);

/** The link's parameters: its expressions, taken from the answer and its request. */
function valuesOf(link: LinkObject | undefined, { json }: Reply): Record<string, string> {
  const sources: Record<string, string> = {
    '$response.body#/data/id': json.data.id,
    '$request.path.owner_sub': OWNER,
  };
  const entries = Object.entries(link?.parameters ?? {});
  return Object.fromEntries(entries.map(([name, from]) => [name, sources[from] ?? from]));
}

/** Sends the operation's example; its path is filled from the values. */
function sent(
  service: ContractService,
  operation: DescribedOperation | undefined,
  values: Record<string, string>,
): Promise<Reply> {
  if (operation === undefined) throw new Error('a create has three links');
  const { method, path } = operation;
  const caller: Caller = path.startsWith('/admin') ? service.operator : service.account(OWNER);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? name);
  const body = bodyOf(operation);
  return caller.send(method, filled, body === undefined ? {} : { body });
}
