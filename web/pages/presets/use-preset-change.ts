import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { PresetDetail } from '../../../client/resources.ts';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { useMissingPools } from './preset-needs.tsx';
import { slotsError } from './preset-texts.ts';

/** Model of a dialog that installs or updates a preset. */
export interface PresetChange {
  readonly missing: readonly string[];
  readonly slots: Readonly<Record<string, string>>;
  readonly setSlots: (slots: Readonly<Record<string, string>>) => void;
  readonly isBusy: boolean;
  /** The error of the last run; null for none. */
  readonly error: unknown;
  readonly run: () => Promise<void>;
}

/** Creates the entered usage pools, then installs or updates a preset. A failed run can be repeated. */
export function usePresetChange(
  preset: PresetDetail,
  action: 'install' | 'update',
  onDone: () => void,
): PresetChange {
  const { rest } = useService();
  const client = useQueryClient();
  const { can } = usePermissions();
  const missing = useMissingPools(preset) ?? [];
  const [slots, setSlots] = useState<Readonly<Record<string, string>>>({});
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const { name, version } = preset;

  const createPools = async (): Promise<void> => {
    if (!can('infra.manage')) return;
    for (const pool of missing) {
      const text = slots[pool]?.trim() ?? '';
      if (text === '') continue;
      await rest.call('post', '/usage-pools', { body: { name: pool, max_concurrent: Number(text) } });
      toasts.done(`Usage pool ${pool} created`);
    }
  };
  const run = async (): Promise<void> => {
    if (isBusy || Object.values(slots).some((text) => slotsError(text) !== '')) return;
    setIsBusy(true);
    setError(null);
    try {
      await createPools();
      await rest.call('post', `/presets/{name}/${action}`, { path: { name } });
      toasts.done(action === 'install' ? `${name} installed` : `${name} updated to ${version}`);
      onDone();
    } catch (reason) {
      setError(reason);
      setIsBusy(false);
    } finally {
      for (const key of ['usage-pools', 'presets', 'products'])
        void client.invalidateQueries({ queryKey: [key] });
    }
  };
  return { missing, slots, setSlots, isBusy, error, run };
}
