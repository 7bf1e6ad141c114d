import { useQuery } from '@tanstack/react-query';
import { FolderTree } from 'lucide-react';
import type { StorageLocation } from '../../../client/resources.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import type { Catalog } from '../catalog/catalog.ts';
import { changedColumn, descriptionColumn, nameColumn } from '../catalog/catalog-columns.tsx';
import { CatalogPage } from '../catalog/catalog-page.tsx';

const rootsText = ({ roots }: StorageLocation): string =>
  Object.entries(roots)
    .map(([name, root]) => `${name}: ${root}`)
    .join('\n');

const STORAGE_LOCATIONS: Catalog<StorageLocation> = {
  id: 'storage-locations',
  title: 'Storage locations',
  one: 'storage location',
  purpose:
    'The same files have a different path at each compute location. Callsheet maps the paths of a job from one root to the other.',
  icon: FolderTree,
  columns: [
    nameColumn(180),
    { id: 'type', header: 'Type', cell: ({ type }) => type, sortKey: 'type', size: 110, card: 'meta' },
    {
      id: 'roots',
      header: 'Roots',
      cell: (location) => <span className="mono">{rootsText(location).replaceAll('\n', ' · ')}</span>,
      text: rootsText,
      grow: true,
      size: 360,
      card: 'line',
    },
    descriptionColumn(240, false),
    changedColumn(),
  ],
  fields: [
    { kind: 'text', name: 'name', label: 'Name', isRequired: true },
    { kind: 'area', name: 'description', label: 'Description' },
    {
      kind: 'pairs',
      name: 'roots',
      label: 'Roots',
      hint: 'One absolute path (/mnt/a, C:\\a, \\\\server\\share) or s3://bucket/prefix per compute location. “default” applies to all other locations.',
      nameLabel: 'Compute location',
      valueLabel: 'Root',
    },
  ],
  deletionNote: 'Callsheet no longer maps paths below its roots for jobs that are submitted from now on.',
  create: (rest, body) => rest.call('post', '/storage-locations', { body: { name: '', ...body } }),
  replace: (rest, { id }, body) =>
    rest.call('put', '/storage-locations/{id}', { path: { id }, body: { name: '', ...body } }),
  remove: (rest, { id }) => rest.call('delete', '/storage-locations/{id}', { path: { id } }),
};

export function StorageLocationsPage() {
  const { rest } = useService();
  const query = useQuery(queries.storageLocations(rest));
  return <CatalogPage catalog={STORAGE_LOCATIONS} query={query} />;
}
