import type { LucideIcon } from 'lucide-react';
import type { Rest } from '../../../client/rest.ts';
import type { Column } from '../../parts/data-table/column.ts';
import type { FormField } from './form-model.ts';

/** Members that every entry of a catalog has. */
export interface CatalogEntry {
  readonly id: string;
  readonly name: string;
}

/** The objects that are deleted with an entry. */
export interface DeletedContents {
  /** One sentence each. */
  readonly sentences: readonly string[];
  /** True if the deletion must be forced, because of one of the sentences. */
  readonly needsForce: boolean;
}

type Body = Readonly<Record<string, unknown>>;

/** A catalog: its texts, columns and form fields, and the requests that change it. */
export interface Catalog<Entry extends CatalogEntry> {
  /** Path of its objects in the REST API, key of its columns in local storage, and the first word of its query keys. */
  readonly id: 'farms' | 'queues' | 'usage-pools' | 'storage-locations' | 'compute-locations';
  readonly title: string;
  /** The singular, within a sentence: "farm". */
  readonly one: string;
  /** Explains the entries in one or two sentences. */
  readonly purpose: string;
  readonly icon: LucideIcon;
  readonly columns: readonly Column<Entry>[];
  readonly fields: readonly FormField[];
  /** The consequences of deleting an entry, shown before it is deleted. */
  readonly deletionNote: string;
  /** The requests take every field of `fields` as a member of the body; the server checks it. */
  readonly create: (rest: Rest, body: Body) => Promise<Entry>;
  readonly replace: (rest: Rest, entry: Entry, body: Body) => Promise<Entry>;
  /** `contents` is what was shown before the deletion was confirmed; null without such contents. */
  readonly remove: (rest: Rest, entry: Entry, contents: DeletedContents | null) => Promise<unknown>;
  /** Loads what is deleted with an entry, to be shown before it is deleted. */
  readonly contentsOf?: (rest: Rest, entry: Entry) => Promise<DeletedContents>;
}
