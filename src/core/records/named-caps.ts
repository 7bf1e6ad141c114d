/** Caps by name of owner or project. 0: no cap. */
export type CapsByName = Readonly<Record<string, number>>;

/** Caps of a farm or queue on the assigned and running tasks of each owner and project (docs/policy.md#caps). */
export interface NamedCaps {
  /** Absent: none. */
  readonly ownerCaps?: CapsByName;
  readonly projectCaps?: CapsByName;
}

/** Stands for each owner or project that the caps do not name. */
const EACH_OTHER = '*';

/** Returns the cap of a name; 0 for none. */
export function capOfName(caps: CapsByName | undefined, name: string): number {
  if (caps === undefined) return 0;
  if (Object.hasOwn(caps, name)) return caps[name] ?? 0;
  return Object.hasOwn(caps, EACH_OTHER) ? (caps[EACH_OTHER] ?? 0) : 0;
}

/** Returns only the caps of a farm or queue. */
export const namedCapsOf = ({
  ownerCaps,
  projectCaps,
}: {
  readonly ownerCaps?: CapsByName | undefined;
  readonly projectCaps?: CapsByName | undefined;
}): NamedCaps => ({
  ...(ownerCaps !== undefined && { ownerCaps }),
  ...(projectCaps !== undefined && { projectCaps }),
});

/** Returns the caps after a change. What it does not name stays; an empty map removes all caps. */
export function changedNamedCaps(change: NamedCaps, before: NamedCaps | null): NamedCaps {
  const ownerCaps = change.ownerCaps ?? before?.ownerCaps;
  const projectCaps = change.projectCaps ?? before?.projectCaps;
  return {
    ...(hasAny(ownerCaps) && { ownerCaps: sorted(ownerCaps) }),
    ...(hasAny(projectCaps) && { projectCaps: sorted(projectCaps) }),
  };
}

const hasAny = (caps: CapsByName | undefined): caps is CapsByName =>
  caps !== undefined && Object.keys(caps).length > 0;

const sorted = (caps: CapsByName): CapsByName =>
  Object.fromEntries(Object.entries(caps).sort(([a], [b]) => (a < b ? -1 : 1)));
