/** The last state that a batch of events reports of each row. No id is in both members. */
export interface LatestEvents<Event> {
  readonly changed: ReadonlyMap<string, Event>;
  readonly removed: ReadonlySet<string>;
}

/** Returns the last event of each id. A row that is reported after its removal counts as changed. */
export function latestById<Event extends { readonly status: string }>(
  events: readonly Event[],
  idOf: (event: Event) => string,
): LatestEvents<Event> {
  const changed = new Map<string, Event>();
  const removed = new Set<string>();
  for (const event of events) {
    const id = idOf(event);
    changed.delete(id);
    removed.delete(id);
    if (event.status === 'removed') removed.add(id);
    else changed.set(id, event);
  }
  return { changed, removed };
}
