import { useQuery } from '@tanstack/react-query';
import { MapPin, Server } from 'lucide-react';
import { useMemo } from 'react';
import { Link, useLocation } from 'wouter';
import type { ComputeLocation } from '../../../client/resources.ts';
import type { Column } from '../../parts/data-table/column.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import type { Catalog } from '../catalog/catalog.ts';
import { changedColumn, nameColumn } from '../catalog/catalog-columns.tsx';
import { CatalogPage } from '../catalog/catalog-page.tsx';

const workersAt = (name: string): string => `/workers?location=${encodeURIComponent(name)}`;

const COLUMNS: readonly Column<ComputeLocation>[] = [
  nameColumn(),
  {
    id: 'worker_count',
    header: 'Workers online',
    cell: (location) => (
      <Link href={workersAt(location.name)}>{location.worker_count.toLocaleString('en')}</Link>
    ),
    sortKey: 'worker_count',
    align: 'end',
    size: 130,
    card: 'meta',
  },
  {
    id: 'description',
    header: 'Description',
    cell: ({ description }) => description,
    grow: true,
    size: 320,
    card: 'line',
  },
  changedColumn(),
];

export function ComputeLocationsPage() {
  const { rest } = useService();
  const [, navigate] = useLocation();
  const query = useQuery(queries.computeLocations(rest));
  const catalog = useMemo(
    (): Catalog<ComputeLocation> => ({
      id: 'compute-locations',
      title: 'Compute locations',
      one: 'compute location',
      purpose:
        'Where workers stand: a room, a site, a cloud. Steps may ask for one, and storage has a root for each.',
      icon: MapPin,
      columns: COLUMNS,
      fields: [
        {
          kind: 'text',
          name: 'name',
          label: 'Name',
          hint: 'As workers report it, in upper and lower case: no spaces, slashes or quotes.',
          isRequired: true,
        },
        { kind: 'area', name: 'description', label: 'Description' },
      ],
      deletionNote: 'Only its entry goes: it comes back as soon as a worker reports it.',
      create: (body) => rest.call('post', '/compute-locations', { body: { name: '', ...body } }),
      replace: ({ id }, body) =>
        rest.call('put', '/compute-locations/{id}', { path: { id }, body: { name: '', ...body } }),
      remove: ({ id }) => rest.call('delete', '/compute-locations/{id}', { path: { id } }),
    }),
    [rest],
  );
  return (
    <CatalogPage
      catalog={catalog}
      query={query}
      actions={({ name }) => [
        {
          id: 'workers',
          label: 'Show its workers',
          icon: <Server aria-hidden="true" />,
          act: () => navigate(workersAt(name)),
        },
      ]}
    />
  );
}
