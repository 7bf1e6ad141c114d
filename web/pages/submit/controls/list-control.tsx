import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react';
import { useId, useState, type ClipboardEvent } from 'react';
import { Button, IconButton } from '../../../parts/button.tsx';
import { classNames } from '../../../parts/class-names.ts';
import { TYPES, type Value } from '../model/definition.ts';
import { filtersText, kindOf, problemAt, type ParameterProps } from './control-props.ts';
import { NumberBox } from './number-box.tsx';
import { steppingOf } from './single-control.tsx';
import './list-control.css';

/** The control of a parameter that is a list: a row for each element. */
export function ListControl(props: ParameterProps) {
  const { definition, value, problems, roots, onChange } = props;
  const id = useId();
  const [focusAt, setFocusAt] = useState<number | null>(null);
  const rows = rowsOf(value);
  const error = problemAt(problems, null);
  const { label, description } = definition;
  const filters = filtersText(definition);
  const note = kindOf(definition);
  const described = classNames(error !== '' && `${id}-error`, description !== '' && `${id}-hint`);
  const insert = (at: number, texts: readonly string[]): void => {
    onChange([...rows.slice(0, at), ...texts, ...rows.slice(at)]);
    setFocusAt(at + texts.length - 1);
  };
  const set = (at: number, texts: readonly string[]): void =>
    onChange([...rows.slice(0, at), ...texts, ...rows.slice(at + 1)]);
  const swap = (at: number, by: 1 | -1): void => {
    const moved = [...rows];
    moved.splice(at + by, 0, ...moved.splice(at, 1));
    onChange(moved);
  };
  return (
    <fieldset className="list-control" aria-describedby={described === '' ? undefined : described}>
      <legend className="field__label">
        {label}
        {definition.default === null && (
          <span className="field__required" title="required">
            {' '}
            *
          </span>
        )}
        <span className="field__note">
          {' '}
          {note === '' ? '' : `${note}, `}
          {rows.length.toLocaleString('en')}
        </span>
      </legend>
      {rows.length > 0 && (
        <ol className="list-control__rows">
          {rows.map((text, index) => {
            const problem = problemAt(problems, index);
            return (
              <li key={index}>
                <div className="list-control__row">
                  <span className="list-control__place" aria-hidden="true">
                    {index + 1}
                  </span>
                  <Row
                    {...props}
                    index={index}
                    text={text}
                    problemId={problem === '' ? undefined : `${id}-${index}`}
                    listId={roots.length > 0 ? `${id}-roots` : undefined}
                    hasFocus={focusAt === index}
                    onText={(next) => set(index, [next])}
                    onNext={() => insert(index + 1, [emptyOf(props)])}
                    onTexts={(texts) => set(index, texts)}
                  />
                  <IconButton
                    label={`Move up: ${label} ${index + 1}`}
                    icon={<ArrowUp aria-hidden="true" />}
                    size="small"
                    disabledReason={index === 0 ? 'It is the first.' : ''}
                    onPress={() => swap(index, -1)}
                  />
                  <IconButton
                    label={`Move down: ${label} ${index + 1}`}
                    icon={<ArrowDown aria-hidden="true" />}
                    size="small"
                    disabledReason={index === rows.length - 1 ? 'It is the last.' : ''}
                    onPress={() => swap(index, 1)}
                  />
                  <IconButton
                    label={`Remove: ${label} ${index + 1}`}
                    icon={<X aria-hidden="true" />}
                    size="small"
                    onPress={() => set(index, [])}
                  />
                </div>
                {problem !== '' && (
                  <div id={`${id}-${index}`} className="field__error" role="alert">
                    {problem}
                  </div>
                )}
              </li>
            );
          })}
        </ol>
      )}
      {roots.length > 0 && (
        <datalist id={`${id}-roots`}>
          {roots.map((root) => (
            <option key={root} value={root} />
          ))}
        </datalist>
      )}
      <div className="row">
        <Button
          size="small"
          icon={<Plus aria-hidden="true" />}
          onPress={() => insert(rows.length, [emptyOf(props)])}
        >
          Add<span className="visually-hidden"> to {label}</span>
        </Button>
        {rows.length === 0 && <span className="field__hint">The list is empty.</span>}
      </div>
      {error !== '' && (
        <div id={`${id}-error`} className="field__error list-control__error" role="alert">
          {error}
        </div>
      )}
      {(description !== '' || filters !== '') && (
        <div id={`${id}-hint`} className="field__hint">
          {description !== '' && <div className="parameter__hint">{description}</div>}
          {filters !== '' && <div className="parameter__hint">{filters}</div>}
        </div>
      )}
    </fieldset>
  );
}

const rowsOf = (value: Value | null): readonly string[] =>
  value === null ? [] : typeof value === 'string' ? [value] : value;

/** What a new row begins with. */
const emptyOf = ({ definition: { rules } }: ParameterProps): string =>
  TYPES[rules.type].element === 'BOOL' ? 'false' : (rules.item?.allowed?.[0] ?? '');

type RowProps = ParameterProps & {
  readonly index: number;
  readonly text: string;
  readonly problemId: string | undefined;
  readonly listId: string | undefined;
  readonly hasFocus: boolean;
  readonly onText: (text: string) => void;
  /** A new row is wanted behind this one. */
  readonly onNext: () => void;
  /** Several lines were pasted in its place. */
  readonly onTexts: (texts: readonly string[]) => void;
};

function Row(props: RowProps) {
  const { definition, index, text, problemId, listId, hasFocus, onText, onNext, onTexts, onLeave } = props;
  const { type, item } = definition.rules;
  const { element } = TYPES[type];
  const control = {
    'aria-label': `${definition.label} ${index + 1}`,
    'aria-invalid': problemId === undefined ? undefined : (true as const),
    'aria-describedby': problemId,
  };
  if (element === 'BOOL')
    return (
      <label className="list-control__check">
        <input
          {...control}
          type="checkbox"
          autoFocus={hasFocus}
          checked={text === 'true'}
          onChange={(event) => onText(`${event.target.checked}`)}
        />
        <span aria-hidden="true">{text === 'true' ? 'Yes' : 'No'}</span>
      </label>
    );
  const allowed = item?.allowed ?? null;
  if (allowed !== null)
    return (
      <select
        {...control}
        className="input"
        value={text}
        autoFocus={hasFocus}
        onChange={(event) => onText(event.target.value)}
        onBlur={onLeave}
      >
        {!allowed.includes(text) && <option value={text}>{text}</option>}
        {allowed.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    );
  if (element === 'INT' || element === 'FLOAT')
    return (
      <NumberBox
        control={control}
        label={`${definition.label} ${index + 1}`}
        value={text}
        isInteger={element === 'INT'}
        stepping={steppingOf(definition)}
        hasFocus={hasFocus}
        onChange={onText}
        onLeave={onLeave}
      />
    );
  const pasted = (event: ClipboardEvent): void => {
    const lines = event.clipboardData
      .getData('text')
      .split(/\r?\n/)
      .filter((line) => line.trim() !== '');
    if (lines.length < 2) return;
    event.preventDefault();
    onTexts(text === '' ? lines : [text, ...lines]);
  };
  return (
    <input
      {...control}
      className={classNames('input', element !== 'STRING' && 'input--mono')}
      type="text"
      value={text}
      autoComplete="off"
      spellCheck={false}
      autoFocus={hasFocus}
      list={element === 'PATH' ? listId : undefined}
      placeholder={element === 'LIST[INT]' ? '1, 2, 3' : undefined}
      onChange={(event) => onText(event.target.value)}
      onBlur={onLeave}
      onPaste={pasted}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        event.preventDefault();
        onNext();
      }}
    />
  );
}
