// GET /health is "static: it does not check the database, write ability, or the
// identity provider".

import { DEFAULT_CURRENCY } from '../domain/collections.js';
import { type Answer, data } from './answer.js';

/** "Time zone context is Africa/Dar_es_Salaam; default currency is TZS." */
export const HEALTH = {
  status: 'ok',
  service: 'service-management-api',
  version: 'v1',
  time_zone: 'Africa/Dar_es_Salaam',
  currency: DEFAULT_CURRENCY,
} as const;

const TEXT = JSON.stringify(HEALTH);

export function health(): Answer {
  return data(TEXT);
}
