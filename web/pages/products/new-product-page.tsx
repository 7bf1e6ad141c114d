import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { Page } from '../../parts/page.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { productQueries } from '../../state/product-queries.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { textField, useUrlState } from '../../state/use-url-state.ts';
import { draftOf, EMPTY_PRODUCT, nameFrom, type ProductDraft } from './product-draft.ts';
import { ProductForm } from './product-form.tsx';
import { productHref } from './shown-products.ts';

/** `job` is the id of a job whose template becomes a product; `copy` is the name of a product to copy. */
const VIEW = { job: textField(), copy: textField() };
const CRUMBS = [{ label: 'Products', href: '/products' }];

/** The page that creates a product: empty, from a file, from the template of a job, or as a copy. */
export function NewProductPage() {
  const [{ job, copy }] = useUrlState(VIEW);
  return (
    <Page
      title={job !== '' ? 'Save as product' : copy !== '' ? `Copy ${copy}` : 'New product'}
      crumbs={CRUMBS}
    >
      {job !== '' ? (
        <FromJob key={job} id={job} />
      ) : copy !== '' ? (
        <FromProduct key={copy} name={copy} />
      ) : (
        <NewProduct initial={EMPTY_PRODUCT} />
      )}
    </Page>
  );
}

function NewProduct({ initial }: { initial: ProductDraft }) {
  const { rest } = useService();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  return (
    <ProductForm
      initial={initial}
      isNew
      send={(body) => rest.call('post', '/products', { body })}
      onDone={({ name }) => {
        void client.invalidateQueries({ queryKey: ['products'] });
        toasts.done(`${name} created`);
        navigate(productHref(name));
      }}
      onCancel={() => history.back()}
    />
  );
}

function FromJob({ id }: { id: string }) {
  const { rest } = useService();
  const job = useQuery(queries.job(rest, id));
  const template = useQuery(queries.template(rest, id));
  const error = job.error ?? template.error;
  if (job.data !== undefined && template.data !== undefined) {
    const { name } = job.data;
    return (
      <NewProduct
        initial={{ ...EMPTY_PRODUCT, name: nameFrom(name), title: name, template: template.data }}
      />
    );
  }
  if (error === null) return <SkeletonLines lines={12} label="Loading the template of the job" />;
  return (
    <QueryProblem
      error={error}
      what="the template of the job"
      onRetry={() => void Promise.all([job.refetch(), template.refetch()])}
    />
  );
}

function FromProduct({ name }: { name: string }) {
  const { rest } = useService();
  const { data, error, refetch } = useQuery(productQueries.one(rest, name));
  if (data !== undefined)
    return <NewProduct initial={{ ...draftOf(data), name: `${name}-copy`, title: `${data.title} (copy)` }} />;
  if (error === null) return <SkeletonLines lines={12} label="Loading the product" />;
  return <QueryProblem error={error} what="the product" onRetry={() => void refetch()} />;
}
