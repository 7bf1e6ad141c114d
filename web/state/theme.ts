import { readPreference, writePreference } from './preferences.ts';

/** As the system has it, or as it was chosen. */
export type Theme = 'system' | 'light' | 'dark';

/** Kept where public/theme.js looks for it before the first paint. */
const KEY = 'theme';

export function currentTheme(): Theme {
  const theme = readPreference(KEY);
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  writePreference(KEY, theme === 'system' ? null : theme);
}
