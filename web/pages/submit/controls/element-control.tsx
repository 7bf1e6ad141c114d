import type { ClipboardEvent } from 'react';
import { classNames } from '../../../parts/class-names.ts';
import { TYPES } from '../model/definition.ts';
import type { ParameterProps } from './control-props.ts';
import { NumberBox } from './number-box.tsx';
import { steppingOf } from './single-control.tsx';

type ElementProps = ParameterProps & {
  readonly index: number;
  readonly text: string;
  readonly problemId: string | undefined;
  /** Id of the suggested paths. */
  readonly listId: string | undefined;
  readonly hasFocus: boolean;
  readonly onText: (text: string) => void;
  /** Adds an element after this one. */
  readonly onNext: () => void;
  /** Replaces this element by several, after several lines were pasted. */
  readonly onTexts: (texts: readonly string[]) => void;
};

/** The control of one element of a list. */
export function ElementControl(props: ElementProps) {
  const { definition, index, text, problemId, hasFocus, onText, onLeave } = props;
  const { type, item } = definition.rules;
  const { element } = TYPES[type];
  const label = `${definition.label} ${index + 1}`;
  const control = {
    'aria-label': label,
    'aria-invalid': problemId === undefined ? undefined : (true as const),
    'aria-describedby': problemId,
  };
  const allowed = item?.allowed ?? null;
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
  if (allowed !== null) return <ElementChoice {...props} control={control} allowed={allowed} />;
  if (element === 'INT' || element === 'FLOAT')
    return (
      <NumberBox
        control={control}
        label={label}
        value={text}
        isInteger={element === 'INT'}
        stepping={steppingOf(definition)}
        hasFocus={hasFocus}
        onChange={onText}
        onLeave={onLeave}
      />
    );
  return <ElementText {...props} control={control} />;
}

interface Control {
  readonly 'aria-label': string;
  readonly 'aria-invalid': true | undefined;
  readonly 'aria-describedby': string | undefined;
}

function ElementChoice({
  control,
  allowed,
  text,
  hasFocus,
  onText,
  onLeave,
}: ElementProps & { control: Control; allowed: readonly string[] }) {
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
        <option key={choice} value={choice}>
          {choice}
        </option>
      ))}
    </select>
  );
}

function ElementText(props: ElementProps & { control: Control }) {
  const { control, definition, text, listId, hasFocus, onText, onTexts, onNext, onLeave } = props;
  const { element } = TYPES[definition.rules.type];
  const onPaste = (event: ClipboardEvent): void => {
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
      onPaste={onPaste}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        event.preventDefault();
        onNext();
      }}
    />
  );
}
