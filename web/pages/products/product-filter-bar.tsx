import { FilterChoice } from '../../parts/filter-choice.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { categoriesOf, type ListedProduct, type ProductFilters } from './shown-products.ts';
import './product-filter-bar.css';

/** Search box and category of a list of products or presets. `what` is the plural of the rows: "products". */
export function ProductFilterBar({
  what,
  filters,
  rows,
  onChange,
}: {
  what: string;
  filters: ProductFilters;
  /** All rows, for the categories. */
  rows: readonly ListedProduct[];
  onChange: (change: Partial<ProductFilters>, options?: { readonly replace?: boolean }) => void;
}) {
  return (
    <div className="product-filters">
      <SearchBox
        value={filters.search}
        label={`Search ${what}`}
        placeholder="Name, title, description"
        onChange={(search) => onChange({ search }, { replace: true })}
      />
      <FilterChoice
        label="Category"
        all="All categories"
        value={filters.category}
        choices={categoriesOf(rows).map((category) => [category, category])}
        onChange={(category) => onChange({ category })}
      />
    </div>
  );
}
