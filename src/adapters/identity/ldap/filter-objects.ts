import {
  AndFilter,
  ApproximateFilter,
  EqualityFilter,
  ExtensibleFilter,
  GreaterThanEqualsFilter,
  LessThanEqualsFilter,
  NotFilter,
  OrFilter,
  PresenceFilter,
  SubstringFilter,
  type Filter,
} from 'ldapts';
import type { DirectoryFilter } from '../../../core/access/directory-filter.ts';

/** Returns the filter as the objects that are encoded for the server. No text is parsed as a filter. */
export function filterObject(filter: DirectoryFilter): Filter {
  switch (filter.kind) {
    case 'and':
      return new AndFilter({ filters: filter.filters.map(filterObject) });
    case 'or':
      return new OrFilter({ filters: filter.filters.map(filterObject) });
    case 'not':
      return new NotFilter({ filter: filterObject(filter.filter) });
    case 'present':
      return new PresenceFilter({ attribute: filter.attribute });
    case 'equal':
      return new EqualityFilter({ attribute: filter.attribute, value: filter.value });
    case 'approximate':
      return new ApproximateFilter({ attribute: filter.attribute, value: filter.value });
    case 'at-least':
      return new GreaterThanEqualsFilter({ attribute: filter.attribute, value: filter.value });
    case 'at-most':
      return new LessThanEqualsFilter({ attribute: filter.attribute, value: filter.value });
    case 'substrings':
      return new SubstringFilter({
        attribute: filter.attribute,
        initial: filter.initial,
        any: [...filter.any],
        final: filter.final,
      });
    case 'extensible':
      return new ExtensibleFilter({
        matchType: filter.attribute,
        rule: filter.rule,
        dnAttributes: filter.isDnIncluded,
        value: filter.value,
      });
  }
}
