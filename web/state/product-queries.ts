import { queryOptions } from '@tanstack/react-query';
import type { Rest } from '../../client/rest.ts';

/** They change rarely, and the pages invalidate them after their own changes. */
const PRODUCTS_MS = 10_000;

/** Queries about products and presets. Names can have a slash. */
export const productQueries = {
  /** All products without template and readme. */
  list: (rest: Rest) =>
    queryOptions({
      queryKey: ['products', 'list'],
      queryFn: ({ signal }) => rest.call('get', '/products', { query: { summary: true }, signal }),
      staleTime: PRODUCTS_MS,
    }),
  one: (rest: Rest, name: string) =>
    queryOptions({
      queryKey: ['products', 'one', name],
      queryFn: ({ signal }) => rest.call('get', '/products/{name}', { path: { name }, signal }),
    }),
  parameters: (rest: Rest, name: string) =>
    queryOptions({
      queryKey: ['products', 'one', name, 'parameters'],
      queryFn: ({ signal }) => rest.call('get', '/products/{name}/parameters', { path: { name }, signal }),
    }),
  revisions: (rest: Rest, name: string) =>
    queryOptions({
      queryKey: ['products', 'one', name, 'revisions'],
      queryFn: ({ signal }) => rest.call('get', '/products/{name}/revisions', { path: { name }, signal }),
    }),
  /** The last job of a product, and the number of its jobs that the user may see. */
  usage: (rest: Rest, name: string) =>
    queryOptions({
      queryKey: ['jobs', 'of-product', name],
      queryFn: ({ signal }) =>
        rest.call('get', '/jobs', {
          query: { product: name, sort_by: 'created_at', sort_dir: 'desc', limit: 1 },
          signal,
        }),
    }),
  presets: (rest: Rest) =>
    queryOptions({
      queryKey: ['presets', 'list'],
      queryFn: ({ signal }) => rest.call('get', '/presets', { signal }),
      staleTime: PRODUCTS_MS,
    }),
  preset: (rest: Rest, name: string) =>
    queryOptions({
      queryKey: ['presets', 'one', name],
      queryFn: ({ signal }) => rest.call('get', '/presets/{name}', { path: { name }, signal }),
    }),
};
