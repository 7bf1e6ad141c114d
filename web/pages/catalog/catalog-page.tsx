import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { rowsOf } from '../../parts/data-table/column.ts';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import type { ActionItem } from '../../parts/menu.tsx';
import { Page } from '../../parts/page.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { usePermissions } from '../../state/use-permissions.ts';
import type { Catalog, CatalogEntry } from './catalog.ts';
import { CatalogForm } from './catalog-form.tsx';
import { useCatalog, type CatalogModel } from './use-catalog.ts';

interface CatalogPageProps<Entry extends CatalogEntry> {
  readonly catalog: Catalog<Entry>;
  /** All entries of the catalog. */
  readonly query: Pick<UseQueryResult<readonly Entry[]>, 'data' | 'isFetching' | 'error' | 'refetch'>;
  /** Further menu items of an entry. */
  readonly actions?: (entry: Entry) => readonly ActionItem[];
  /** Shown above the entries. */
  readonly notice?: ReactNode;
}

/** The page of a catalog: its entries, and the forms to create, change and delete them. */
export function CatalogPage<Entry extends CatalogEntry>({
  catalog,
  query: { data: entries, isFetching, error, refetch },
  actions,
  notice,
}: CatalogPageProps<Entry>) {
  const model = useCatalog(catalog, entries);
  const { view, setView, shown, forbidden } = model;
  return (
    <Page title={catalog.title} actions={<NewButton model={model} />} isFull>
      <p className="muted">{catalog.purpose}</p>
      {notice}
      <DataTable
        id={catalog.id}
        label={catalog.title}
        columns={catalog.columns}
        rows={rowsOf(shown, { isFetching, error, retry: () => void refetch() })}
        rowId={({ id }) => id}
        rowName={({ name }) => name}
        sort={{ key: view.sort, dir: view.dir }}
        onSort={({ key, dir }) => setView({ sort: key, dir }, { replace: true })}
        onOpen={(entry) => {
          if (forbidden === '') setView({ edit: entry.id });
        }}
        actions={(entry) => menuItems(model, entry, actions?.(entry) ?? [])}
        isFilling
        toolbar={
          <SearchBox
            value={view.search}
            onChange={(search) => setView({ search }, { replace: true })}
            label={`Search ${catalog.title.toLowerCase()}`}
          />
        }
        empty={<NoEntries model={model} />}
      />
      <CatalogDialogs model={model} />
    </Page>
  );
}

interface ModelProps<Entry extends CatalogEntry> {
  readonly model: CatalogModel<Entry>;
}

function NewButton<Entry extends CatalogEntry>({
  model: { catalog, forbidden, setView },
}: ModelProps<Entry>) {
  return (
    <Button
      look="primary"
      icon={<Plus aria-hidden="true" />}
      disabledReason={forbidden}
      onPress={() => setView({ edit: 'new' })}
    >
      New {catalog.one}
    </Button>
  );
}

function menuItems<Entry extends CatalogEntry>(
  { forbidden, setView, setDeleting }: CatalogModel<Entry>,
  entry: Entry,
  more: readonly ActionItem[],
): readonly ActionItem[] {
  return [
    {
      id: 'edit',
      label: 'Edit…',
      icon: <Pencil aria-hidden="true" />,
      disabledReason: forbidden,
      act: () => setView({ edit: entry.id }),
    },
    ...more,
    {
      id: 'delete',
      label: 'Delete…',
      icon: <Trash2 aria-hidden="true" />,
      isDanger: true,
      startsGroup: true,
      disabledReason: forbidden,
      act: () => setDeleting(entry),
    },
  ];
}

function NoEntries<Entry extends CatalogEntry>({ model }: ModelProps<Entry>) {
  const { catalog, view, setView } = model;
  if (view.search === '')
    return (
      <EmptyState
        title={`No ${catalog.title.toLowerCase()} yet`}
        icon={catalog.icon}
        actions={<NewButton model={model} />}
      >
        {catalog.purpose}
      </EmptyState>
    );
  return (
    <EmptyState
      title={`No ${catalog.one} has “${view.search}” in its name or description`}
      icon={catalog.icon}
      actions={<Button onPress={() => setView({ search: '' })}>Clear search</Button>}
    />
  );
}

function CatalogDialogs<Entry extends CatalogEntry>({ model }: ModelProps<Entry>) {
  const { catalog, view, setView, edited, finishEdit, deleting, setDeleting, contents, remove } = model;
  const { rest } = useService();
  const { can } = usePermissions();
  const locations = useQuery({ ...queries.computeLocations(rest), enabled: can('infra.read') });
  return (
    <>
      {edited !== undefined && (
        <CatalogForm
          key={view.edit}
          catalog={catalog}
          entry={edited}
          names={['default', ...(locations.data ?? []).map(({ name }) => name)]}
          onClose={() => setView({ edit: '' })}
          onDone={finishEdit}
        />
      )}
      {deleting !== null && contents !== undefined && (
        <ConfirmDialog
          title={`Delete ${catalog.one} ${deleting.name}?`}
          action={`Delete ${catalog.one}`}
          onClose={() => setDeleting(null)}
          onConfirm={() => remove(deleting)}
        >
          <p>{catalog.deletionNote}</p>
          {contents?.sentences.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </ConfirmDialog>
      )}
    </>
  );
}
