import { useQuery } from '@tanstack/react-query';
import { FolderTree } from 'lucide-react';
import { useMemo } from 'react';
import type { StorageLocation } from '../../../client/resources.ts';
import type { Column } from '../../parts/data-table/column.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import type { Catalog } from '../catalog/catalog.ts';
import { changedColumn, nameColumn } from '../catalog/catalog-columns.tsx';
import { CatalogPage } from '../catalog/catalog-page.tsx';

const rootsText = ({ roots }: StorageLocation): string =>
  Object.entries(roots)
    .map(([name, root]) => `${name}: ${root}`)
    .join('\n');

const COLUMNS: readonly Column<StorageLocation>[] = [
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
  {
    id: 'description',
    header: 'Description',
    cell: ({ description }) => description,
    size: 240,
    card: 'line',
  },
  changedColumn(),
];

export function StorageLocationsPage() {
  const { rest } = useService();
  const query = useQuery(queries.storageLocations(rest));
  const catalog = useMemo(
    (): Catalog<StorageLocation> => ({
      id: 'storage-locations',
      title: 'Storage locations',
      one: 'storage location',
      purpose:
        'The same files lie under another path at each place. Paths of a job are translated from one root to the other.',
      icon: FolderTree,
      columns: COLUMNS,
      fields: [
        { kind: 'text', name: 'name', label: 'Name', isRequired: true },
        { kind: 'area', name: 'description', label: 'Description' },
        {
          kind: 'pairs',
          name: 'roots',
          label: 'Roots',
          hint: 'For each compute location an absolute path (/mnt/a, C:\\a, \\\\server\\share) or s3://bucket/prefix. “default” is for all others.',
          nameLabel: 'Compute location',
          valueLabel: 'Root',
        },
      ],
      deletionNote: 'Paths below its roots are no longer translated for jobs that are submitted from now on.',
      create: (body) => rest.call('post', '/storage-locations', { body: { name: '', ...body } }),
      replace: ({ id }, body) =>
        rest.call('put', '/storage-locations/{id}', { path: { id }, body: { name: '', ...body } }),
      remove: ({ id }) => rest.call('delete', '/storage-locations/{id}', { path: { id } }),
    }),
    [rest],
  );
  return <CatalogPage catalog={catalog} query={query} />;
}
