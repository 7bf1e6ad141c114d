import { Minus, Plus } from 'lucide-react';
import type { ControlProps } from '../../../parts/field.tsx';
import { stepped, type Stepping } from '../model/numbers.ts';
import './number-box.css';

/** A number as text, because it can have 64 bits. Buttons and the arrow keys step it up and down. */
export function NumberBox({
  control,
  label,
  value,
  stepping,
  isInteger,
  hasFocus = false,
  onChange,
  onLeave,
}: {
  control: Partial<ControlProps> & { readonly 'aria-label'?: string };
  label: string;
  value: string;
  stepping: Stepping;
  isInteger: boolean;
  hasFocus?: boolean;
  onChange: (text: string) => void;
  onLeave: () => void;
}) {
  const step = (direction: 1 | -1): void => {
    const next = stepped(value, stepping, direction);
    if (next !== null) onChange(next);
  };
  return (
    <div className="number-box">
      <input
        {...control}
        className="input number"
        type="text"
        inputMode={isInteger ? 'numeric' : 'decimal'}
        value={value}
        autoComplete="off"
        autoFocus={hasFocus}
        onChange={(event) => onChange(event.target.value.trim())}
        onBlur={onLeave}
        onKeyDown={(event) => {
          const direction = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
          if (direction === 0) return;
          event.preventDefault();
          step(direction);
        }}
      />
      {/* The arrow keys do the same, so the buttons are not in the tab order. */}
      <button type="button" tabIndex={-1} aria-label={`Decrease: ${label}`} onClick={() => step(-1)}>
        <Minus aria-hidden="true" />
      </button>
      <button type="button" tabIndex={-1} aria-label={`Increase: ${label}`} onClick={() => step(1)}>
        <Plus aria-hidden="true" />
      </button>
    </div>
  );
}
