// The admin Worker erases an account whole.

import { accountStub } from '../environment.js';
import { type AdminRoute, answered, segmentOf } from './admin-route.js';

export const ERASE_ROUTES: readonly AdminRoute[] = [
  {
    method: 'DELETE',
    path: '/accounts/:owner_sub',
    async action(call) {
      const owner = segmentOf(call, 'owner_sub');
      return answered(await accountStub(call.env, owner).erase(owner));
    },
  },
];
