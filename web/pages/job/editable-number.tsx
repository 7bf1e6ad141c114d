import { Check, Pencil, X } from 'lucide-react';
import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { ProblemError } from '../../../client/problem.ts';
import type { AnswerWithHeaders, Rest } from '../../../client/rest.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { useService } from '../../state/service.tsx';
import { isOutdated, useOpenedVersion } from '../../state/use-opened-version.ts';
import { explained } from '../../state/toasts.ts';
import './editable-number.css';

interface EditableNumberProps {
  /** Name of the value: "Priority". */
  readonly label: string;
  readonly value: number;
  /** The value as text. */
  readonly shown: string;
  readonly note?: string;
  readonly min: number;
  readonly max: number;
  /** Pointer of the value in errors of the server: `/priority`. */
  readonly pointer: string;
  readonly disabledReason: string;
  /** Requests the object when the form opens. */
  readonly read: (rest: Rest) => Promise<AnswerWithHeaders<unknown>>;
  /** Sends the change with `client`. Rejects with 412 if another user has changed the value since the form was opened. */
  readonly onSave: (value: number, client: Rest) => Promise<void>;
  /** Shows the effect of the change below the form; null for an invalid number. `choose` replaces the entered number. */
  readonly preview?: (value: number | null, choose: (value: number) => void) => ReactNode;
}

/** A number with a button that replaces it by a form: Enter saves, Escape cancels. */
export function EditableNumber(props: EditableNumberProps) {
  const { label, value, shown, note, disabledReason } = props;
  const [isOpen, setIsOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    // The focused element was removed with the form.
    if (wasOpen.current && !isOpen && document.activeElement === document.body) opener.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  if (isOpen) return <NumberForm {...props} initial={String(value)} onClose={() => setIsOpen(false)} />;
  return (
    <span className="editable-number">
      <span className="number">{shown}</span>
      {note !== undefined && <span className="muted">{note}</span>}
      <IconButton
        label={`Change ${label.toLowerCase()}`}
        icon={<Pencil aria-hidden="true" />}
        size="small"
        ref={opener}
        disabledReason={disabledReason}
        onPress={() => setIsOpen(true)}
      />
    </span>
  );
}

function NumberForm({
  label,
  min,
  max,
  pointer,
  value: present,
  initial,
  read,
  onSave,
  onClose,
  preview,
}: EditableNumberProps & { initial: string; onClose: () => void }) {
  const id = useId();
  const [text, setText] = useState(initial);
  const [problem, setProblem] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const [opened] = useState(present);
  const { rest } = useService();
  const version = useOpenedVersion(read);
  const [refusal, setRefusal] = useState<string | null>(null);
  // A refusal names the new value before the page has loaded it.
  const conflict = refusal ?? (present === opened ? null : `is now ${present.toLocaleString('en')}`);
  const save = async (overwrites = false): Promise<void> => {
    const inputError = numberError(text, min, max);
    setProblem(inputError);
    if (inputError !== '' || isBusy) return;
    setIsBusy(true);
    try {
      await onSave(Number(text), overwrites ? rest : await version.guarded());
      onClose();
    } catch (error) {
      setRefusal(isOutdated(error) ? changeIn(error, pointer) : null);
      setProblem(isOutdated(error) ? '' : requestError(error, pointer));
      setIsBusy(false);
    }
  };
  const described = problem === '' ? {} : { 'aria-invalid': true, 'aria-describedby': id };
  return (
    <form
      className="editable-number editable-number--open"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <input
        {...described}
        className="input number"
        type="number"
        inputMode="numeric"
        aria-label={label}
        value={text}
        step={1}
        autoFocus
        onChange={(event) => setText(event.target.value)}
      />
      <Button
        look="primary"
        size="small"
        icon={<Check aria-hidden="true" />}
        isBusy={isBusy}
        onPress={() => void save()}
      >
        Save
      </Button>
      <IconButton label="Cancel editing" icon={<X aria-hidden="true" />} size="small" onPress={onClose} />
      {conflict !== null && (
        <span className="editable-number__conflict" role="alert">
          {label} {conflict}: another user has changed it meanwhile.{' '}
          <Button size="small" onPress={() => void save(true)}>
            Overwrite
          </Button>
          <Button size="small" onPress={onClose}>
            Take over
          </Button>
        </span>
      )}
      {problem !== '' && (
        <span id={id} className="field__error" role="alert">
          {problem}
        </span>
      )}
      {preview?.(numberError(text, min, max) === '' ? Number(text) : null, (value) => setText(String(value)))}
    </form>
  );
}

function numberError(text: string, min: number, max: number): string {
  if (!/^-?[0-9]{1,10}$/.test(text.trim())) return 'Enter a whole number.';
  const value = Number(text);
  return value < min || value > max
    ? `Enter a number from ${min.toLocaleString('en')} to ${max.toLocaleString('en')}.`
    : '';
}

/** Returns what a refusal says of the present value, such as `is now 33`. */
const changeIn = ({ errors }: ProblemError, pointer: string): string =>
  errors.find((each) => each.pointer === pointer)?.detail ?? 'has changed';

function requestError(error: unknown, pointer: string): string {
  if (error instanceof ProblemError) {
    const own = error.errors.find((each) => each.pointer === pointer);
    if (own !== undefined) return own.detail;
  }
  const { detail, requestId } = explained(error);
  return requestId === '' ? detail : `${detail} (request ${requestId})`;
}
