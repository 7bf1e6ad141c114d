import { useQuery } from '@tanstack/react-query';
import { LayoutDashboard, Warehouse } from 'lucide-react';
import { useLocation } from 'wouter';
import type { Farm } from '../../../client/resources.ts';
import type { Rest } from '../../../client/rest.ts';
import { counted } from '../../parts/number-text.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import type { Catalog, DeletedContents } from '../catalog/catalog.ts';
import {
  changedColumn,
  descriptionColumn,
  nameColumn,
  retryColumn,
  taskLimitColumn,
} from '../catalog/catalog-columns.tsx';
import { CatalogPage } from '../catalog/catalog-page.tsx';
import {
  BOOKED_AMOUNT_FIELDS,
  NAMED_CAPS_FIELDS,
  OUTAGE_FIELDS,
  QUARANTINE_FIELD,
  QUEUE_POLICY_FIELDS,
  retryFields,
  TASK_LIMIT_FIELD,
} from '../catalog/scheduling-fields.ts';

/** Loads what is deleted with a farm. */
async function farmContents(rest: Rest, { id }: Farm): Promise<DeletedContents> {
  const [queues, { total, summary }, jobs] = await Promise.all([
    rest.call('get', '/queues', { query: { farm_id: id, limit: 1 } }),
    rest.call('get', '/workers', { query: { farm_id: id, limit: 1, summary: true } }),
    rest.call('get', '/jobs', { query: { farm_id: id, limit: 1 } }),
  ]);
  const connected = (summary?.online ?? 0) + (summary?.disabled ?? 0);
  return {
    sentences: [
      `It has ${counted(queues.total, 'queue')}, ${counted(total, 'worker')} and ${counted(jobs.total, 'job')}.`,
      ...(connected > 0
        ? [
            `${counted(connected, 'worker')} are online or disabled. Running workers do not stop: they register again if a farm has this name.`,
          ]
        : []),
    ],
    needsForce: connected > 0,
  };
}

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
    ...NAMED_CAPS_FIELDS,
    ...retryFields('server'),
    ...BOOKED_AMOUNT_FIELDS,
    ...QUEUE_POLICY_FIELDS,
    QUARANTINE_FIELD,
    ...OUTAGE_FIELDS,
  ],
  deletionNote:
    'Deletes the farm, its queues, and its workers. Finished jobs remain readable. You cannot delete a farm with unfinished jobs.',
  create: (rest, body) => rest.call('post', '/farms', { body: { name: '', ...body } }),
  replace: (rest, { id }, body) =>
    rest.call('put', '/farms/{id}', { path: { id }, body: { name: '', ...body } }),
  remove: (rest, { id }, contents) =>
    rest.call('delete', '/farms/{id}', {
      path: { id },
      query: contents?.needsForce === true ? { force: true } : {},
    }),
  contentsOf: farmContents,
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
