// Two answers of the administration API that contain types of this client. The operator's
// other views are in src/core/operator-answers.ts.

import type { AccountSummary } from '../../core/operator-answers.js';
import type { Business } from './records.js';

export interface Account extends AccountSummary {
  readonly profiles: Business[];
}

export interface AdminHealth {
  readonly status: 'ok' | 'degraded';
  readonly database: 'ok' | 'unavailable';
  readonly uptime_seconds: number;
  readonly identity_provider_configured: boolean;
  readonly admin_configured: boolean;
}
