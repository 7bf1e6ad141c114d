import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { PresetDetail } from '../../../client/resources.ts';
import { KeyValues } from '../../parts/key-values.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Panel } from '../../parts/panel.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { usePermissions } from '../../state/use-permissions.ts';
import { installText, missingPools } from './preset-texts.ts';

/** Returns the usage pools of a preset that do not exist; null if the user may not see pools or they are not loaded. */
export function useMissingPools(preset: PresetDetail): readonly string[] | null {
  const { rest } = useService();
  const { can } = usePermissions();
  const { data } = useQuery({ ...queries.usagePools(rest), enabled: can('infra.read') });
  return data === undefined ? null : missingPools(preset.usage_pools, data);
}

export function PresetFacts({ preset }: { preset: PresetDetail }) {
  return (
    <Panel title="About">
      <KeyValues
        facts={[
          ['Name', <span className="mono">{preset.name}</span>],
          ['Category', preset.category === '' ? null : preset.category],
          ['Version', preset.version],
          ['Installed', installText(preset)],
        ]}
      />
    </Panel>
  );
}

/** Needs of a farm that runs the tasks of a preset. */
export function PresetNeeds({ preset }: { preset: PresetDetail }) {
  const missing = useMissingPools(preset) ?? [];
  const { tags, usage_pools: pools } = preset;
  return (
    <Panel title="Needs">
      {tags.length === 0 && pools.length === 0 ? (
        <p className="muted">Any worker can run it.</p>
      ) : (
        <KeyValues
          facts={[
            [
              'Worker tags',
              tags.length === 0 ? null : (
                <span className="mono">{tags.map((tag) => `${tag}=true`).join(', ')}</span>
              ),
            ],
            [
              'Usage pools',
              pools.length === 0 ? null : (
                <span className="mono">
                  {pools.map((pool) => (missing.includes(pool) ? `${pool} (missing)` : pool)).join(', ')}
                </span>
              ),
            ],
          ]}
        />
      )}
      {missing.length > 0 && (
        <Notice kind="warning" detail={missingText(missing)}>
          <div>
            <Link href="/usage-pools">Show usage pools</Link>
          </div>
        </Notice>
      )}
    </Panel>
  );
}

/** Explains that tasks wait forever for usage pools. */
export const missingText = (pools: readonly string[]): string =>
  pools.length === 1
    ? `The usage pool ${pools.join('')} does not exist. Tasks of this preset wait forever until it is created.`
    : `The usage pools ${pools.join(', ')} do not exist. Tasks of this preset wait forever until they are created.`;
