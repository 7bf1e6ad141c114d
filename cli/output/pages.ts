import type { Page } from '../../client/resources.ts';
import { allPages, type PageRequest } from '../client/lookup.ts';
import type { PageOptions } from './list-options.ts';

/** Items of a paged list as a command prints them. */
export interface ReadPages<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly offset: number;
  /** Value for `-o json`. */
  readonly reply: object;
}

/** Reads the page that the options select, or all pages with `--all`. */
export async function readPages<Item>(
  request: PageRequest<Item>,
  { limit, offset, all = false }: PageOptions,
): Promise<ReadPages<Item>> {
  if (all) {
    const items = await allPages(request, offset);
    const total = offset + items.length;
    return { items, total, offset, reply: { items, total, offset } };
  }
  const reply: Page<Item> = await request({ limit, offset });
  return { items: reply.items, total: reply.total, offset, reply };
}
