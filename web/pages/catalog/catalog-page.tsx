import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { rowsOf, type Sort } from '../../parts/data-table/column.ts';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import type { ActionItem } from '../../parts/menu.tsx';
import { Page } from '../../parts/page.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { choiceField, textField, useUrlState } from '../../state/use-url-state.ts';
import type { Catalog, CatalogEntry } from './catalog.ts';
import { CatalogForm } from './catalog-form.tsx';
import { sortedEntries } from './sorted-entries.ts';

/** `edit` is an id, or `new`: a link may open the form. */
const VIEW = {
  search: textField(),
  edit: textField(),
  sort: textField('name'),
  dir: choiceField(['asc', 'desc'], 'asc'),
};

/** The page of a catalog: its entries, and forms to make, change and delete them. */
export function CatalogPage<Entry extends CatalogEntry>({
  catalog,
  query: { data: entries, isFetching, error, refetch },
  actions,
}: {
  catalog: Catalog<Entry>;
  /** All its entries. */
  query: Pick<UseQueryResult<readonly Entry[]>, 'data' | 'isFetching' | 'error' | 'refetch'>;
  /** What else can be done with an entry. */
  actions?: (entry: Entry) => readonly ActionItem[];
}) {
  const client = useQueryClient();
  const { rest } = useService();
  const { can, why } = usePermissions();
  const [view, setView] = useUrlState(VIEW);
  const [deleting, setDeleting] = useState<Entry | null>(null);
  const locations = useQuery({ ...queries.computeLocations(rest), enabled: can('infra.read') });
  const disabledReason = why('infra.manage');
  const edited = view.edit === 'new' ? null : entries?.find(({ id }) => id === view.edit);
  const isEditing = view.edit !== '' && edited !== undefined && disabledReason === '';
  const sort: Sort = { key: view.sort, dir: view.dir };
  const shown = useMemo(
    () => entries && sortedEntries(entries, view.search, { key: view.sort, dir: view.dir }),
    [entries, view.search, view.sort, view.dir],
  );
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: [catalog.id] });

  const menu = (entry: Entry): readonly ActionItem[] => [
    {
      id: 'edit',
      label: 'Change…',
      icon: <Pencil aria-hidden="true" />,
      disabledReason,
      act: () => setView({ edit: entry.id }),
    },
    ...(actions?.(entry) ?? []),
    {
      id: 'delete',
      label: 'Delete…',
      icon: <Trash2 aria-hidden="true" />,
      isDanger: true,
      startsGroup: true,
      disabledReason,
      act: () => setDeleting(entry),
    },
  ];
  const newButton: ReactNode = (
    <Button
      look="primary"
      icon={<Plus aria-hidden="true" />}
      disabledReason={disabledReason}
      onPress={() => setView({ edit: 'new' })}
    >
      New {catalog.one}
    </Button>
  );
  return (
    <Page title={catalog.title} actions={newButton} isFull>
      <p className="muted">{catalog.purpose}</p>
      <DataTable
        id={catalog.id}
        label={catalog.title}
        columns={catalog.columns}
        rows={rowsOf(shown, { isFetching, error, retry: () => void refetch() })}
        rowId={({ id }) => id}
        rowName={({ name }) => name}
        sort={sort}
        onSort={({ key, dir }) => setView({ sort: key, dir }, { replace: true })}
        onOpen={(entry) => {
          if (disabledReason === '') setView({ edit: entry.id });
        }}
        actions={menu}
        isFilling
        toolbar={
          <SearchBox
            value={view.search}
            onChange={(search) => setView({ search }, { replace: true })}
            label={`Search in ${catalog.title.toLowerCase()}`}
          />
        }
        empty={
          view.search === '' ? (
            <EmptyState title={`There is no ${catalog.one} yet`} icon={catalog.icon} actions={newButton}>
              {catalog.purpose}
            </EmptyState>
          ) : (
            <EmptyState
              title={`No ${catalog.one} has “${view.search}” in its name or description`}
              icon={catalog.icon}
              actions={<Button onPress={() => setView({ search: '' })}>Clear the search</Button>}
            />
          )
        }
      />
      {isEditing && (
        <CatalogForm
          key={view.edit}
          catalog={catalog}
          entry={edited}
          names={['default', ...(locations.data ?? []).map(({ name }) => name)]}
          onClose={() => setView({ edit: '' })}
          onDone={(entry) => {
            toasts.done(`${entry.name} is ${edited === null ? 'created' : 'saved'}`);
            setView({ edit: '' });
            void refresh();
          }}
        />
      )}
      {deleting !== null && (
        <ConfirmDialog
          title={`Delete the ${catalog.one} ${deleting.name}?`}
          action={`Delete the ${catalog.one}`}
          onClose={() => setDeleting(null)}
          onConfirm={async () => {
            await catalog.remove(deleting);
            toasts.done(`${deleting.name} is deleted`);
            await refresh();
          }}
        >
          <p>{catalog.deletionNote}</p>
        </ConfirmDialog>
      )}
    </Page>
  );
}
