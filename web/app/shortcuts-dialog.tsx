import { Fragment } from 'react';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { NAV_ITEMS } from './navigation.ts';
import './shortcuts-dialog.css';

const GENERAL: readonly (readonly [keys: readonly string[], what: string])[] = [
  [['Ctrl', 'K'], 'Search or run a command'],
  [['/'], 'Search the list'],
  [['r'], 'Refresh the list when nothing is selected'],
  [['t'], 'Switch between light and dark theme'],
  [['↑', '↓'], 'Move between rows; with Shift, extend the selection'],
  [['Space'], 'Select the row'],
  [['Ctrl', 'A'], 'Select all matching rows'],
  [['Enter'], 'Open the row'],
  [['Shift', 'F10'], 'Open the actions of the row or of the selected rows'],
  [['p'], 'Pause or resume the selected jobs'],
  [['r'], 'Retry the failed tasks of the selected jobs'],
  [['c'], 'Cancel the selected jobs (asks first)'],
  [['Delete'], 'Delete the selected rows (asks first)'],
  [['l'], 'In a log: go to a line'],
  [['n'], 'In a comparison of logs: next difference; b: previous one'],
  [['Alt', '→'], 'On a column header: resize the column; with Shift, move it'],
  [['Esc'], 'Close, or clear the selection'],
  [['?'], 'Show this list'],
];

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const places = NAV_ITEMS.flatMap((group) => group.items);
  const all = [...GENERAL, ...places.map(({ key, label }) => [['g', key], `Go to ${label}`] as const)];
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} foot={<Button onPress={onClose}>Close</Button>}>
      {/* The list scrolls in a low window, so it must be reachable by keyboard. */}
      <div className="shortcuts" tabIndex={0} role="group" aria-label="List of shortcuts">
        {all.map(([keys, what]) => (
          <Fragment key={`${keys.join(' ')} ${what}`}>
            <span>
              {keys.map((key) => (
                <Fragment key={key}>
                  <kbd>{key}</kbd>{' '}
                </Fragment>
              ))}
            </span>
            <span>{what}</span>
          </Fragment>
        ))}
      </div>
    </Dialog>
  );
}
