import type { Role } from '../../../client/resources.ts';

/** Rights of each role (docs/accounts.md#roles). */
export const ROLE_TEXTS: Readonly<Record<Role, string>> = {
  'read-only': 'sees everything of the farm, changes nothing',
  user: 'submits jobs; sees and changes only their own',
  operator: 'manages all jobs, workers, farms and queues',
  admin: 'does everything, also with accounts',
};

/** Choices of a role, in ascending order of rights. */
export const ROLE_CHOICES = (['read-only', 'user', 'operator', 'admin'] as const).map((value) => ({
  value,
  label: `${value}: ${ROLE_TEXTS[value]}`,
}));

/** Reports whether a text is the name of a role. */
export const isRole = (text: string): text is Role => Object.hasOwn(ROLE_TEXTS, text);
