// The maintenance Worker erases an account whole.

import { accountStub } from './environment.js';
import { answered, type MaintenanceRoute } from './maintenance-route.js';

export const ERASE_ROUTES: readonly MaintenanceRoute[] = [
  {
    method: 'DELETE',
    path: '/accounts/{owner_sub}',
    async action({ env, segment }) {
      const owner = segment('owner_sub');
      return answered(await accountStub(env, owner).erase(owner));
    },
  },
];
