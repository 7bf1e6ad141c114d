import { X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { Link } from 'wouter';
import { IconButton } from '../parts/button.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { toasts } from '../state/toasts.ts';
import './toast-list.css';

/** Short messages. Screen readers announce them. */
export function ToastList() {
  const list = useSyncExternalStore(toasts.subscribe, toasts.list);
  return (
    <ul className="toast-list" aria-live="polite" aria-label="Messages">
      {list.map((toast) => (
        <li key={toast.id} className={`toast toast--${toast.kind}`}>
          <div className="toast__body">
            <strong>{toast.title}</strong>
            {toast.detail !== '' && <div className="toast__detail">{toast.detail}</div>}
            {toast.href !== '' && (
              <div>
                <Link href={toast.href} onClick={() => toasts.close(toast.id)}>
                  Open
                </Link>
              </div>
            )}
            {toast.requestId !== '' && (
              <div className="toast__request">
                Request <span className="mono">{toast.requestId}</span>
                <CopyButton text={toast.requestId} label="Copy request id" />
              </div>
            )}
          </div>
          <IconButton
            label="Close message"
            icon={<X aria-hidden="true" />}
            size="small"
            onPress={() => toasts.close(toast.id)}
          />
        </li>
      ))}
    </ul>
  );
}
