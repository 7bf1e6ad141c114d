import { Inbox, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';
import './empty-state.css';

/** Placeholder of an empty page or list, with what to do next. */
export function EmptyState({
  title,
  children,
  icon: Icon = Inbox,
  actions,
}: {
  title: string;
  children?: ReactNode;
  icon?: LucideIcon;
  actions?: ReactNode;
}) {
  return (
    <div className="empty-state">
      <Icon aria-hidden="true" strokeWidth={1.5} />
      <h2>{title}</h2>
      {children !== undefined && <div className="empty-state__text stack">{children}</div>}
      {actions !== undefined && <div className="row">{actions}</div>}
    </div>
  );
}

/** A command with a copy button. */
export function CommandLine({ command }: { command: string }) {
  return (
    <div className="command-line">
      {/* Long commands scroll, so they must be reachable by keyboard. */}
      <code tabIndex={0}>{command}</code>
      <CopyButton text={command} label="Copy command" />
    </div>
  );
}
