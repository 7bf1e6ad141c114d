import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Product } from '../../../client/resources.ts';
import { LinkButton } from '../../parts/button.tsx';
import { KeyValues } from '../../parts/key-values.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { Notice } from '../../parts/notice.tsx';
import { counted } from '../../parts/number-text.ts';
import { Panel, Panels } from '../../parts/panel.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { Ago } from '../../parts/time.tsx';
import { productQueries } from '../../state/product-queries.ts';
import { useService } from '../../state/service.tsx';
import { usePermissions } from '../../state/use-permissions.ts';
import { presetHref, readOnlyReason, SOURCE_LABELS } from './shown-products.ts';
import './products.css';

/** The description, readme, origin and usage of a product. */
export function ProductOverview({ product }: { product: Product }) {
  const { can } = usePermissions();
  const { name, description, readme, category, version, source, revision } = product;
  const reason = readOnlyReason(source);
  return (
    <div className="stack">
      {description !== '' && <p className="product-description">{description}</p>}
      {reason !== '' && (
        <Notice kind="info" detail={reason}>
          {can('products.manage') && (
            <div className="row">
              <LinkButton href={`/new-product?copy=${encodeURIComponent(name)}`} size="small">
                Save a copy
              </LinkButton>
              {source === 'installed' && (
                <LinkButton href={presetHref(name)} size="small">
                  Show preset
                </LinkButton>
              )}
            </div>
          )}
        </Notice>
      )}
      <Panels>
        <Panel title="About">
          <KeyValues
            facts={[
              ['Name', <span className="mono">{name}</span>],
              ['Category', category === '' ? null : category],
              ['Version', version === '' ? null : version],
              ['Source', SOURCE_LABELS[source]],
              ['Revision', revision === undefined ? null : revision.toLocaleString('en')],
              ['Updated', product.updated_at === undefined ? null : <Ago iso={product.updated_at} />],
              ['Created', product.created_at === undefined ? null : <Ago iso={product.created_at} />],
            ]}
          />
        </Panel>
        {can('jobs.read') && <Usage name={name} />}
        <Panel title="Readme" isWide>
          {readme === '' ? <p className="muted">This product has no readme.</p> : <Markdown text={readme} />}
        </Panel>
      </Panels>
    </div>
  );
}

/** The number of jobs of a product that the user may see, and when the last one was submitted. */
function Usage({ name }: { name: string }) {
  const { rest } = useService();
  const { data, error, refetch } = useQuery(productQueries.usage(rest, name));
  const last = data?.items[0];
  return (
    <Panel title="Usage">
      {error !== null && <QueryProblem error={error} what="the jobs" onRetry={() => void refetch()} />}
      {data !== undefined &&
        (last === undefined ? (
          <p className="muted">No jobs of this product.</p>
        ) : (
          <KeyValues
            facts={[
              [
                'Jobs',
                <Link href={`/jobs?product=${encodeURIComponent(name)}`}>{counted(data.total, 'job')}</Link>,
              ],
              ['Last used', <Ago iso={last.created_at} />],
              ['Last job', <Link href={`/jobs/${encodeURIComponent(last.id)}`}>{last.name}</Link>],
            ]}
          />
        ))}
    </Panel>
  );
}
