import { useQuery } from '@tanstack/react-query';
import { Package, Plus } from 'lucide-react';
import { useMemo } from 'react';
import type { ProductSummary } from '../../../client/resources.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { rowsOf, type Column } from '../../parts/data-table/column.ts';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { Ago } from '../../parts/time.tsx';
import { productQueries } from '../../state/product-queries.ts';
import { useService } from '../../state/service.tsx';
import { usePermissions } from '../../state/use-permissions.ts';
import { choiceField, textField, useUrlState } from '../../state/use-url-state.ts';
import { ProductFilterBar } from './product-filter-bar.tsx';
import { productHref, shownProducts, SOURCE_LABELS } from './shown-products.ts';

const VIEW = {
  search: textField(),
  category: textField(),
  sort: textField('name'),
  dir: choiceField(['asc', 'desc'], 'asc'),
};

const COLUMNS: readonly Column<ProductSummary>[] = [
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
    size: 240,
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
    id: 'source',
    header: 'Source',
    cell: ({ source }) => SOURCE_LABELS[source],
    sortKey: 'source',
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
    id: 'updated_at',
    header: 'Updated',
    cell: ({ updated_at: iso }) => (iso === undefined ? '' : <Ago iso={iso} />),
    sortKey: 'updated_at',
    size: 110,
  },
];

/** The list of products. */
export function ProductsPage() {
  const { rest } = useService();
  const { why } = usePermissions();
  const [view, setView] = useUrlState(VIEW);
  const { data: products, isFetching, error, refetch } = useQuery(productQueries.list(rest));
  const { search, category, sort, dir } = view;
  const shown = useMemo(
    () => products && shownProducts(products, { search, category }, { key: sort, dir }),
    [products, search, category, sort, dir],
  );
  return (
    <Page
      title="Products"
      isFull
      actions={
        <>
          <LinkButton href="/presets">Browse presets</LinkButton>
          {why('products.manage') === '' && (
            <LinkButton href="/new-product" look="primary" icon={<Plus aria-hidden="true" />}>
              New product
            </LinkButton>
          )}
        </>
      }
    >
      <p className="muted">A product is a template with a name. Users submit it with a form.</p>
      <DataTable
        id="products"
        label="Products"
        columns={COLUMNS}
        rows={rowsOf(shown, { isFetching, error, retry: () => void refetch() })}
        rowId={({ name }) => name}
        href={({ name }) => productHref(name)}
        sort={{ key: sort, dir }}
        onSort={({ key, dir: direction }) => setView({ sort: key, dir: direction }, { replace: true })}
        isFilling
        toolbar={<ProductFilterBar what="products" filters={view} rows={products ?? []} onChange={setView} />}
        empty={
          <EmptyState
            title="No matching products"
            icon={Package}
            actions={<Button onPress={() => setView({ search: '', category: '' })}>Clear filters</Button>}
          />
        }
      />
    </Page>
  );
}
