import { ExternalLink } from 'lucide-react';
import { copyItem } from '../../parts/copy-item.tsx';
import type { BulkAction } from '../../parts/data-table/bulk-bar.tsx';
import type { ActionItem } from '../../parts/menu.tsx';

/** Returns the menu item that opens the page of a row. */
export const openItem = (act: () => void): ActionItem => ({
  id: 'open',
  label: 'Open',
  icon: <ExternalLink aria-hidden="true" />,
  act,
});

/** Returns the menu items of bulk actions. */
export const bulkItems = <Action extends string>(
  actions: readonly BulkAction<Action>[],
  options: {
    readonly label: (action: BulkAction<Action>) => string;
    readonly startsGroup: (action: Action) => boolean;
    readonly disabledReason: (action: Action) => string;
    readonly act: (action: Action) => void;
  },
): readonly ActionItem[] =>
  actions.map((item) => ({
    id: item.action,
    label: options.label(item),
    icon: <item.Icon aria-hidden="true" />,
    startsGroup: options.startsGroup(item.action),
    isDanger: item.action === 'delete',
    disabledReason: options.disabledReason(item.action),
    act: () => options.act(item.action),
  }));

/** Returns the menu items that copy the id of a row and the link to its page. `href` is a path. */
export const copyItems = (id: string, href: string): readonly ActionItem[] => [
  copyItem('id', id, true),
  copyItem('link', `${location.origin}${href}`),
];
