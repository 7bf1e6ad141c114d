import { useQuery } from '@tanstack/react-query';
import { Gauge, ListChecks } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import type { UsagePool } from '../../../client/resources.ts';
import { UseMeter } from '../../parts/meter.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { useRefresh } from '../../state/use-refresh.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { changedColumn, nameColumn } from '../catalog/catalog-columns.tsx';
import { RETRY_RULES_FIELD } from '../catalog/scheduling-fields.ts';
import { CatalogPage } from '../catalog/catalog-page.tsx';

const REFRESH_MS = 3_000;

const USAGE_POOLS: Catalog<UsagePool> = {
  id: 'usage-pools',
  title: 'Usage pools',
  one: 'usage pool',
  purpose:
    'A shared resource with a limited number of slots, such as licenses. A task that requires the pool uses one slot while it runs.',
  icon: Gauge,
  columns: [
    {
      ...nameColumn(),
      cell: ({ id, name }) => (
        <Link href={`/usage-pools/${encodeURIComponent(id)}`} className="data-table__link">
          {name}
        </Link>
      ),
    },
    {
      id: 'in_use',
      header: 'In use',
      cell: (pool) => (
        <UseMeter used={pool.in_use} total={pool.effective_slots ?? pool.max_concurrent} unit="slots" />
      ),
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
      header: 'Requirement of a step',
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
  ],
  fields: [
    {
      kind: 'text',
      name: 'name',
      label: 'Name',
      hint: 'A step requires the pool as amount.worker.usagepool.<name>. The name is not case-sensitive.',
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
      hint: 'For example, the license server. Helps to find out why a task is waiting.',
    },
    {
      kind: 'choice',
      name: 'counts',
      label: 'Slots are taken by',
      hint: 'A license that counts machines is taken once by each machine, however many tasks it runs.',
      choices: [
        { value: 'tasks', label: 'tasks, one each' },
        { value: 'amounts', label: 'tasks, as many as their step requires' },
        { value: 'hosts', label: 'machines, one each' },
      ],
      initial: 'tasks',
      isRequired: true,
    },
    RETRY_RULES_FIELD,
  ],
  deletionNote: 'Running tasks keep their slots. Tasks that require the pool wait until you create it again.',
  create: (rest, body) =>
    rest.call('post', '/usage-pools', { body: { name: '', max_concurrent: 1, ...body } }),
  replace: (rest, { id }, body) =>
    rest.call('put', '/usage-pools/{id}', {
      path: { id },
      body: { name: '', max_concurrent: 1, ...body },
    }),
  remove: (rest, { id }) => rest.call('delete', '/usage-pools/{id}', { path: { id } }),
};

export function UsagePoolsPage() {
  const { rest } = useService();
  const [, navigate] = useLocation();
  const refetchInterval = useRefresh(REFRESH_MS);
  const query = useQuery({ ...queries.usagePools(rest), refetchInterval });
  return (
    <CatalogPage
      catalog={USAGE_POOLS}
      query={query}
      actions={({ id }) => [
        {
          id: 'use',
          label: 'Show use',
          icon: <ListChecks aria-hidden="true" />,
          act: () => navigate(`/usage-pools/${encodeURIComponent(id)}`),
        },
      ]}
    />
  );
}
