import { Button, SubmitButton } from '../../parts/button.tsx';
import { ConflictNotice } from '../../parts/conflict-notice.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CheckField, NumberField, SelectField, TextAreaField, TextField } from '../../parts/field.tsx';
import { Notice } from '../../parts/notice.tsx';
import { explained } from '../../state/toasts.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import type { Catalog, CatalogEntry } from './catalog.ts';
import type { FieldValue, FormField } from './form-model.ts';
import { PairsField } from './pairs-field.tsx';
import { useCatalogForm } from './use-catalog-form.ts';

/** The form that creates or changes an entry. It stays open, with all inputs, until the server has accepted them. */
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
  /** Suggested names of compute locations. */
  names: readonly string[];
  onDone: (entry: Entry) => void;
  onClose: () => void;
}) {
  const { why } = usePermissions();
  const { fields, values, problemAt, error, isBusy, change, visit, save, ...other } = useCatalogForm(
    catalog,
    entry,
    onDone,
  );
  return (
    <Dialog
      title={entry === null ? `New ${catalog.one}` : `Edit ${entry.name}`}
      onClose={onClose}
      onSubmit={() => void save()}
      foot={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <SubmitButton isBusy={isBusy} disabledReason={why('infra.manage')}>
            {entry === null ? `Create ${catalog.one}` : `Save ${catalog.one}`}
          </SubmitButton>
        </>
      }
    >
      {other.conflict !== null && (
        <ConflictNotice
          problem={other.conflict}
          labelOf={(name) => fields.find((field) => field.name === name)?.label ?? name}
          onOverwrite={() => void other.overwrite()}
          onTakeOver={() => void other.takeOver()}
        />
      )}
      {error !== null && <Notice kind="danger" {...explained(error)} />}
      {fields.map((field) => (
        <FormControl
          key={field.name}
          field={field}
          value={values[field.name] ?? ''}
          error={problemAt(field.name)}
          names={names}
          onChange={(value) => change(field.name, value)}
          onLeave={() => visit(field.name)}
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
        firstName="default"
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
    case 'list':
      return <TextField {...common} />;
  }
}
