import { useId, useState } from 'react';
import { Button } from '../../parts/button.tsx';

/** An input for a range of frames, such as `1010-1020`. It shows errors while the user types. */
export function FramesBox({
  label,
  value,
  check,
  onChange,
}: {
  label: string;
  value: string;
  /** Returns the error of a text; empty for a valid range. */
  check: (text: string) => string;
  onChange: (text: string) => void;
}) {
  const id = useId();
  const [text, setText] = useState(value);
  const error = text.trim() === '' ? '' : check(text);
  return (
    <form
      className="frames-box"
      onSubmit={(event) => {
        event.preventDefault();
        if (error === '') onChange(text.trim());
      }}
    >
      <input
        className="input input--mono"
        type="text"
        inputMode="text"
        aria-label={label}
        aria-invalid={error === '' ? undefined : true}
        aria-describedby={error === '' ? undefined : id}
        placeholder="1010-1020"
        title={label}
        value={text}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
      />
      <Button size="small" disabledReason={error} onPress={() => onChange(text.trim())}>
        Select
      </Button>
      {error !== '' && (
        <span id={id} className="field__error frames-box__error" role="alert">
          {error}
        </span>
      )}
    </form>
  );
}
