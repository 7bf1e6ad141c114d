import { useQuery } from '@tanstack/react-query';
import { MapPin, Server } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import type { ComputeLocation } from '../../../client/resources.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import type { Catalog } from '../catalog/catalog.ts';
import { changedColumn, descriptionColumn, nameColumn } from '../catalog/catalog-columns.tsx';
import { CatalogPage } from '../catalog/catalog-page.tsx';

const workersHref = (name: string): string => `/workers?location=${encodeURIComponent(name)}`;

const COMPUTE_LOCATIONS: Catalog<ComputeLocation> = {
  id: 'compute-locations',
  title: 'Compute locations',
  one: 'compute location',
  purpose:
    'Where workers run, such as a room, a site, or a cloud region. A step can require a location, and a storage location has one root per compute location.',
  icon: MapPin,
  columns: [
    nameColumn(),
    {
      id: 'worker_count',
      header: 'Workers online',
      cell: (location) => (
        <Link href={workersHref(location.name)}>{location.worker_count.toLocaleString('en')}</Link>
      ),
      sortKey: 'worker_count',
      align: 'end',
      size: 130,
      card: 'meta',
    },
    descriptionColumn(320),
    changedColumn(),
  ],
  fields: [
    {
      kind: 'text',
      name: 'name',
      label: 'Name',
      hint: 'The name that workers report, case-sensitive. No spaces, slashes, or quotes.',
      isRequired: true,
    },
    { kind: 'area', name: 'description', label: 'Description' },
  ],
  deletionNote: 'This deletes only the entry. It reappears when a worker reports the location.',
  create: (rest, body) => rest.call('post', '/compute-locations', { body: { name: '', ...body } }),
  replace: (rest, { id }, body) =>
    rest.call('put', '/compute-locations/{id}', { path: { id }, body: { name: '', ...body } }),
  remove: (rest, { id }) => rest.call('delete', '/compute-locations/{id}', { path: { id } }),
};

export function ComputeLocationsPage() {
  const { rest } = useService();
  const [, navigate] = useLocation();
  const query = useQuery(queries.computeLocations(rest));
  return (
    <CatalogPage
      catalog={COMPUTE_LOCATIONS}
      query={query}
      actions={({ name }) => [
        {
          id: 'workers',
          label: 'Show workers',
          icon: <Server aria-hidden="true" />,
          act: () => navigate(workersHref(name)),
        },
      ]}
    />
  );
}
