import { useId, type HTMLInputTypeAttribute, type ReactNode } from 'react';
import { classNames } from './class-names.ts';
import './field.css';

export interface FieldProps {
  readonly label: string;
  /** Shown muted next to the label: a type or a unit. */
  readonly note?: string;
  readonly hint?: ReactNode;
  /** Error text; empty if the value is valid. */
  readonly error?: string;
  readonly isRequired?: boolean;
}

/** Attributes that connect a control with its label and description. */
export interface ControlProps {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
  readonly 'aria-required': true | undefined;
}

/** A control with label, hint and error. */
export function Field({
  label,
  note = '',
  hint,
  error = '',
  isRequired = false,
  children,
}: FieldProps & { readonly children: (control: ControlProps) => ReactNode }) {
  const id = useId();
  const hintId = hint === undefined ? '' : `${id}-hint`;
  const errorId = error === '' ? '' : `${id}-error`;
  const described = classNames(errorId, hintId);
  return (
    <div className="field">
      <label className="field__label" htmlFor={id}>
        {label}
        {isRequired && (
          <span className="field__required" title="required">
            {' '}
            *
          </span>
        )}
        {note !== '' && <span className="field__note"> {note}</span>}
      </label>
      {children({
        id,
        'aria-describedby': described === '' ? undefined : described,
        'aria-invalid': error === '' ? undefined : true,
        'aria-required': isRequired ? true : undefined,
      })}
      {error !== '' && (
        <div id={errorId} className="field__error" role="alert">
          {error}
        </div>
      )}
      {hint !== undefined && (
        <div id={hintId} className="field__hint">
          {hint}
        </div>
      )}
    </div>
  );
}

interface ValueProps extends FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onLeave?: () => void;
  readonly isOff?: boolean;
}

export interface TextFieldProps extends ValueProps {
  readonly type?: HTMLInputTypeAttribute;
  readonly placeholder?: string;
  readonly isMono?: boolean;
  /** For password managers: `username`, `current-password`, `new-password`. */
  readonly autoComplete?: string;
  readonly isReadOnly?: boolean;
  /** Has the focus at first. */
  readonly isFirst?: boolean;
  /** Suggestions while typing. */
  readonly suggestions?: readonly string[];
}

export function TextField(props: TextFieldProps) {
  const { value, onChange, onLeave, isOff, type = 'text', placeholder, isMono, suggestions } = props;
  const { autoComplete = 'off', isReadOnly = false, isFirst = false } = props;
  const listId = useId();
  return (
    <Field {...props}>
      {(control) => (
        <>
          <input
            {...control}
            className={classNames('input', isMono === true && 'input--mono')}
            type={type}
            value={value}
            placeholder={placeholder}
            disabled={isOff}
            autoComplete={autoComplete}
            autoCapitalize="none"
            autoFocus={isFirst}
            readOnly={isReadOnly}
            spellCheck={false}
            list={suggestions === undefined ? undefined : listId}
            onChange={(event) => onChange(event.target.value)}
            onBlur={onLeave}
          />
          {suggestions !== undefined && (
            <datalist id={listId}>
              {suggestions.map((suggestion) => (
                <option key={suggestion} value={suggestion} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}

/** A number, kept as the text that was typed, so that an invalid input is reported and not lost. */
export function NumberField(
  props: ValueProps & {
    readonly min?: number | string;
    readonly max?: number | string;
    readonly step?: number | string;
    readonly placeholder?: string;
  },
) {
  const { value, onChange, onLeave, isOff, min, max, step, placeholder } = props;
  return (
    <Field {...props}>
      {(control) => (
        <input
          {...control}
          className="input number"
          type="number"
          inputMode="decimal"
          value={value}
          min={min}
          max={max}
          step={step ?? 'any'}
          placeholder={placeholder}
          disabled={isOff}
          onChange={(event) => onChange(event.target.value)}
          onBlur={onLeave}
        />
      )}
    </Field>
  );
}

export function TextAreaField(
  props: ValueProps & { readonly rows?: number; readonly isMono?: boolean; readonly placeholder?: string },
) {
  const { value, onChange, onLeave, isOff, rows = 4, isMono, placeholder } = props;
  return (
    <Field {...props}>
      {(control) => (
        <textarea
          {...control}
          className={classNames('input', isMono === true && 'input--mono')}
          rows={rows}
          value={value}
          placeholder={placeholder}
          disabled={isOff}
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
          onBlur={onLeave}
        />
      )}
    </Field>
  );
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

export function SelectField(
  props: ValueProps & { readonly choices: readonly Choice[]; readonly none?: string },
) {
  const { value, onChange, onLeave, isOff, choices, none } = props;
  return (
    <Field {...props}>
      {(control) => (
        <select
          {...control}
          className="input"
          value={value}
          disabled={isOff}
          onChange={(event) => onChange(event.target.value)}
          onBlur={onLeave}
        >
          {none !== undefined && <option value="">{none}</option>}
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function CheckField({
  label,
  hint,
  isChecked,
  onChange,
  isOff,
}: Pick<FieldProps, 'label' | 'hint'> & {
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly isOff?: boolean;
}) {
  const id = useId();
  return (
    <div className="check-field">
      <input
        id={id}
        type="checkbox"
        checked={isChecked}
        disabled={isOff}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChange(event.target.checked)}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && (
          <div id={`${id}-hint`} className="field__hint">
            {hint}
          </div>
        )}
      </div>
    </div>
  );
}
