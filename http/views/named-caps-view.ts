import type { NamedCaps } from '../../src/core/records/named-caps.ts';
import type { Schemas } from './schemas.ts';

/** Returns the caps of owners and projects of a farm or queue (docs/policy.md#caps). */
export const namedCapsView = ({
  ownerCaps,
  projectCaps,
}: NamedCaps): Pick<Schemas['Farm'], 'owner_caps' | 'project_caps'> => ({
  ...(ownerCaps !== undefined && { owner_caps: ownerCaps }),
  ...(projectCaps !== undefined && { project_caps: projectCaps }),
});

/** Returns the caps that a body sets. Absent ones keep the stored caps; an empty map or null removes them. */
export const namedCapsInput = ({
  owner_caps: ownerCaps,
  project_caps: projectCaps,
}: Pick<Schemas['FarmInput'], 'owner_caps' | 'project_caps'>): NamedCaps => ({
  ...(ownerCaps !== undefined && { ownerCaps: ownerCaps ?? {} }),
  ...(projectCaps !== undefined && { projectCaps: projectCaps ?? {} }),
});
