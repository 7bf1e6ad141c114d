import { Settings } from 'lucide-react';
import { useState, useSyncExternalStore } from 'react';
import { ActionMenu, type ActionItem } from '../parts/menu.tsx';
import { useUtc } from '../parts/time.tsx';
import { chooseTheme, currentTheme, onTheme, type Theme } from '../state/theme.ts';
import { useReadOnly } from '../state/use-permissions.ts';
import { AboutDialog } from './about-dialog.tsx';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';

const THEMES: readonly (readonly [Theme, string])[] = [
  ['system', 'Theme: system'],
  ['light', 'Theme: light'],
  ['dark', 'Theme: dark'],
];

/** Menu of the settings of this browser, the shortcuts, and the version. */
export function SettingsMenu() {
  const theme = useSyncExternalStore(onTheme, currentTheme);
  const [isUtc, setIsUtc] = useUtc();
  const [isReadOnly, setIsReadOnly] = useReadOnly();
  const [dialog, setDialog] = useState<'about' | 'shortcuts' | null>(null);
  const withCheckMark = (isOn: boolean, label: string): string => (isOn ? `✓ ${label}` : label);
  const items: ActionItem[] = [
    ...THEMES.map(([id, label]) => ({
      id,
      label: withCheckMark(theme === id, label),
      act: () => chooseTheme(id),
    })),
    {
      id: 'local',
      label: withCheckMark(!isUtc, 'Times: local'),
      startsGroup: true,
      act: () => setIsUtc(false),
    },
    { id: 'utc', label: withCheckMark(isUtc, 'Times: UTC'), act: () => setIsUtc(true) },
    {
      id: 'read-only',
      label: withCheckMark(isReadOnly, 'Read-only mode'),
      startsGroup: true,
      act: () => setIsReadOnly(!isReadOnly),
    },
    { id: 'shortcuts', label: 'Keyboard shortcuts', startsGroup: true, act: () => setDialog('shortcuts') },
    { id: 'about', label: 'About Callsheet', act: () => setDialog('about') },
  ];
  return (
    <>
      <ActionMenu items={items} label="Settings" icon={<Settings aria-hidden="true" />} />
      {dialog === 'about' && <AboutDialog onClose={() => setDialog(null)} />}
      {dialog === 'shortcuts' && <ShortcutsDialog onClose={() => setDialog(null)} />}
    </>
  );
}
