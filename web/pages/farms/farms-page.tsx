import { useQuery } from '@tanstack/react-query';
import { LayoutDashboard, Warehouse } from 'lucide-react';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import type { Farm } from '../../../client/resources.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import type { Catalog } from '../catalog/catalog.ts';
import { changedColumn, nameColumn } from '../catalog/catalog-columns.tsx';
import { CatalogPage } from '../catalog/catalog-page.tsx';
import type { Column } from '../../parts/data-table/column.ts';
import { limitText, retryFields, TASK_LIMIT_FIELD } from '../catalog/scheduling-fields.ts';

const COLUMNS: readonly Column<Farm>[] = [
  nameColumn(),
  {
    id: 'description',
    header: 'Description',
    cell: ({ description }) => description,
    grow: true,
    size: 260,
    card: 'line',
  },
  {
    id: 'max_concurrent_tasks',
    header: 'Tasks at once',
    cell: (farm) => limitText(farm.max_concurrent_tasks),
    sortKey: 'max_concurrent_tasks',
    align: 'end',
    size: 120,
  },
  {
    id: 'max_attempts',
    header: 'Attempts',
    cell: (farm) => farm.max_attempts ?? 'as the server',
    sortKey: 'max_attempts',
    align: 'end',
    size: 120,
  },
  {
    id: 'failure_limit',
    header: 'Failure limit',
    cell: (farm) => farm.failure_limit ?? 'as the server',
    sortKey: 'failure_limit',
    align: 'end',
    size: 120,
  },
  changedColumn(),
];

export function FarmsPage() {
  const { rest } = useService();
  const [, navigate] = useLocation();
  const query = useQuery(queries.farms(rest));
  const catalog = useMemo(
    (): Catalog<Farm> => ({
      id: 'farms',
      title: 'Farms',
      one: 'farm',
      purpose:
        'A farm holds queues, the jobs in them and the workers that run these. Workers never work for two farms.',
      icon: Warehouse,
      columns: COLUMNS,
      fields: [
        { kind: 'text', name: 'name', label: 'Name', isRequired: true },
        { kind: 'area', name: 'description', label: 'Description' },
        TASK_LIMIT_FIELD,
        ...retryFields('the server'),
      ],
      deletionNote:
        'Its queues and workers go with it; jobs that are over stay to be read. A farm with jobs that are not over yet cannot be deleted.',
      create: (body) => rest.call('post', '/farms', { body: { name: '', ...body } }),
      replace: ({ id }, body) =>
        rest.call('put', '/farms/{id}', { path: { id }, body: { name: '', ...body } }),
      remove: ({ id }) => rest.call('delete', '/farms/{id}', { path: { id } }),
    }),
    [rest],
  );
  return (
    <CatalogPage
      catalog={catalog}
      query={query}
      actions={(farm) => [
        {
          id: 'overview',
          label: 'Show what it does',
          icon: <LayoutDashboard aria-hidden="true" />,
          act: () => navigate(`/?farm=${farm.id}`),
        },
      ]}
    />
  );
}
