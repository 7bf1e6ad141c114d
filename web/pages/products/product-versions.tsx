import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Product, ProductRevision } from '../../../client/resources.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { ShortTable } from '../../parts/short-table.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { Ago } from '../../parts/time.tsx';
import { productQueries } from '../../state/product-queries.ts';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { useOpenedVersion } from '../../state/use-opened-version.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { ProductChanges } from './product-changes.tsx';
import { replacementOf } from './product-draft.ts';
import { readOnlyReason } from './shown-products.ts';

/** The revisions of a product, with the differences from the present one. */
export function ProductVersions({ product }: { product: Product }) {
  const { rest } = useService();
  const { data, error, refetch } = useQuery(productQueries.revisions(rest, product.name));
  const [compared, setCompared] = useState<number | null>(null);
  const [restored, setRestored] = useState<ProductRevision | null>(null);
  if (error !== null)
    return <QueryProblem error={error} what="the versions" onRetry={() => void refetch()} />;
  if (data === undefined) return <SkeletonLines lines={4} label="Loading the versions" />;
  if (data.length === 0)
    return <EmptyState title="No versions">The server keeps no versions of a built-in product.</EmptyState>;
  const former = data.find(({ revision }) => revision === compared);
  const cellOf = (entry: ProductRevision) => (
    <VersionButtons
      entry={entry}
      product={product}
      isCompared={entry.revision === compared}
      onCompare={() => setCompared(entry.revision === compared ? null : entry.revision)}
      onRestore={() => setRestored(entry)}
    />
  );
  return (
    <div className="stack">
      <ShortTable
        label="Versions"
        rows={data}
        rowId={({ revision }) => `${revision}`}
        columns={[
          { header: 'Revision', cell: ({ revision }) => revision.toLocaleString('en'), align: 'end' },
          { header: 'Version', cell: ({ version }) => version, isMinor: true },
          { header: 'Title', cell: ({ title }) => title, isMinor: true },
          { header: 'Saved', cell: ({ saved_at: iso }) => <Ago iso={iso} /> },
          { header: 'By', cell: ({ saved_by: user }) => user },
          { header: 'Actions', cell: cellOf },
        ]}
      />
      {former !== undefined && (
        <section className="stack" aria-label={`Changes since revision ${former.revision}`}>
          <h2>Changes since revision {former.revision.toLocaleString('en')}</h2>
          <ProductChanges before={former.product} after={product} />
        </section>
      )}
      {restored !== null && (
        <RestoreDialog entry={restored} name={product.name} onClose={() => setRestored(null)} />
      )}
    </div>
  );
}

function VersionButtons({
  entry,
  product,
  isCompared,
  onCompare,
  onRestore,
}: {
  entry: ProductRevision;
  product: Product;
  isCompared: boolean;
  onCompare: () => void;
  onRestore: () => void;
}) {
  const { can } = usePermissions();
  if (entry.revision === product.revision) return <span className="muted">present version</span>;
  return (
    <div className="row">
      <Button size="small" isPressed={isCompared} onPress={onCompare}>
        Compare
      </Button>
      {can('products.manage') && (
        <Button size="small" disabledReason={readOnlyReason(product.source)} onPress={onRestore}>
          Restore…
        </Button>
      )}
    </div>
  );
}

function RestoreDialog({
  entry,
  name,
  onClose,
}: {
  entry: ProductRevision;
  name: string;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const version = useOpenedVersion((reader) =>
    reader.callWithHeaders('get', '/products/{name}', { path: { name } }),
  );
  const restore = async (): Promise<void> => {
    const request = { path: { name }, body: replacementOf(entry.product) };
    await version.change(null, (guarded) => guarded.call('put', '/products/{name}', request));
    toasts.done(`Revision ${entry.revision} of ${name} restored`);
    await client.invalidateQueries({ queryKey: ['products'] });
  };
  return (
    <ConfirmDialog
      title={`Restore revision ${entry.revision}?`}
      action="Restore revision"
      isDanger={false}
      onClose={onClose}
      onConfirm={restore}
    >
      <p>
        The product gets the content of revision {entry.revision.toLocaleString('en')} as a new revision. The
        present content stays in the list of versions.
      </p>
    </ConfirmDialog>
  );
}
