import { CATALOG_ID } from '../../actors/catalog/messages.ts';
import type { FarmInput } from '../../actors/farm/messages.ts';
import { farmId } from '../../src/core/ids.ts';
import type { FarmRecord } from '../../src/core/records/farm.ts';
import { keys } from '../../src/core/records/tables.ts';
import { farmView } from '../views/farm-view.ts';
import { retryOverride } from '../views/retry-view.ts';
import type { Schemas } from '../views/schemas.ts';
import { DONE, notFound, type Handler } from './operation.ts';

export const listFarms: Handler<'listFarms'> = (_call, { store }) => ({
  kind: 'json',
  status: 200,
  body: [...store.scan('farm')].map((row) => farmView(row.value)),
});

export const getFarm: Handler<'getFarm'> = ({ path }, { store }) => {
  const farm = store.get('farm', keys.farm(farmId(path.id)));
  return farm === undefined ? notFound('farm', path.id) : { kind: 'json', status: 200, body: farmView(farm) };
};

export const createFarm: Handler<'createFarm'> = async ({ body }, ports) => {
  const id = farmId(ports.newId());
  const outcome = await ports.actors.ask<FarmRecord>((replyTo) => ({
    actor: 'catalog',
    id: CATALOG_ID,
    message: { type: 'farm.create', farmId: id, input: farmInput(body), replyTo },
  }));
  if (!outcome.ok) return { kind: 'problem', problem: outcome.problem };
  return { kind: 'json', status: 201, body: farmView(outcome.value), location: `/api/v1/farms/${id}` };
};

export const replaceFarm: Handler<'replaceFarm'> = async ({ path, body }, ports) => {
  const id = farmId(path.id);
  if (ports.store.get('farm', keys.farm(id)) === undefined) return notFound('farm', path.id);
  const outcome = await ports.actors.ask<FarmRecord>((replyTo) => ({
    actor: 'catalog',
    id: CATALOG_ID,
    message: { type: 'farm.replace', farmId: id, input: farmInput(body), replyTo },
  }));
  return outcome.ok
    ? { kind: 'json', status: 200, body: farmView(outcome.value) }
    : { kind: 'problem', problem: outcome.problem };
};

export const deleteFarm: Handler<'deleteFarm'> = async ({ path }, ports) => {
  const id = farmId(path.id);
  if (ports.store.get('farm', keys.farm(id)) === undefined) return notFound('farm', path.id);
  const outcome = await ports.actors.ask<null>((replyTo) => ({
    actor: 'farm',
    id,
    message: { type: 'farm.delete', replyTo },
  }));
  return outcome.ok ? DONE : { kind: 'problem', problem: outcome.problem };
};

function farmInput(body: Schemas['FarmInput']): FarmInput {
  return {
    name: body.name,
    description: body.description ?? '',
    maxConcurrentTasks: body.max_concurrent_tasks ?? 0,
    retry: retryOverride(body),
  };
}
