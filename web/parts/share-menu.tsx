import { Link as LinkIcon, Share2, SquareTerminal } from 'lucide-react';
import { toasts } from '../state/toasts.ts';
import { copyText } from './copy-button.tsx';
import { ActionMenu, type ActionItem } from './menu.tsx';

/** An entry of a menu that copies a text, and says so. */
export function copyItem(
  id: string,
  label: string,
  text: string,
  icon: ActionItem['icon'],
  startsGroup = false,
): ActionItem {
  return {
    id,
    label,
    icon,
    startsGroup,
    act: () => {
      copyText(text).then(
        () => toasts.done('Copied', text),
        (error: unknown) => toasts.failed(error, label),
      );
    },
  };
}

/** A view for others: its link, and the same list in a shell. Null: the command has no words for what is asked. */
export function ShareMenu({ command, curl }: { command: string | null; curl: string }) {
  return (
    <ActionMenu
      label="Share this list"
      icon={<Share2 aria-hidden="true" />}
      items={[
        copyItem('link', 'Copy the link', location.href, <LinkIcon aria-hidden="true" />),
        {
          ...copyItem('command', 'Copy the command', command ?? '', <SquareTerminal aria-hidden="true" />),
          offBecause: command === null ? 'The command cannot search: copy as curl.' : '',
        },
        copyItem('curl', 'Copy as curl', curl, <SquareTerminal aria-hidden="true" />),
      ]}
    />
  );
}
