import { Check, Pencil, X } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { ProblemError } from '../../../client/problem.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { explained } from '../../state/toasts.ts';
import './editable-number.css';

/** A number that is changed where it stands: Enter keeps it, Escape leaves it as it was. */
export function EditableNumber({
  label,
  value,
  shown,
  note,
  min,
  max,
  pointer,
  disabledReason,
  onSave,
}: {
  /** What it is: "Priority". */
  label: string;
  value: number;
  /** The value in words. */
  shown: string;
  note?: string;
  min: number;
  max: number;
  /** Where the service tells of it when it is wrong: `/priority`. */
  pointer: string;
  disabledReason: string;
  onSave: (value: number) => Promise<void>;
}) {
  const id = useId();
  const [text, setText] = useState<string | null>(null);
  const [problem, setProblem] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const isOpen = text !== null;
  const wasOpen = useRef(false);
  useEffect(() => {
    // What had the focus is gone with the form.
    if (wasOpen.current && !isOpen && document.activeElement === document.body) opener.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  const leave = (): void => {
    setText(null);
    setProblem('');
  };
  if (text === null) {
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
          onPress={() => setText(String(value))}
        />
      </span>
    );
  }
  const save = async (): Promise<void> => {
    const wrong = wrongWith(text, min, max);
    setProblem(wrong);
    if (wrong !== '' || isBusy) return;
    setIsBusy(true);
    try {
      await onSave(Number(text));
      leave();
    } catch (error) {
      setProblem(problemWith(error, pointer));
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <form
      className="editable-number editable-number--open"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') leave();
      }}
    >
      <input
        className="input number"
        type="number"
        inputMode="numeric"
        aria-label={label}
        aria-invalid={problem === '' ? undefined : true}
        aria-describedby={problem === '' ? undefined : id}
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
      <IconButton label="Leave it as it was" icon={<X aria-hidden="true" />} size="small" onPress={leave} />
      {problem !== '' && (
        <span id={id} className="field__error" role="alert">
          {problem}
        </span>
      )}
    </form>
  );
}

function wrongWith(text: string, min: number, max: number): string {
  if (!/^-?[0-9]{1,10}$/.test(text.trim())) return 'It must be a whole number.';
  const value = Number(text);
  return value < min || value > max
    ? `It must be from ${min.toLocaleString('en')} to ${max.toLocaleString('en')}.`
    : '';
}

function problemWith(error: unknown, pointer: string): string {
  if (error instanceof ProblemError) {
    const own = error.errors.find((each) => each.pointer === pointer);
    if (own !== undefined) return own.detail;
  }
  const { detail, requestId } = explained(error);
  return requestId === '' ? detail : `${detail} (request ${requestId})`;
}
