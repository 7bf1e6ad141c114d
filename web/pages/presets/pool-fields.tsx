import { NumberField } from '../../parts/field.tsx';
import { Notice } from '../../parts/notice.tsx';
import { usePermissions } from '../../state/use-permissions.ts';
import { missingText } from './preset-needs.tsx';
import { slotsError } from './preset-texts.ts';

/** Warns about missing usage pools. A user who may create pools enters the slots of each. */
export function PoolFields({
  missing,
  slots,
  onChange,
}: {
  missing: readonly string[];
  /** Entered texts by name of the pool. */
  slots: Readonly<Record<string, string>>;
  onChange: (slots: Readonly<Record<string, string>>) => void;
}) {
  const { can, why } = usePermissions();
  if (missing.length === 0) return null;
  return (
    <>
      <Notice kind="warning" detail={missingText(missing)}>
        {!can('infra.manage') && <div>{why('infra.manage')} Ask an administrator to create them.</div>}
      </Notice>
      {can('infra.manage') &&
        missing.map((pool) => (
          <NumberField
            key={pool}
            label={`Slots of ${pool}`}
            hint="Creates the usage pool with this number of slots, for example licenses. Leave empty to create no pool."
            min={1}
            step={1}
            value={slots[pool] ?? ''}
            error={slotsError(slots[pool] ?? '')}
            onChange={(text) => onChange({ ...slots, [pool]: text })}
          />
        ))}
    </>
  );
}
