// The maintenance Worker: the operator's work on whole accounts. It is no part of the API:
// it is a script of its own, with the operator's key. This file is its table of routes;
// each group of routes has a file of its own.

import { COPY_ROUTES } from './copies/maintenance-copies.js';
import { answerBy } from './maintenance-door.js';
import { ERASE_ROUTES } from './maintenance-erase.js';
import { MOVE_ROUTES } from './maintenance-move.js';
import { RESTORE_ROUTES } from './maintenance-restore.js';
import type { MaintenanceEnvironment, MaintenanceRoute } from './maintenance-route.js';

const ROUTES: readonly MaintenanceRoute[] = [
  ...ERASE_ROUTES,
  ...MOVE_ROUTES,
  ...RESTORE_ROUTES,
  ...COPY_ROUTES,
];

export function maintain(request: Request, env: MaintenanceEnvironment): Promise<Response> {
  return answerBy(ROUTES, request, env);
}
