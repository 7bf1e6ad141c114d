import type { FarmId } from '../../src/core/ids.ts';
import { refused } from '../../src/core/problems.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { ActorDefinition } from '../kernel/actor.ts';
import type { ServiceContext, ServiceWorld } from '../service-world.ts';
import type { CatalogMessage } from './messages.ts';

/** Names of farms, reserved before the farm is written. */
export interface CatalogState {
  readonly names: Map<FarmId, string>;
}

function loadCatalog(_id: string, reader: StoreReader): CatalogState {
  return { names: new Map([...reader.scan('farm')].map(({ value: farm }) => [farm.id, farm.name])) };
}

type Naming = Exclude<CatalogMessage, { type: 'farm.removed' }>;

/** Reserves a farm's name and hands the request on to the farm, on whichever shard it lives. */
function onFarmNamed(state: CatalogState, message: Naming, context: ServiceContext<'catalog'>): void {
  const { type, farmId, input, replyTo } = message;
  if (type === 'farm.replace' && !state.names.has(farmId)) {
    context.reply(replyTo, refused('not-found', `there is no farm ${farmId}`));
    return;
  }
  for (const [other, name] of state.names) {
    if (name !== input.name || other === farmId) continue;
    context.reply(replyTo, refused('conflict', `there is a farm named ${JSON.stringify(name)} already`));
    return;
  }
  state.names.set(farmId, input.name);
  context.effect({
    kind: 'forward',
    envelope: { actor: 'farm', id: farmId, message: { type, input, replyTo } },
  });
}

/** The catalog actor holds what is unique over all farms, so that each farm can live whole on one shard. */
export function catalogActor(): ActorDefinition<ServiceWorld, 'catalog', CatalogState> {
  return {
    kind: 'catalog',
    load: loadCatalog,
    absent: () => null,
    handlers: {
      'farm.create': onFarmNamed,
      'farm.replace': onFarmNamed,
      'farm.removed': (state, { farmId }) => {
        state.names.delete(farmId);
      },
    },
  };
}
