import { useSyncExternalStore } from 'react';

/** Returns the active color scheme, and renders the component again when it changes. */
export function useSchemeName(): string {
  return useSyncExternalStore(subscribe, current);
}

const DARK = '(prefers-color-scheme: dark)';

const current = (): string =>
  document.documentElement.dataset['theme'] ?? (matchMedia(DARK).matches ? 'dark' : 'light');

function subscribe(changed: () => void): () => void {
  const media = matchMedia(DARK);
  const watcher = new MutationObserver(changed);
  watcher.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  media.addEventListener('change', changed);
  return () => {
    watcher.disconnect();
    media.removeEventListener('change', changed);
  };
}

const known = new Map<string, Readonly<Record<string, string>>>();

/** Resolves custom properties to colors: a canvas supports neither them nor light-dark(). */
export function resolvedColors(scheme: string, names: readonly string[]): Readonly<Record<string, string>> {
  const key = `${scheme} ${names.join(' ')}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const probe = document.createElement('span');
  document.body.append(probe);
  const colors = Object.fromEntries(
    names.map((name) => {
      probe.style.color = `var(${name})`;
      return [name, getComputedStyle(probe).color];
    }),
  );
  probe.remove();
  known.set(key, colors);
  return colors;
}

/** Returns dark or white text, whichever contrasts more with `color`, a computed CSS color. */
export function contrastColor(color: string): string {
  const [red = 0, green = 0, blue = 0] = (color.match(/[0-9.]+/g) ?? []).map(Number);
  return 0.299 * red + 0.587 * green + 0.114 * blue > 100 ? '#10151c' : '#ffffff';
}
