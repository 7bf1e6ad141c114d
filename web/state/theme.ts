import { onPreference, readPreference, writePreference } from './preferences.ts';

/** As the system has it, or as it was chosen. */
export type Theme = 'system' | 'light' | 'dark';

/** Kept where public/theme.js looks for it before the first paint. */
const KEY = 'theme';

export function currentTheme(): Theme {
  const theme = readPreference(KEY);
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

/** Calls `listener` when another theme is chosen, here or in another tab. Gives what ends that. */
export const onTheme = (listener: () => void): (() => void) => onPreference(KEY, listener);

/** From light to dark or back, whatever the system has. */
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
