import type { ReactNode } from 'react';
import type { LucideIcon } from 'lucide-react';
import type { Column } from '../../parts/data-table/column.ts';
import type { FormField } from './form-model.ts';

/** What every entry of a catalog has. */
export interface CatalogEntry {
  readonly id: string;
  readonly name: string;
}

/** A catalog: how its entries are listed, made, changed and deleted. */
export interface Catalog<Entry extends CatalogEntry> {
  /** Under which the browser remembers its columns, and the first word of its query key. */
  readonly id: string;
  readonly title: string;
  /** One of them, in a sentence: "farm". */
  readonly one: string;
  /** What such a thing is for, in a sentence or two. */
  readonly purpose: string;
  readonly icon: LucideIcon;
  readonly columns: readonly Column<Entry>[];
  readonly fields: readonly FormField[];
  /** What deleting one means, said before it is done. */
  readonly deletionNote: string;
  /** Shown above the form: what an empty field means, say. */
  readonly formNote?: ReactNode;
  /** What the API calls `fields` holds must fit: the contract checks it. */
  readonly create: (body: Readonly<Record<string, unknown>>) => Promise<Entry>;
  readonly replace: (entry: Entry, body: Readonly<Record<string, unknown>>) => Promise<Entry>;
  readonly remove: (entry: Entry) => Promise<unknown>;
}
