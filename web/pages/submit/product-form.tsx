import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearch } from 'wouter';
import type { Product } from '../../../client/resources.ts';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { productQueries } from '../../state/product-queries.ts';
import { useService } from '../../state/service.tsx';
import { usePreference } from '../../state/use-preference.ts';
import { EMPTY_DRAFT, type Draft } from './model/draft.ts';
import { asNames, withRecent } from './model/product-choice.ts';
import { recentKey } from './product-chooser.tsx';
import { SubmitForm } from './submit-form.tsx';
import { loadDraft, productDraftKey } from './use-draft.ts';

const PARAMETER = 'param.';
const NONE: readonly string[] = [];

/** The form of a product, filled with the last values of the user and those of the address. */
export function ProductForm({ name, user }: { readonly name: string; readonly user: string }) {
  const { rest } = useService();
  const product = useQuery(productQueries.one(rest, name));
  if (product.data === undefined && product.error !== null)
    return <QueryProblem error={product.error} what="the product" onRetry={() => void product.refetch()} />;
  if (product.data === undefined) return <SkeletonLines lines={12} label="Loading the product" />;
  return <LoadedForm product={product.data} user={user} />;
}

function LoadedForm({ product, user }: { readonly product: Product; readonly user: string }) {
  const search = useSearch();
  const key = productDraftKey(user, product.name);
  const [recent, setRecent] = usePreference(recentKey(user), NONE, asNames);
  const [initial] = useState(() => draftOfProduct(product, loadDraft(key), search));
  const remember = (): void => setRecent(withRecent(recent, product.name));
  return <SubmitForm from={key} initial={initial} product={product} onSent={remember} />;
}

/** Values of the address replace those of the last job. The template is always that of the product now. */
function draftOfProduct(product: Product, last: Draft | null, search: string): Draft {
  const given = [...new URLSearchParams(search)].flatMap(([name, value]) =>
    name.startsWith(PARAMETER) ? [[name.slice(PARAMETER.length), value] as const] : [],
  );
  const draft = last ?? EMPTY_DRAFT;
  return {
    ...draft,
    text: product.template,
    source: product.name,
    isTemplateOpen: false,
    values: { ...draft.values, ...Object.fromEntries(given) },
  };
}
