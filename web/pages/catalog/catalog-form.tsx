import { useState } from 'react';
import { ProblemError } from '../../../client/problem.ts';
import { Button, SubmitButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CheckField, NumberField, SelectField, TextAreaField, TextField } from '../../parts/field.tsx';
import { Notice } from '../../parts/notice.tsx';
import { explained } from '../../state/toasts.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import type { Catalog, CatalogEntry } from './catalog.ts';
import {
  bodyOf,
  pointedProblems,
  problemsOf,
  valuesOf,
  type FieldValue,
  type FormField,
  type FormValues,
} from './form-model.ts';
import { PairsField } from './pairs-field.tsx';

/** Makes an entry of a catalog, or changes one. It stays open, with all that was typed, until the service has it. */
export function CatalogForm<Entry extends CatalogEntry>({
  catalog,
  entry,
  names,
  onDone,
  onClose,
}: {
  catalog: Catalog<Entry>;
  /** Null for a new one. */
  entry: Entry | null;
  /** Names of compute locations, to be offered. */
  names: readonly string[];
  onDone: (entry: Entry) => void;
  onClose: () => void;
}) {
  const { why } = usePermissions();
  const fields = catalog.fields.filter(({ isFixed }) => entry === null || isFixed !== true);
  const [values, setValues] = useState<FormValues>(() => valuesOf(catalog.fields, entry));
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map());
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const problems = problemsOf(fields, values);
  const shownProblem = (name: string): string =>
    refused.get(name) ?? (left.has(name) ? (problems.get(name) ?? '') : '');

  const change = (name: string, value: FieldValue): void => {
    setValues({ ...values, [name]: value });
    setRefused(new Map([...refused].filter(([other]) => other !== name)));
  };
  const save = async (): Promise<void> => {
    setLeft(new Set(fields.map(({ name }) => name)));
    if (problems.size > 0 || isBusy) return;
    setIsBusy(true);
    setError(null);
    try {
      const body = bodyOf(catalog.fields, values);
      onDone(await (entry === null ? catalog.create(body) : catalog.replace(entry, body)));
    } catch (reason) {
      const pointed =
        reason instanceof ProblemError ? pointedProblems(fields, reason.errors) : new Map<string, string>();
      setRefused(pointed);
      setError(pointed.size > 0 && !pointed.has('') ? null : reason);
      setIsBusy(false);
    }
  };
  return (
    <Dialog
      title={entry === null ? `New ${catalog.one}` : `Change ${entry.name}`}
      onClose={onClose}
      onSubmit={() => void save()}
      foot={
        <>
          <Button onPress={onClose}>Leave</Button>
          <SubmitButton isBusy={isBusy} disabledReason={why('infra.manage')}>
            {entry === null ? `Create the ${catalog.one}` : 'Save'}
          </SubmitButton>
        </>
      }
    >
      {error !== null && <Notice kind="danger" {...explained(error)} />}
      {catalog.formNote !== undefined && <p className="muted">{catalog.formNote}</p>}
      {fields.map((field) => (
        <FormControl
          key={field.name}
          field={field}
          value={values[field.name] ?? ''}
          error={shownProblem(field.name)}
          names={names}
          onChange={(value) => change(field.name, value)}
          onLeave={() => setLeft(new Set([...left, field.name]))}
        />
      ))}
    </Dialog>
  );
}

function FormControl({
  field,
  value,
  error,
  names,
  onChange,
  onLeave,
}: {
  field: FormField;
  value: FieldValue;
  error: string;
  names: readonly string[];
  onChange: (value: FieldValue) => void;
  onLeave: () => void;
}) {
  const { label } = field;
  const hint = field.hint === undefined ? {} : { hint: field.hint };
  if (field.kind === 'flag')
    return <CheckField label={label} {...hint} isChecked={value === true} onChange={onChange} />;
  if (field.kind === 'pairs')
    return (
      <PairsField
        label={label}
        hint={field.hint ?? ''}
        error={error}
        nameLabel={field.nameLabel}
        valueLabel={field.valueLabel}
        suggestions={names}
        pairs={typeof value === 'object' ? value : []}
        onChange={onChange}
      />
    );
  const common = {
    label,
    ...hint,
    error,
    isRequired: field.isRequired ?? false,
    value: typeof value === 'string' ? value : '',
    onChange,
    onLeave,
  };
  switch (field.kind) {
    case 'integer':
      return (
        <NumberField
          {...common}
          min={field.min}
          max={field.max}
          step={1}
          {...(field.placeholder !== undefined && { placeholder: field.placeholder })}
        />
      );
    case 'choice':
      return <SelectField {...common} choices={field.choices} none="Choose…" />;
    case 'area':
      return <TextAreaField {...common} rows={3} />;
    case 'text':
      return <TextField {...common} />;
  }
}
