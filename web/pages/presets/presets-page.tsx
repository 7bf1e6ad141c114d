import { useQuery } from '@tanstack/react-query';
import { Library } from 'lucide-react';
import { useMemo } from 'react';
import type { Preset } from '../../../client/resources.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { rowsOf, type Column } from '../../parts/data-table/column.ts';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { productQueries } from '../../state/product-queries.ts';
import { useService } from '../../state/service.tsx';
import { choiceField, textField, useUrlState } from '../../state/use-url-state.ts';
import { ProductFilterBar } from '../products/product-filter-bar.tsx';
import { presetHref, shownProducts } from '../products/shown-products.ts';
import { installText } from './preset-texts.ts';

const VIEW = {
  search: textField(),
  category: textField(),
  sort: textField('name'),
  dir: choiceField(['asc', 'desc'], 'asc'),
};

const COLUMNS: readonly Column<Preset>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ name }) => <span className="mono">{name}</span>,
    text: ({ name }) => name,
    sortKey: 'name',
    isFixed: true,
    size: 200,
    card: 'meta',
  },
  {
    id: 'title',
    header: 'Title',
    cell: ({ title }) => title,
    text: ({ title }) => title,
    sortKey: 'title',
    size: 220,
    card: 'title',
  },
  {
    id: 'description',
    header: 'Description',
    cell: ({ description }) => description,
    text: ({ description }) => description,
    grow: true,
    size: 260,
    card: 'line',
  },
  {
    id: 'category',
    header: 'Category',
    cell: ({ category }) => category,
    text: ({ category }) => category,
    sortKey: 'category',
    size: 130,
  },
  {
    id: 'version',
    header: 'Version',
    cell: ({ version }) => version,
    text: ({ version }) => version,
    sortKey: 'version',
    size: 90,
  },
  {
    id: 'installed',
    header: 'Installed',
    cell: (preset) =>
      preset.update_available ? (
        <strong>{installText(preset)}</strong>
      ) : (
        <span className={preset.installed ? '' : 'muted'}>{installText(preset)}</span>
      ),
    text: installText,
    size: 150,
  },
];

/** The preset library. */
export function PresetsPage() {
  const { rest } = useService();
  const [view, setView] = useUrlState(VIEW);
  const { data: presets, isFetching, error, refetch } = useQuery(productQueries.presets(rest));
  const { search, category, sort, dir } = view;
  const shown = useMemo(
    () => presets && shownProducts(presets, { search, category }, { key: sort, dir }),
    [presets, search, category, sort, dir],
  );
  return (
    <Page title="Presets" isFull actions={<LinkButton href="/products">Show products</LinkButton>}>
      <p className="muted">Products for many programs. Install one to submit jobs with it.</p>
      <DataTable
        id="presets"
        label="Presets"
        columns={COLUMNS}
        rows={rowsOf(shown, { isFetching, error, retry: () => void refetch() })}
        rowId={({ name }) => name}
        href={({ name }) => presetHref(name)}
        sort={{ key: sort, dir }}
        onSort={({ key, dir: direction }) => setView({ sort: key, dir: direction }, { replace: true })}
        isFilling
        toolbar={<ProductFilterBar what="presets" filters={view} rows={presets ?? []} onChange={setView} />}
        empty={
          <EmptyState
            title="No matching presets"
            icon={Library}
            actions={<Button onPress={() => setView({ search: '', category: '' })}>Clear filters</Button>}
          />
        }
      />
    </Page>
  );
}
