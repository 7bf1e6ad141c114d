import { classNames } from './class-names.ts';
import './switch.css';

/** A switch with its state as text. `disabledReason` is shown as its tooltip; empty if it can be used. */
export function Switch({
  label,
  isOn,
  on,
  off,
  disabledReason = '',
  onChange,
}: {
  /** Names what it switches, for screen readers. */
  label: string;
  isOn: boolean;
  /** Texts of the two states. */
  on: string;
  off: string;
  disabledReason?: string;
  onChange: (isOn: boolean) => void;
}) {
  const isDisabled = disabledReason !== '';
  return (
    <button
      type="button"
      role="switch"
      className={classNames('switch', isOn && 'switch--on')}
      aria-checked={isOn}
      aria-label={label}
      aria-disabled={isDisabled || undefined}
      title={isDisabled ? disabledReason : undefined}
      onClick={() => {
        if (!isDisabled) onChange(!isOn);
      }}
    >
      <span className="switch__track" />
      {isOn ? on : off}
    </button>
  );
}
