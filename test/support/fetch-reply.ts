// A request to any path of the host, inside or outside `/api/v1`, with its answer's body.

import type { ContractService, Envelope, Reply } from './contract.js';

export async function fetchReply(
  service: ContractService,
  path: string,
  init: RequestInit = {},
): Promise<Reply> {
  const response = await service.fetch(path, init);
  const text = await response.text();
  const json: Envelope = text === '' ? {} : JSON.parse(text);
  return { status: response.status, headers: response.headers, text, json };
}
