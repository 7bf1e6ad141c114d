/**
 * Invariants: a kept list was built from the built-in products that it is kept for, after the last change of a stored
 * product. Exits: `changed`, and other built-in products, drop the lists.
 */

import type { DescribedProducts } from '../../src/core/products/product-library.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import { taggedBytes, type TaggedBytes } from '../pipeline/conditional.ts';
import { productSummaryView, productView } from '../views/product-view.ts';

/**
 * The list of all products as the bytes of its JSON: it contains every template and readme, and building it takes several
 * times as long as sending it. Every change of a product passes through this process, whose routes report it.
 */
export class ProductList {
  #builtIns: DescribedProducts = new Map();
  readonly #kept = new Map<'full' | 'summary', TaggedBytes>();

  /** Returns the list by name. A built-in product hides a stored one. */
  bytes(builtIns: DescribedProducts, store: StoreReader, isSummary: boolean): TaggedBytes {
    if (builtIns !== this.#builtIns) this.changed();
    this.#builtIns = builtIns;
    const kind = isSummary ? 'summary' : 'full';
    const kept = this.#kept.get(kind) ?? taggedBytes(JSON.stringify(viewsOf(builtIns, store, isSummary)));
    this.#kept.set(kind, kept);
    return kept;
  }

  /** Must be called when the reply to a change of a stored product has come: later reads see the change. */
  changed(): void {
    this.#kept.clear();
  }
}

function viewsOf(builtIns: DescribedProducts, store: StoreReader, isSummary: boolean): readonly object[] {
  const shown = isSummary ? productSummaryView : productView;
  const stored = [...store.scan('product')].flatMap(({ key, value }) =>
    builtIns.has(key) ? [] : [shown({ kind: 'stored', record: value })],
  );
  const all = [
    ...[...builtIns.values()].map(({ definition }) => shown({ kind: 'builtin', definition })),
    ...stored,
  ];
  return all.sort((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0));
}
