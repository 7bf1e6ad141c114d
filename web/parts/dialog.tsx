import { X } from 'lucide-react';
import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { explained } from '../state/toasts.ts';
import { Button, IconButton, SubmitButton } from './button.tsx';
import { classNames } from './class-names.ts';
import { Notice } from './notice.tsx';
import './dialog.css';

/** Element that gets the focus first: the first field that can be changed, or else the first button of the footer, which is harmless. */
const FIRST_CONTROL =
  ':is(.dialog__body :is(input, select, textarea):not([type=hidden], [readonly])), .dialog:not(:has(.dialog__body :is(input, select, textarea))) .dialog__foot button';

interface DialogProps {
  readonly title: string;
  readonly children: ReactNode;
  /** Buttons; the primary action comes last. */
  readonly foot?: ReactNode;
  readonly isWide?: boolean;
  readonly onClose: () => void;
  /** Called on Enter in a field; the dialog is a form. */
  readonly onSubmit?: () => void;
}

/** A modal dialog, open while it is mounted. Escape closes it and returns the focus. */
export function Dialog({ title, children, foot, isWide = false, onClose, onSubmit }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const opener = document.activeElement;
    const element = dialog.current;
    element?.showModal();
    element?.querySelector<HTMLElement>(FIRST_CONTROL)?.focus();
    return () => {
      element?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={classNames('dialog', isWide && 'dialog--wide')}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <form
        className="dialog__form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          event.stopPropagation();
          onSubmit?.();
        }}
      >
        <div className="dialog__head">
          <h2 id={titleId}>{title}</h2>
          <IconButton label="Close" icon={<X aria-hidden="true" />} size="small" onPress={onClose} />
        </div>
        <div className="dialog__body stack">{children}</div>
        {foot !== undefined && <div className="dialog__foot">{foot}</div>}
      </form>
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  /** States which items are affected, and how many. */
  readonly children: ReactNode;
  /** Label of the confirming button: "Delete 3 jobs". */
  readonly action: string;
  readonly isDanger?: boolean;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks before an action that cannot be undone. Stays open and shows the error if the action fails. */
export function ConfirmDialog({
  title,
  children,
  action,
  isDanger = true,
  onConfirm,
  onClose,
}: ConfirmProps) {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const confirm = (): void => {
    if (isBusy) return;
    setIsBusy(true);
    setError(null);
    onConfirm().then(onClose, (reason: unknown) => {
      setError(reason);
      setIsBusy(false);
    });
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={confirm}
      foot={
        <>
          <Button onPress={onClose}>Keep</Button>
          <SubmitButton look={isDanger ? 'danger' : 'primary'} isBusy={isBusy}>
            {action}
          </SubmitButton>
        </>
      }
    >
      {children}
      {error !== null && <Notice kind="danger" {...explained(error)} />}
    </Dialog>
  );
}
