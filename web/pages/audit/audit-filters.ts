import type { QueryOf } from '../../../client/rest-calls.ts';
import { startOfDay } from '../../state/local-day.ts';

export const OUTCOMES = ['denied', 'changed', 'failed', 'decided'] as const;

/** Filters of the audit log, as they are in the address of the page. */
export interface AuditFilters {
  readonly actor: string;
  readonly outcome: '' | (typeof OUTCOMES)[number];
  /** First characters of the path. */
  readonly path: string;
  /** First and last day (`2026-11-30`), both included. */
  readonly from: string;
  readonly to: string;
}

/** Returns the query of a request. Empty and invalid filters are left out. */
export function auditQuery({ actor, outcome, path, from, to }: AuditFilters): QueryOf<'get', '/audit'> {
  const since = startOfDay(from);
  const until = startOfDay(to, 1);
  return {
    ...(actor.trim() !== '' && { actor: actor.trim() }),
    ...(outcome !== '' && { outcome }),
    ...(path.trim() !== '' && { path: path.trim() }),
    ...(since !== null && { since: since.toISOString() }),
    ...(until !== null && { until: until.toISOString() }),
  };
}
