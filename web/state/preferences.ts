/** Settings of one browser: columns, views, theme. They are optional and can be lost. */

const PREFIX = 'callsheet.';
const listeners = new Map<string, Set<() => void>>();
/** If storage is not allowed, preferences last until the page is closed. */
const fallback = new Map<string, string>();

/** Returns the stored text; null if there is none. */
export function readPreference(key: string): string | null {
  try {
    return localStorage.getItem(PREFIX + key) ?? fallback.get(key) ?? null;
  } catch {
    return fallback.get(key) ?? null;
  }
}

/** Stores a text; null deletes it. */
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

/** Calls `listener` when the preference changes, in this tab or another. Returns a function that unsubscribes. */
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
