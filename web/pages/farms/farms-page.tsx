import { useQuery } from '@tanstack/react-query';
import { LayoutDashboard, Warehouse } from 'lucide-react';
import { useLocation } from 'wouter';
import type { Farm } from '../../../client/resources.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import type { Catalog } from '../catalog/catalog.ts';
import {
  changedColumn,
  descriptionColumn,
  nameColumn,
  retryColumn,
  taskLimitColumn,
} from '../catalog/catalog-columns.tsx';
import { CatalogPage } from '../catalog/catalog-page.tsx';
import { retryFields, TASK_LIMIT_FIELD } from '../catalog/scheduling-fields.ts';

const FARMS: Catalog<Farm> = {
  id: 'farms',
  title: 'Farms',
  one: 'farm',
  purpose:
    'A farm has queues, jobs in the queues, and workers that run the jobs. A worker belongs to one farm.',
  icon: Warehouse,
  columns: [
    nameColumn(),
    descriptionColumn(260),
    taskLimitColumn(),
    retryColumn('max_attempts', 'Attempts', 'server', 120),
    retryColumn('failure_limit', 'Failure limit', 'server', 120),
    changedColumn(),
  ],
  fields: [
    { kind: 'text', name: 'name', label: 'Name', isRequired: true },
    { kind: 'area', name: 'description', label: 'Description' },
    TASK_LIMIT_FIELD,
    ...retryFields('server'),
  ],
  deletionNote:
    'Deletes the farm, its queues, and its workers. Finished jobs remain readable. You cannot delete a farm with unfinished jobs.',
  create: (rest, body) => rest.call('post', '/farms', { body: { name: '', ...body } }),
  replace: (rest, { id }, body) =>
    rest.call('put', '/farms/{id}', { path: { id }, body: { name: '', ...body } }),
  remove: (rest, { id }) => rest.call('delete', '/farms/{id}', { path: { id } }),
};

export function FarmsPage() {
  const { rest } = useService();
  const [, navigate] = useLocation();
  const query = useQuery(queries.farms(rest));
  return (
    <CatalogPage
      catalog={FARMS}
      query={query}
      actions={(farm) => [
        {
          id: 'overview',
          label: 'Show overview',
          icon: <LayoutDashboard aria-hidden="true" />,
          act: () => navigate(`/?farm=${farm.id}`),
        },
      ]}
    />
  );
}
