import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react';
import { useId, useState } from 'react';
import { Button, IconButton } from '../../../parts/button.tsx';
import { classNames } from '../../../parts/class-names.ts';
import { TYPES, type Value } from '../model/definition.ts';
import { filtersText, kindOf, problemAt, type ParameterProps } from './control-props.ts';
import { ElementControl } from './element-control.tsx';
import './list-control.css';

/** The control of a list parameter, with one row per element. */
export function ListControl(props: ParameterProps) {
  const { definition, value, problems, roots, onChange } = props;
  const id = useId();
  const [focusAt, setFocusAt] = useState<number | null>(null);
  const rows = rowsOf(value);
  const error = problemAt(problems, null);
  const described = classNames(error !== '' && `${id}-error`, definition.description !== '' && `${id}-hint`);
  const insert = (at: number): void => {
    onChange([...rows.slice(0, at), emptyOf(props), ...rows.slice(at)]);
    setFocusAt(at);
  };
  return (
    <fieldset className="list-control" aria-describedby={described === '' ? undefined : described}>
      <Legend props={props} count={rows.length} />
      {rows.length > 0 && (
        <ol className="list-control__rows">
          {rows.map((_text, index) => (
            <ListRow
              key={index}
              {...props}
              rows={rows}
              index={index}
              id={`${id}-${index}`}
              listId={roots.length > 0 ? `${id}-roots` : undefined}
              hasFocus={focusAt === index}
              onNext={() => insert(index + 1)}
            />
          ))}
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
        <Button size="small" icon={<Plus aria-hidden="true" />} onPress={() => insert(rows.length)}>
          Add<span className="visually-hidden"> to {definition.label}</span>
        </Button>
        {rows.length === 0 && <span className="field__hint">The list is empty.</span>}
      </div>
      {error !== '' && (
        <div id={`${id}-error`} className="field__error list-control__error" role="alert">
          {error}
        </div>
      )}
      <Hint props={props} id={`${id}-hint`} />
    </fieldset>
  );
}

const rowsOf = (value: Value | null): readonly string[] =>
  value === null ? [] : typeof value === 'string' ? [value] : value;

/** Returns the text of a new row. */
const emptyOf = ({ definition: { rules } }: ParameterProps): string =>
  TYPES[rules.type].element === 'BOOL' ? 'false' : (rules.item?.allowed?.[0] ?? '');

function Legend({ props: { definition }, count }: { props: ParameterProps; count: number }) {
  const kind = kindOf(definition);
  return (
    <legend className="field__label">
      {definition.label}
      {definition.default === null && (
        <span className="field__required" title="required">
          {' '}
          *
        </span>
      )}
      <span className="field__note">
        {' '}
        {kind === '' ? '' : `${kind}, `}
        {count.toLocaleString('en')}
      </span>
    </legend>
  );
}

function Hint({ props: { definition }, id }: { props: ParameterProps; id: string }) {
  const { description } = definition;
  const filters = filtersText(definition);
  if (description === '' && filters === '') return null;
  return (
    <div id={id} className="field__hint">
      {description !== '' && <div className="parameter__hint">{description}</div>}
      {filters !== '' && <div className="parameter__hint">{filters}</div>}
    </div>
  );
}

type ListRowProps = ParameterProps & {
  readonly rows: readonly string[];
  readonly index: number;
  /** Id of the problem of the row. */
  readonly id: string;
  readonly listId: string | undefined;
  readonly hasFocus: boolean;
  /** Adds a row after this one. */
  readonly onNext: () => void;
};

function ListRow(props: ListRowProps) {
  const { definition, problems, rows, index, id, listId, hasFocus, onNext, onChange } = props;
  const problem = problemAt(problems, index);
  const name = `${definition.label} ${index + 1}`;
  const replace = (texts: readonly string[]): void =>
    onChange([...rows.slice(0, index), ...texts, ...rows.slice(index + 1)]);
  const move = (by: 1 | -1): void => {
    const moved = [...rows];
    moved.splice(index + by, 0, ...moved.splice(index, 1));
    onChange(moved);
  };
  return (
    <li>
      <div className="list-control__row">
        <span className="list-control__place" aria-hidden="true">
          {index + 1}
        </span>
        <ElementControl
          {...props}
          text={rows[index] ?? ''}
          problemId={problem === '' ? undefined : id}
          listId={listId}
          hasFocus={hasFocus}
          onText={(text) => replace([text])}
          onNext={onNext}
          onTexts={replace}
        />
        <IconButton
          label={`Move up: ${name}`}
          icon={<ArrowUp aria-hidden="true" />}
          size="small"
          disabledReason={index === 0 ? 'This is the first element.' : ''}
          onPress={() => move(-1)}
        />
        <IconButton
          label={`Move down: ${name}`}
          icon={<ArrowDown aria-hidden="true" />}
          size="small"
          disabledReason={index === rows.length - 1 ? 'This is the last element.' : ''}
          onPress={() => move(1)}
        />
        <IconButton
          label={`Remove: ${name}`}
          icon={<X aria-hidden="true" />}
          size="small"
          onPress={() => replace([])}
        />
      </div>
      {problem !== '' && (
        <div id={id} className="field__error" role="alert">
          {problem}
        </div>
      )}
    </li>
  );
}
