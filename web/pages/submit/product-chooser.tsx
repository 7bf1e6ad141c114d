import { useQuery } from '@tanstack/react-query';
import { Star } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { ProductSummary } from '../../../client/resources.ts';
import { SelectField, TextField } from '../../parts/field.tsx';
import { IconButton } from '../../parts/button.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { productQueries } from '../../state/product-queries.ts';
import { useService } from '../../state/service.tsx';
import { usePreference } from '../../state/use-preference.ts';
import { categoriesOf } from '../products/shown-products.ts';
import { asNames, chosenProducts, withFavourite } from './model/product-choice.ts';
import './product-chooser.css';

const NONE: readonly string[] = [];

/** Preferences of one user of the browser. */
export const recentKey = (user: string): string => `submit.recent.${user}`;
const favouritesKey = (user: string): string => `submit.favourites.${user}`;

/** The products that the user can submit, with search, categories, favourites and the recently used ones first. */
export function ProductChooser({ user }: { readonly user: string }) {
  const { rest } = useService();
  const query = useQuery(productQueries.list(rest));
  const [search, setSearch] = useState('');
  const [category, setCategory] = useState('');
  const [recent] = usePreference(recentKey(user), NONE, asNames);
  const [favourites, setFavourites] = usePreference(favouritesKey(user), NONE, asNames);
  const products = query.data;
  if (products === undefined)
    return query.error === null ? (
      <SkeletonLines lines={6} label="Loading the products" />
    ) : (
      <QueryProblem error={query.error} what="the products" onRetry={() => void query.refetch()} />
    );
  const shown = chosenProducts(products, { search, category, recent, favourites });
  return (
    <section className="card stack" aria-label="Products">
      <h2>Products</h2>
      <div className="submit__pair">
        <TextField label="Search products" value={search} onChange={setSearch} />
        <SelectField
          label="Category"
          value={category}
          none="All"
          choices={categoriesOf(products).map((each) => ({ value: each, label: each }))}
          onChange={setCategory}
        />
      </div>
      {shown.length === 0 && <p className="muted">No product matches the search.</p>}
      <ul className="product-chooser">
        {shown.map((product) => (
          <ProductItem
            key={product.name}
            product={product}
            isRecent={recent.includes(product.name)}
            isFavourite={favourites.includes(product.name)}
            onFavourite={() => setFavourites(withFavourite(favourites, product.name))}
          />
        ))}
      </ul>
    </section>
  );
}

interface ProductItemProps {
  readonly product: ProductSummary;
  readonly isRecent: boolean;
  readonly isFavourite: boolean;
  readonly onFavourite: () => void;
}

function ProductItem({ product, isRecent, isFavourite, onFavourite }: ProductItemProps) {
  const { name, title, description, category } = product;
  const facts = [name, category, isRecent ? 'used recently' : ''].filter((text) => text !== '');
  return (
    <li className="product-chooser__item">
      <Link href={`/submit?product=${encodeURIComponent(name)}`} className="product-chooser__link">
        <strong>{title}</strong>
        <span className="muted">{facts.join(' · ')}</span>
        {description !== '' && <span className="product-chooser__text">{description}</span>}
      </Link>
      <IconButton
        label={isFavourite ? `Remove ${title} from favourites` : `Add ${title} to favourites`}
        icon={<Star aria-hidden="true" fill={isFavourite ? 'currentColor' : 'none'} />}
        isPressed={isFavourite}
        onPress={onFavourite}
      />
    </li>
  );
}
