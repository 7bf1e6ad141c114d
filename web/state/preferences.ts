/** What one browser remembers: columns, views, the theme. Nothing that matters is kept here. */

const PREFIX = 'callsheet.';
const listeners = new Map<string, Set<() => void>>();
/** Where storage is forbidden, preferences last as long as the page. */
const fallback = new Map<string, string>();

/** The text that was kept under the key; null when there is none. */
export function readPreference(key: string): string | null {
  try {
    return localStorage.getItem(PREFIX + key) ?? fallback.get(key) ?? null;
  } catch {
    return fallback.get(key) ?? null;
  }
}

/** Keeps a text, or with null forgets it. */
export function writePreference(key: string, text: string | null): void {
  if (text === null) fallback.delete(key);
  else fallback.set(key, text);
  try {
    if (text === null) localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, text);
  } catch {
    // Forbidden or full: the copy above serves this page.
  }
  for (const listener of listeners.get(key) ?? []) listener();
}

/** Calls `listener` when the preference changes, in this tab or another. Gives what ends that. */
export function onPreference(key: string, listener: () => void): () => void {
  const heard = (event: StorageEvent): void => {
    if (event.key === PREFIX + key) listener();
  };
  const known = listeners.get(key) ?? new Set();
  listeners.set(key, known.add(listener));
  window.addEventListener('storage', heard);
  return () => {
    known.delete(listener);
    window.removeEventListener('storage', heard);
  };
}
