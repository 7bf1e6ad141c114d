import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { toasts } from '../state/toasts.ts';
import { Button, IconButton } from './button.tsx';

const SHOWN_MS = 1_500;

/** Copies a text. A text button with `children`, else an icon. `label` names the action: "Copy ID". */
export function CopyButton({ text, label, children }: { text: string; label: string; children?: string }) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setIsCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = (): void => {
    copyText(text).then(
      () => setIsCopied(true),
      (error: unknown) => toasts.failed(error, 'Could not copy the text'),
    );
  };
  const icon = isCopied ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />;
  return (
    <>
      {children === undefined ? (
        <IconButton label={label} icon={icon} size="small" onPress={copy} />
      ) : (
        <Button icon={icon} size="small" onPress={copy} title={label}>
          {children}
        </Button>
      )}
      <span className="visually-hidden" role="status">
        {isCopied ? 'Copied' : ''}
      </span>
    </>
  );
}

/**
 * Copies a text. The clipboard API needs HTTPS; on plain HTTP, as in many farm networks, it copies a selection
 * instead.
 */
export async function copyText(text: string): Promise<void> {
  if (window.isSecureContext) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'visually-hidden';
  // Everything outside an open dialog is inert.
  const dialog = [...document.querySelectorAll('dialog[open]')].at(-1);
  (dialog ?? document.body).append(area);
  area.select();
  const isDone = document.execCommand('copy');
  area.remove();
  if (!isDone)
    throw new Error('The browser did not allow access to the clipboard. Select the text and copy it.');
}
