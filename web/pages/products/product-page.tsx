import { useQuery } from '@tanstack/react-query';
import { Copy, Package, Pencil, Play, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { ProblemError } from '../../../client/problem.ts';
import type { Product } from '../../../client/resources.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ActionMenu } from '../../parts/menu.tsx';
import { Page } from '../../parts/page.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { productQueries } from '../../state/product-queries.ts';
import { useService } from '../../state/service.tsx';
import { usePermissions } from '../../state/use-permissions.ts';
import { choiceField, flagField, useUrlState } from '../../state/use-url-state.ts';
import { DeleteProduct } from './delete-product.tsx';
import { EditProduct } from './edit-product.tsx';
import { ProductOverview } from './product-overview.tsx';
import { ProductParameters } from './product-parameters.tsx';
import { ProductVersions } from './product-versions.tsx';
import { readOnlyReason } from './shown-products.ts';
import { TemplateText } from './template-text.tsx';

const CRUMBS = [{ label: 'Products', href: '/products' }];
const TABS = ['overview', 'parameters', 'template', 'versions'] as const;
const VIEW = { tab: choiceField(TABS, 'overview'), edit: flagField };

/** One product: what it does, its parameters, template and versions. */
export function ProductPage() {
  const { group = '', name = '' } = useParams<{ group?: string; name: string }>();
  const full = group === '' ? name : `${group}/${name}`;
  return <ProductView key={full} name={full} />;
}

function ProductView({ name }: { name: string }) {
  const { rest } = useService();
  const [{ edit }] = useUrlState(VIEW);
  const { can } = usePermissions();
  const { data: product, error, refetch } = useQuery(productQueries.one(rest, name));
  if (error instanceof ProblemError && (error.status === 404 || error.status === 400)) {
    return (
      <Page title={name} crumbs={CRUMBS}>
        <EmptyState
          title="Product not found"
          icon={Package}
          actions={<LinkButton href="/products">Show all products</LinkButton>}
        >
          {`No product has the name ${name}. It may have been deleted.`}
        </EmptyState>
      </Page>
    );
  }
  if (product === undefined) {
    return (
      <Page title={name} crumbs={CRUMBS}>
        {error === null ? (
          <SkeletonLines lines={8} label="Loading the product" />
        ) : (
          <QueryProblem error={error} what="the product" onRetry={() => void refetch()} />
        )}
      </Page>
    );
  }
  const isEdited = edit && can('products.manage') && product.source === 'custom';
  return (
    <Page
      title={product.title}
      crumbs={CRUMBS}
      beside={
        <>
          <span className="mono muted">{name}</span>
          <CopyButton text={name} label="Copy product name" />
        </>
      }
      actions={isEdited ? undefined : <ProductActions product={product} />}
    >
      {isEdited ? <EditProduct product={product} /> : <ProductTabs product={product} />}
    </Page>
  );
}

function ProductActions({ product }: { product: Product }) {
  const { can, why } = usePermissions();
  const [, setView] = useUrlState(VIEW);
  const [, navigate] = useLocation();
  const [isDeleting, setIsDeleting] = useState(false);
  const { name, source } = product;
  return (
    <>
      {can('jobs.write') && (
        <LinkButton
          href={`/submit?product=${encodeURIComponent(name)}`}
          look="primary"
          icon={<Play aria-hidden="true" />}
        >
          Submit
        </LinkButton>
      )}
      {can('products.manage') && (
        <>
          <Button
            icon={<Pencil aria-hidden="true" />}
            disabledReason={readOnlyReason(source)}
            onPress={() => setView({ edit: true })}
          >
            Edit
          </Button>
          <ActionMenu
            label="More actions"
            items={[
              {
                id: 'copy',
                label: 'Save a copy…',
                icon: <Copy aria-hidden="true" />,
                act: () => navigate(`/new-product?copy=${encodeURIComponent(name)}`),
              },
              {
                id: 'delete',
                label: 'Delete…',
                icon: <Trash2 aria-hidden="true" />,
                isDanger: true,
                startsGroup: true,
                disabledReason:
                  why('products.manage') || (source === 'builtin' ? readOnlyReason('builtin') : ''),
                act: () => setIsDeleting(true),
              },
            ]}
          />
        </>
      )}
      {isDeleting && <DeleteProduct product={product} onClose={() => setIsDeleting(false)} />}
    </>
  );
}

function ProductTabs({ product }: { product: Product }) {
  const [{ tab }, setView] = useUrlState(VIEW);
  return (
    <Tabs
      tabs={[
        { id: 'overview', label: 'Overview' },
        { id: 'parameters', label: 'Parameters' },
        { id: 'template', label: 'Template' },
        { id: 'versions', label: 'Versions' },
      ]}
      current={tab}
      label="Product details"
      onChange={(chosen) => setView({ tab: TABS.find((each) => each === chosen) ?? 'overview' })}
    >
      {tab === 'overview' && <ProductOverview product={product} />}
      {tab === 'parameters' && <ParametersTab name={product.name} />}
      {tab === 'template' && <TemplateText text={product.template} format={product.format} />}
      {tab === 'versions' && <ProductVersions product={product} />}
    </Tabs>
  );
}

function ParametersTab({ name }: { name: string }) {
  const { rest } = useService();
  const { data, error, refetch } = useQuery(productQueries.parameters(rest, name));
  if (error !== null)
    return <QueryProblem error={error} what="the parameters" onRetry={() => void refetch()} />;
  if (data === undefined) return <SkeletonLines lines={6} label="Loading the parameters" />;
  return <ProductParameters parameters={data} />;
}
