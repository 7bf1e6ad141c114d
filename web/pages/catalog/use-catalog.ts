import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { choiceField, textField, useUrlState, type SetOptions } from '../../state/use-url-state.ts';
import type { Catalog, CatalogEntry, DeletedContents } from './catalog.ts';
import { sortedEntries } from './sorted-entries.ts';

/** `edit` is an id or `new`, so that a link can open the form. */
const VIEW = {
  search: textField(),
  edit: textField(),
  sort: textField('name'),
  dir: choiceField(['asc', 'desc'], 'asc'),
};

interface CatalogView {
  readonly search: string;
  readonly edit: string;
  readonly sort: string;
  readonly dir: 'asc' | 'desc';
}

/** Model of a catalog page: its view in the address, the entries to show, and the open form or question. */
export interface CatalogModel<Entry extends CatalogEntry> {
  readonly catalog: Catalog<Entry>;
  readonly view: CatalogView;
  readonly setView: (change: Partial<CatalogView>, options?: SetOptions) => void;
  /** The entries that match the search, sorted; undefined until they are loaded. */
  readonly shown: readonly Entry[] | undefined;
  /** Why the user may not change the catalog; empty if the user may. */
  readonly forbidden: string;
  /** The entry in the form, null for a new one; undefined if the form is closed. */
  readonly edited: Entry | null | undefined;
  readonly deleting: Entry | null;
  readonly setDeleting: (entry: Entry | null) => void;
  /** The objects that are deleted with that entry; undefined while it is loaded, null if the catalog has no such contents. */
  readonly contents: DeletedContents | null | undefined;
  /** Closes the form and loads the entries again. */
  readonly finishEdit: (entry: Entry) => void;
  readonly remove: (entry: Entry) => Promise<void>;
}

export function useCatalog<Entry extends CatalogEntry>(
  catalog: Catalog<Entry>,
  entries: readonly Entry[] | undefined,
): CatalogModel<Entry> {
  const client = useQueryClient();
  const { rest } = useService();
  const { why } = usePermissions();
  const [view, setView] = useUrlState(VIEW);
  const [deleting, setDeleting] = useState<Entry | null>(null);
  const forbidden = why('infra.manage');
  const { search, edit, sort, dir } = view;
  const found = edit === 'new' ? null : entries?.find(({ id }) => id === edit);
  const edited = edit === '' || forbidden !== '' ? undefined : found;
  const shown = useMemo(
    () => entries && sortedEntries(entries, search, { key: sort, dir }),
    [entries, search, sort, dir],
  );
  const contents = useDeletedContents(catalog, deleting);
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: [catalog.id] });
  return {
    catalog,
    view,
    setView,
    shown,
    forbidden,
    edited,
    deleting,
    setDeleting,
    contents,
    finishEdit: (entry) => {
      toasts.done(`${entry.name} ${edited === null ? 'created' : 'saved'}`);
      setView({ edit: '' });
      void refresh();
    },
    remove: async (entry) => {
      await catalog.remove(rest, entry, contents ?? null);
      toasts.done(`${entry.name} deleted`);
      await refresh();
    },
  };
}

/** Loads what is deleted with an entry. Null if there is nothing to load or it cannot be loaded. */
function useDeletedContents<Entry extends CatalogEntry>(
  { id, contentsOf }: Catalog<Entry>,
  entry: Entry | null,
): DeletedContents | null | undefined {
  const { rest } = useService();
  const query = useQuery({
    queryKey: [id, 'deleted-contents', entry?.id],
    queryFn: () => (entry === null || contentsOf === undefined ? null : contentsOf(rest, entry)),
    enabled: entry !== null && contentsOf !== undefined,
    staleTime: 0,
  });
  return entry === null || contentsOf === undefined || query.isError ? null : query.data;
}
