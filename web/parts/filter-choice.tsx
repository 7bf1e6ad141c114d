import './field.css';
import './filter-choice.css';

/** One of some values, or all; a value that is not offered (of a link, say) is shown as it is. */
export function FilterChoice({
  label,
  all,
  value,
  choices,
  onChange,
}: {
  label: string;
  /** What asks for nothing: "All farms". */
  all: string;
  value: string;
  choices: readonly (readonly [value: string, text: string])[];
  onChange: (value: string) => void;
}) {
  const isOffered = value === '' || choices.some(([one]) => one === value);
  return (
    <select
      className="input filter-choice"
      aria-label={label}
      value={value}
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
