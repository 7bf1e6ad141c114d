import {
  Ban,
  Check,
  Circle,
  Clock,
  Hand,
  LockKeyhole,
  Pause,
  Play,
  Plug,
  SkipForward,
  TriangleAlert,
  Unplug,
  X,
  type LucideIcon,
} from 'lucide-react';
import type { CSSProperties } from 'react';
import { classNames } from './class-names.ts';
import { statusStyle, type StateColor, type StatusIcon, type StatusKind } from './status-looks.ts';
import './status-badge.css';

const ICONS: Readonly<Record<StatusIcon, LucideIcon>> = {
  circle: Circle,
  lock: LockKeyhole,
  clock: Clock,
  hand: Hand,
  play: Play,
  check: Check,
  skip: SkipForward,
  cross: X,
  ban: Ban,
  pause: Pause,
  warning: TriangleAlert,
  plug: Plug,
  unplugged: Unplug,
};

/** Sets `--status-color` for an element and its content. */
export const statusColor = (color: StateColor): CSSProperties =>
  ({ '--status-color': `var(--state-${color})` }) as CSSProperties;

export function StatusGlyph({ kind, status }: { kind: StatusKind; status: string }) {
  const Icon = ICONS[statusStyle(kind, status).icon];
  return <Icon aria-hidden="true" strokeWidth={2.4} />;
}

/** A status as a label, an icon and a color. */
export function StatusBadge({ kind, status, title }: { kind: StatusKind; status: string; title?: string }) {
  const look = statusStyle(kind, status);
  return (
    <span
      className={classNames('status-badge', look.color === 'running' && 'status-badge--running')}
      style={statusColor(look.color)}
      title={title}
    >
      <StatusGlyph kind={kind} status={status} />
      {look.label}
    </span>
  );
}
