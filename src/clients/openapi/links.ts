// Links from the answer of a create or a change to what can follow, for tools that
// chain requests: the id and the account go on into the next request.

import type { JsonObject } from '../../core/domain/json.js';

/** The operations that follow a create, and those that follow a change. */
const FOLLOWERS: Readonly<Record<string, readonly string[]>> = {
  create: ['read', 'update', 'delete'],
  update: ['read', 'delete'],
};

const NAME = /^(admin)?(create|update)(\w+)$/i;

/** The links of an operation's answer, by name; undefined if nothing follows. `id`: its `operationId`, such as `adminCreateOrder`. */
export function linksOf(id: string): JsonObject | undefined {
  const [, admin = '', verb = '', one = ''] = NAME.exec(id) ?? [];
  const followers = FOLLOWERS[verb.toLowerCase()];
  if (followers === undefined) return undefined;
  const links = followers.map((follower) => {
    const name = `${follower}${one}`;
    const operationId =
      admin === '' ? name : `admin${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
    return [name, { operationId, parameters: parametersOf(admin !== '') }];
  });
  return Object.fromEntries(links);
}

function parametersOf(isAdmin: boolean): JsonObject {
  return {
    id: '$response.body#/data/id',
    ...(isAdmin && { owner_sub: '$request.path.owner_sub' }),
  };
}
