import type { Permission } from '../../src/core/access/permissions.ts';

/** Kinds of subjects, as the OpenAPI document names them (`x-subject-permissions`). */
export type SubjectKind =
  | 'jobs'
  | 'jobs/{id}/tasks'
  | 'tasks/{id}/logs'
  | 'workers'
  | 'outages'
  | 'diagnostics';

/**
 * The permission that each kind of subject needs: that of the routes that show the same data
 * (docs/contract/events.md#subjects). A subject of no kind is unknown.
 */
export const SUBJECT_PERMISSIONS: Readonly<Record<SubjectKind, Permission>> = {
  jobs: 'jobs.read',
  'jobs/{id}/tasks': 'jobs.read',
  'tasks/{id}/logs': 'jobs.read',
  workers: 'workers.read',
  outages: 'infra.read',
  diagnostics: 'diagnostics.read',
};

/** The subject that a client names. */
export interface NamedSubject {
  readonly kind: SubjectKind;
  /** Of the job or task; empty for the other kinds. */
  readonly id: string;
}

const WITH_ID: readonly (readonly [SubjectKind, RegExp])[] = [
  ['jobs/{id}/tasks', /^jobs\/([^/]+)\/tasks$/],
  ['tasks/{id}/logs', /^tasks\/([^/]+)\/logs$/],
];

/** Parses a subject; null if it is unknown. */
export function parseSubject(text: string): NamedSubject | null {
  if (text === 'jobs' || text === 'workers' || text === 'outages' || text === 'diagnostics')
    return { kind: text, id: '' };
  for (const [kind, pattern] of WITH_ID) {
    const id = pattern.exec(text)?.[1];
    if (id !== undefined) return { kind, id };
  }
  return null;
}
