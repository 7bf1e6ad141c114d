import { useId, type ReactNode } from 'react';
import { classNames } from '../../../parts/class-names.ts';
import { CheckField, Field, type ControlProps } from '../../../parts/field.tsx';
import { checkBoxWords, type ParameterDefinition } from '../model/definition.ts';
import { readRange } from '../model/range-text.ts';
import { filtersText, kindOf, problemAt, type ParameterProps } from './control-props.ts';
import { NumberBox } from './number-box.tsx';

/** The control of a parameter with a single value. */
export function SingleControl(props: ParameterProps) {
  const { definition, value, problems } = props;
  const text = typeof value === 'string' ? value : '';
  const error = problemAt(problems, null);
  if (definition.control === 'CHECK_BOX') return <CheckControl {...props} text={text} error={error} />;
  return (
    <Field
      label={definition.label}
      note={kindOf(definition)}
      hint={hintOf(props, text, error !== '')}
      error={error}
      isRequired={definition.default === null}
    >
      {(control) => <Input {...props} control={control} text={text} />}
    </Field>
  );
}

function CheckControl({
  definition,
  text,
  error,
  onChange,
}: ParameterProps & { text: string; error: string }) {
  const words = checkBoxWords(definition.rules);
  const hint = [definition.description, error].filter(Boolean).join('\n');
  return (
    <CheckField
      label={definition.label}
      {...(hint !== '' && { hint })}
      isChecked={text === words.on}
      onChange={(isChecked) => onChange(isChecked ? words.on : words.off)}
    />
  );
}

type InputProps = ParameterProps & { readonly control: ControlProps; readonly text: string };

function Input(props: InputProps) {
  const { definition, control, text, onChange, onLeave } = props;
  const { rules } = definition;
  switch (definition.control) {
    case 'DROPDOWN_LIST':
      return <Choice {...props} />;
    case 'SPIN_BOX':
      return (
        <NumberBox
          control={control}
          label={definition.label}
          value={text}
          isInteger={rules.type === 'INT'}
          stepping={steppingOf(definition)}
          onChange={onChange}
          onLeave={onLeave}
        />
      );
    case 'MULTILINE_EDIT':
      return (
        <textarea
          {...control}
          className="input input--mono"
          rows={Math.min(16, Math.max(4, text.split('\n').length))}
          value={text}
          spellCheck={false}
          onChange={(event) => onChange(textValue(definition, event.target.value))}
          onBlur={onLeave}
        />
      );
    default:
      return <Line {...props} />;
  }
}

/** Returns the step and the limits of a number of the definition. */
export function steppingOf({ rules, step, decimals }: ParameterDefinition) {
  const { minValue, maxValue } = rules.item ?? rules;
  return { step: step ?? '1', minValue, maxValue, decimals };
}

function Choice({ definition, control, text, onChange, onLeave }: InputProps) {
  const allowed = definition.rules.allowed ?? [];
  return (
    <select
      {...control}
      className="input"
      value={text}
      onChange={(event) => onChange(event.target.value)}
      onBlur={onLeave}
    >
      {!allowed.includes(text) && (
        <option value={text}>{text === '' ? 'Choose…' : `${text} (not allowed)`}</option>
      )}
      {allowed.map((choice) => (
        <option key={choice} value={choice}>
          {choice === '' ? '(empty)' : choice}
        </option>
      ))}
    </select>
  );
}

function Line({ definition, control, text, roots, onChange, onLeave }: InputProps) {
  const listId = useId();
  const isPath = definition.rules.type === 'PATH';
  return (
    <>
      <input
        {...control}
        className={classNames('input', definition.rules.type !== 'STRING' && 'input--mono')}
        type="text"
        value={text}
        autoComplete="off"
        spellCheck={false}
        list={isPath && roots.length > 0 ? listId : undefined}
        placeholder={definition.rules.type === 'RANGE_EXPR' ? '1-100, 1-100:5 or 1,4,7-9' : undefined}
        onChange={(event) => onChange(textValue(definition, event.target.value))}
        onBlur={onLeave}
      />
      {isPath && roots.length > 0 && (
        <datalist id={listId}>
          {roots.map((root) => (
            <option key={root} value={root} />
          ))}
        </datalist>
      )}
    </>
  );
}

/** Returns the value of a text. An empty field is a missing value without a default, and an empty text otherwise. */
const textValue = (definition: ParameterDefinition, text: string): string | null =>
  text === '' && definition.default === null ? null : text;

function hintOf({ definition, value, onChange }: ParameterProps, text: string, hasError: boolean): ReactNode {
  const filters = filtersText(definition);
  const range = definition.rules.type === 'RANGE_EXPR' ? rangeText(text) : '';
  const parts = [definition.description, filters, range].filter((part) => part !== '');
  const isEmptyText = definition.default === null && value === '';
  const canBeEmpty = value === null && hasError && takesEmptyText(definition);
  if (parts.length === 0 && !isEmptyText && !canBeEmpty) return undefined;
  return (
    <>
      {canBeEmpty && (
        <button type="button" className="parameter__link" onClick={() => onChange('')}>
          Send empty text
        </button>
      )}
      {isEmptyText && <div>Sends an empty text.</div>}
      {parts.map((part) => (
        <div key={part} className="parameter__hint">
          {part}
        </div>
      ))}
    </>
  );
}

const takesEmptyText = ({ rules }: ParameterDefinition): boolean =>
  rules.type === 'STRING' && (rules.minLength ?? 0) === 0 && rules.allowed === null;

/** Describes the values of a range expression; empty for an invalid one. */
function rangeText(text: string): string {
  const range = readRange(text);
  if (!range.ok) return '';
  if (range.count === 1n) return `1 value: ${range.first}`;
  return `${range.count.toLocaleString('en')} values, from ${range.first} to ${range.last}`;
}
