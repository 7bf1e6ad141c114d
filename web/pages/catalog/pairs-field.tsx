import { Plus, X } from 'lucide-react';
import { useId } from 'react';
import { Button, IconButton } from '../../parts/button.tsx';
import type { Pair } from './form-model.ts';
import './pairs-field.css';

/** A field of rows with a name and a value. */
export function PairsField({
  label,
  hint,
  error,
  nameLabel,
  valueLabel,
  firstName,
  suggestions,
  pairs,
  onChange,
}: {
  label: string;
  hint: string;
  error: string;
  nameLabel: string;
  valueLabel: string;
  /** Name in the first row that is added. */
  firstName: string;
  suggestions: readonly string[];
  pairs: readonly Pair[];
  onChange: (pairs: readonly Pair[]) => void;
}) {
  const id = useId();
  const set = (index: number, change: Partial<Pair>): void =>
    onChange(pairs.map((pair, at) => (at === index ? { ...pair, ...change } : pair)));
  return (
    <fieldset className="pairs-field" aria-describedby={`${id}-hint`}>
      <legend>{label}</legend>
      {pairs.map((pair, index) => (
        <PairRow
          key={index}
          pair={pair}
          index={index}
          nameLabel={nameLabel}
          valueLabel={valueLabel}
          listId={`${id}-names`}
          onChange={(change) => set(index, change)}
          onRemove={() => onChange(pairs.filter((_pair, at) => at !== index))}
        />
      ))}
      <datalist id={`${id}-names`}>
        {suggestions.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <div>
        <Button
          size="small"
          icon={<Plus aria-hidden="true" />}
          onPress={() => onChange([...pairs, { name: pairs.length === 0 ? firstName : '', value: '' }])}
        >
          Add row
        </Button>
      </div>
      {error !== '' && (
        <div className="field__error" role="alert">
          {error}
        </div>
      )}
      <div id={`${id}-hint`} className="field__hint">
        {hint}
      </div>
    </fieldset>
  );
}

function PairRow({
  pair,
  index,
  nameLabel,
  valueLabel,
  listId,
  onChange,
  onRemove,
}: {
  pair: Pair;
  index: number;
  nameLabel: string;
  valueLabel: string;
  listId: string;
  onChange: (change: Partial<Pair>) => void;
  onRemove: () => void;
}) {
  return (
    <div className="pairs-field__row">
      <input
        className="input"
        aria-label={`${nameLabel} ${index + 1}`}
        placeholder={nameLabel}
        value={pair.name}
        list={listId}
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <input
        className="input input--mono"
        aria-label={`${valueLabel} ${index + 1}`}
        placeholder={valueLabel}
        spellCheck={false}
        value={pair.value}
        onChange={(event) => onChange({ value: event.target.value })}
      />
      <IconButton
        label={`Remove row ${index + 1}`}
        icon={<X aria-hidden="true" />}
        size="small"
        onPress={onRemove}
      />
    </div>
  );
}
