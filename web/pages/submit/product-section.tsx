import type { Product } from '../../../client/resources.ts';
import { LinkButton } from '../../parts/button.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { productHref } from '../products/shown-products.ts';
import './product-section.css';

/** The product of the form. */
export function ProductSection({ product }: { readonly product: Product }) {
  const { name, title, description, version } = product;
  return (
    <section className="card stack product-section" aria-label="Product">
      <div className="product-section__head">
        <div>
          <h2>{title}</h2>
          <span className="muted">{[name, version].filter((text) => text !== '').join(' · ')}</span>
        </div>
        <div className="row">
          <LinkButton href={productHref(name)} size="small">
            Show product
          </LinkButton>
          <LinkButton href="/submit" size="small">
            Choose another
          </LinkButton>
        </div>
      </div>
      {description !== '' && <p className="product-section__text">{description}</p>}
    </section>
  );
}

/** The readme of a product, next to its form. */
export function ProductReadme({ text }: { readonly text: string }) {
  if (text === '') return null;
  return (
    <section className="card product-section__readme" aria-label="Readme">
      <details open>
        <summary>Readme</summary>
        <Markdown text={text} />
      </details>
    </section>
  );
}
