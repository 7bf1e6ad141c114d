import { Share2 } from 'lucide-react';
import { copyItem } from './copy-item.tsx';
import { ActionMenu } from './menu.tsx';

/** A view for others: its link, and the same list in a shell. Null: the command has no words for what is asked. */
export function ShareMenu({ command, curl }: { command: string | null; curl: string }) {
  return (
    <ActionMenu
      label="Share this list"
      icon={<Share2 aria-hidden="true" />}
      items={[
        copyItem('link', location.href),
        {
          ...copyItem('command', command ?? ''),
          disabledReason: command === null ? 'The command cannot search: copy as curl.' : '',
        },
        copyItem('curl', curl),
      ]}
    />
  );
}
