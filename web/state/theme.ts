import { onPreference, readPreference, writePreference } from './preferences.ts';

/** `system` follows the operating system. */
export type Theme = 'system' | 'light' | 'dark';

/** public/theme.js reads this key before the first paint. */
const KEY = 'theme';

export function currentTheme(): Theme {
  const theme = readPreference(KEY);
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

/** Calls `listener` when the theme changes, in this tab or another. Returns a function that unsubscribes. */
export const onTheme = (listener: () => void): (() => void) => onPreference(KEY, listener);

/** Switches between light and dark, starting from the theme in effect. */
export function changeTheme(): void {
  const { theme } = document.documentElement.dataset;
  const isDark = theme === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
  chooseTheme(isDark ? 'light' : 'dark');
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  writePreference(KEY, theme === 'system' ? null : theme);
}
