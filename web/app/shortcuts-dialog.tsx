import { Fragment } from 'react';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { NAV_ITEMS } from './navigation.ts';
import './shortcuts-dialog.css';

const GENERAL: readonly (readonly [keys: readonly string[], what: string])[] = [
  [['Ctrl', 'K'], 'Find a page, a job or a task, or do something'],
  [['/'], 'Search in the list that is shown'],
  [['r'], 'Load what is shown anew, where nothing is selected'],
  [['t'], 'Light or dark'],
  [['↑', '↓'], 'Move in a table; with Shift the selection follows'],
  [['Space'], 'Select the row'],
  [['Ctrl', 'A'], 'Select all that match'],
  [['Enter'], 'Open the row'],
  [['Shift', 'F10'], 'What can be done with the row, or with all that are selected'],
  [['p'], 'Pause the selected jobs, or resume them'],
  [['r'], 'Try again what failed of the selected jobs'],
  [['c'], 'Cancel the selected jobs, after a question'],
  [['Delete'], 'Delete what is selected, after a question'],
  [['Alt', '→'], 'On a header: widen the column; with Shift move it'],
  [['Esc'], 'Close, or clear the selection'],
  [['?'], 'This list'],
];

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const places = NAV_ITEMS.flatMap((group) => group.places);
  const all = [...GENERAL, ...places.map(({ key, label }) => [['g', key], `Go to: ${label}`] as const)];
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} foot={<Button onPress={onClose}>Close</Button>}>
      {/* The list scrolls in a low window, so it must be reachable by keyboard. */}
      <div className="shortcuts" tabIndex={0} role="group" aria-label="Keys and what they do">
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
