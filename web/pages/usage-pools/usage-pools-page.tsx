import { useQuery } from '@tanstack/react-query';
import { Gauge } from 'lucide-react';
import { useMemo } from 'react';
import type { UsagePool } from '../../../client/resources.ts';
import type { Column } from '../../parts/data-table/column.ts';
import { UseMeter } from '../../parts/meter.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { useRefresh } from '../../state/use-refresh.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { changedColumn, nameColumn } from '../catalog/catalog-columns.tsx';
import { CatalogPage } from '../catalog/catalog-page.tsx';

const EVERY_MS = 3_000;

const COLUMNS: readonly Column<UsagePool>[] = [
  nameColumn(),
  {
    id: 'in_use',
    header: 'In use',
    cell: (pool) => <UseMeter used={pool.in_use} total={pool.max_concurrent} unit="slots" />,
    sortKey: 'in_use',
    size: 220,
    card: 'line',
  },
  {
    id: 'available',
    header: 'Free',
    cell: ({ available }) => available.toLocaleString('en'),
    sortKey: 'available',
    align: 'end',
    size: 90,
    card: 'meta',
  },
  {
    id: 'requirement',
    header: 'Steps ask for it as',
    cell: ({ name }) => <span className="mono">amount.worker.usagepool.{name}</span>,
    text: ({ name }) => `amount.worker.usagepool.${name}`,
    size: 280,
    card: 'hidden',
  },
  {
    id: 'server_hint',
    header: 'Note',
    cell: (pool) => pool.server_hint ?? '',
    grow: true,
    size: 200,
    card: 'line',
  },
  changedColumn(),
];

export function UsagePoolsPage() {
  const { rest } = useService();
  const refetchInterval = useRefresh(EVERY_MS);
  const query = useQuery({
    ...queries.usagePools(rest),
    refetchInterval,
  });
  const catalog = useMemo(
    (): Catalog<UsagePool> => ({
      id: 'usage-pools',
      title: 'Usage pools',
      one: 'usage pool',
      purpose:
        'What there is a limited number of: licences, say. A task that asks for a pool takes one slot while it runs.',
      icon: Gauge,
      columns: COLUMNS,
      fields: [
        {
          kind: 'text',
          name: 'name',
          label: 'Name',
          hint: 'Steps ask for amount.worker.usagepool.<name>; upper and lower case are the same.',
          isRequired: true,
        },
        {
          kind: 'integer',
          name: 'max_concurrent',
          label: 'Slots',
          isRequired: true,
          min: 1,
          max: 2_147_483_647,
          whenEmpty: null,
        },
        {
          kind: 'text',
          name: 'server_hint',
          label: 'Note',
          hint: 'Such as the licence server, for whoever looks for the reason of a wait.',
        },
      ],
      deletionNote: 'Tasks that hold a slot go on. Tasks that ask for the pool wait until it is there again.',
      create: (body) => rest.call('post', '/usage-pools', { body: { name: '', max_concurrent: 1, ...body } }),
      replace: ({ id }, body) =>
        rest.call('put', '/usage-pools/{id}', {
          path: { id },
          body: { name: '', max_concurrent: 1, ...body },
        }),
      remove: ({ id }) => rest.call('delete', '/usage-pools/{id}', { path: { id } }),
    }),
    [rest],
  );
  return <CatalogPage catalog={catalog} query={query} />;
}
