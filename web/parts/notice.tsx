import { CircleAlert, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';
import './notice.css';

const ICONS = { danger: CircleAlert, warning: TriangleAlert, info: Info };

interface NoticeProps {
  readonly kind: keyof typeof ICONS;
  readonly title?: string;
  readonly detail: ReactNode;
  readonly requestId?: string;
  readonly children?: ReactNode;
}

/** A message in the place that it is about. */
export function Notice({ kind, title, detail, requestId = '', children }: NoticeProps) {
  const Icon = ICONS[kind];
  return (
    <div className={`notice notice--${kind}`} role={kind === 'danger' ? 'alert' : undefined}>
      <Icon aria-hidden="true" />
      <div className="notice__body">
        {title !== undefined && <strong>{title}</strong>}
        <div className="notice__detail">{detail}</div>
        {requestId !== '' && (
          <div className="notice__request">
            Request <span className="mono">{requestId}</span>
            <CopyButton text={requestId} label="Copy request id" />
          </div>
        )}
        {children}
      </div>
    </div>
  );
}
