import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Product } from '../../../client/resources.ts';
import { Notice } from '../../parts/notice.tsx';
import { productQueries } from '../../state/product-queries.ts';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { useOpenedVersion } from '../../state/use-opened-version.ts';
import { useRefresh } from '../../state/use-refresh.ts';
import { draftOf } from './product-draft.ts';
import { ProductForm } from './product-form.tsx';
import { productHref } from './shown-products.ts';

/** Interval at which the form looks for changes of other users. */
const REFRESH_MS = 5_000;

/** The form of an existing product. It starts with the product at the time it is opened. */
export function EditProduct({ product }: { product: Product }) {
  const { rest } = useService();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [opened] = useState(product);
  const { name } = product;
  const version = useOpenedVersion((client) =>
    client.callWithHeaders('get', '/products/{name}', { path: { name } }),
  );
  const refetchInterval = useRefresh(REFRESH_MS);
  useQuery({ ...productQueries.one(rest, name), refetchInterval });
  return (
    <>
      {product.revision !== opened.revision && (
        <Notice
          kind="warning"
          title="The product has changed"
          detail="Another user has saved this product since you opened the form. If you save now, you replace that content. It stays in the list of versions."
        />
      )}
      <ProductForm
        initial={draftOf(opened)}
        isNew={false}
        send={({ name: _name, ...body }) =>
          version.change(null, (client) => client.call('put', '/products/{name}', { path: { name }, body }))
        }
        onDone={(saved) => {
          client.setQueryData(['products', 'one', name], saved);
          void client.invalidateQueries({ queryKey: ['products'] });
          toasts.done(`${name} saved`);
          navigate(productHref(name));
        }}
        onCancel={() => navigate(productHref(name))}
      />
    </>
  );
}
