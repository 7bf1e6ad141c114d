import { Copy, Link, SquareTerminal, type LucideIcon } from 'lucide-react';
import { toasts } from '../state/toasts.ts';
import { copyText } from './copy-button.tsx';
import type { ActionItem } from './menu.tsx';

type Copied = 'id' | 'link' | 'command' | 'curl';

const LOOKS: Readonly<Record<Copied, { readonly label: string; readonly icon: LucideIcon }>> = {
  id: { label: 'Copy ID', icon: Copy },
  link: { label: 'Copy link', icon: Link },
  command: { label: 'Copy command', icon: SquareTerminal },
  curl: { label: 'Copy as curl', icon: SquareTerminal },
};

/** Returns a menu item that copies a text and shows it in a toast. */
export function copyItem(what: Copied, text: string, startsGroup = false): ActionItem {
  const { label, icon: Icon } = LOOKS[what];
  return {
    id: `copy-${what}`,
    label,
    icon: <Icon aria-hidden="true" />,
    startsGroup,
    act: () => {
      copyText(text).then(
        () => toasts.done('Copied', text),
        (error: unknown) => toasts.failed(error, 'Could not copy the text'),
      );
    },
  };
}
