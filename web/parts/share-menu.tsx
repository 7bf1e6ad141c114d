import { Share2 } from 'lucide-react';
import { copyItem } from './copy-item.tsx';
import { ActionMenu } from './menu.tsx';

/**
 * Menu that copies a view as a link, a command, or a curl call. `command` is null if the command line cannot express
 * the filter.
 */
export function ShareMenu({ command, curl }: { command: string | null; curl: string }) {
  return (
    <ActionMenu
      label="Share this list"
      icon={<Share2 aria-hidden="true" />}
      items={[
        copyItem('link', location.href),
        {
          ...copyItem('command', command ?? ''),
          disabledReason: command === null ? 'The command line cannot search. Use Copy as curl.' : '',
        },
        copyItem('curl', curl),
      ]}
    />
  );
}
