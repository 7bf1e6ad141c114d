import type { FarmId } from '../../src/core/ids.ts';
import type { FarmInput } from '../farm/messages.ts';
import type { ReplyTo } from '../kernel/address.ts';

/** The one catalog of the service has this id, and lives on the first shard. */
export const CATALOG_ID = 'catalog';

/** The catalog actor: names that are unique over all farms. */
export type CatalogMessage =
  /** Answer: FarmRecord. 409 when a farm of that name exists. */
  | {
      readonly type: 'farm.create';
      /** The new farm's id, made by the front. */
      readonly farmId: FarmId;
      readonly input: FarmInput;
      readonly replyTo: ReplyTo;
    }
  /** Answer: FarmRecord. 404 for an unknown farm, 409 when another farm has the name. */
  | {
      readonly type: 'farm.replace';
      readonly farmId: FarmId;
      readonly input: FarmInput;
      readonly replyTo: ReplyTo;
    }
  /** From a farm actor that has removed its farm. */
  | { readonly type: 'farm.removed'; readonly farmId: FarmId };
