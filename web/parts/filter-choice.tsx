import './field.css';
import './filter-choice.css';

/** Selects one value or all. A value that is not among the choices, for example from a link, is shown as text. */
export function FilterChoice({
  label,
  all,
  value,
  choices,
  onFocus,
  onChange,
}: {
  label: string;
  /** Label for no filter: "All farms". */
  all: string;
  value: string;
  choices: readonly (readonly [value: string, text: string])[];
  /** Called when the choices are needed. */
  onFocus?: () => void;
  onChange: (value: string) => void;
}) {
  const isOffered = value === '' || choices.some(([one]) => one === value);
  return (
    <select
      className="input filter-choice"
      aria-label={label}
      value={value}
      onFocus={onFocus}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">{all}</option>
      {!isOffered && <option value={value}>{value}</option>}
      {choices.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  );
}
