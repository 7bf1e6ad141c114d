import { SETTINGS } from '../../src/core/records/settings-version.ts';
import { ifMatchOf } from './if-match.ts';
import type { LocationInput } from '../../actors/service/catalog/messages.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { ComputeLocationRecord } from '../../src/core/records/compute-location.ts';
import { keys } from '../../src/core/records/tables.ts';
import { computeLocationView } from '../views/compute-location-view.ts';
import { sortedBy } from '../views/page-view.ts';
import type { Schemas } from '../views/schemas.ts';
import { askCatalog, created, deleted, replaced, okOrNotFound } from './catalog-replies.ts';
import { notFound, type Handler } from './operation.ts';

export const listComputeLocations: Handler<'listComputeLocations'> = (_call, { store }) => ({
  kind: 'json',
  status: 200,
  body: computeLocationViews(store),
});

/** Returns all compute locations, by name. */
export function computeLocationViews(store: StoreReader): Schemas['ComputeLocation'][] {
  const locations = [...store.scan('computeLocation')].map((row) => row.value);
  return sortedBy(locations, (location) => location.name, 'asc').map(viewOf(store));
}

export const getComputeLocation: Handler<'getComputeLocation'> = ({ path }, { store }) =>
  okOrNotFound(
    'compute location',
    path.id,
    storedLocation(store, path.id),
    viewOf(store),
    SETTINGS['compute location'],
  );

export const createComputeLocation: Handler<'createComputeLocation'> = async ({ body }, ports) => {
  const input = locationInput(body);
  const outcome = await askCatalog<ComputeLocationRecord>(ports, (replyTo) => ({
    type: 'location.create',
    input,
    replyTo,
  }));
  return created('/api/v1/compute-locations', outcome, viewOf(ports.store));
};

export const replaceComputeLocation: Handler<'replaceComputeLocation'> = async (
  { path, body, headers },
  ports,
) => {
  const stored = storedLocation(ports.store, path.id);
  if (stored === undefined) return notFound('compute location', path.id);
  const input = locationInput(body);
  const outcome = await askCatalog<ComputeLocationRecord>(ports, (replyTo) => ({
    type: 'location.replace',
    locationId: stored.id,
    input,
    ...ifMatchOf({ headers }),
    replyTo,
  }));
  return replaced(outcome, viewOf(ports.store), SETTINGS['compute location']);
};

export const deleteComputeLocation: Handler<'deleteComputeLocation'> = async ({ path, headers }, ports) => {
  const stored = storedLocation(ports.store, path.id);
  if (stored === undefined) return notFound('compute location', path.id);
  const outcome = await askCatalog<null>(ports, (replyTo) => ({
    type: 'location.delete',
    locationId: stored.id,
    ...ifMatchOf({ headers }),
    replyTo,
  }));
  return deleted(outcome);
};

const storedLocation = (store: StoreReader, id: string): ComputeLocationRecord | undefined =>
  store.get('computeLocation', keys.computeLocation(id));

/** Scans the workers once for any number of locations. */
function viewOf(store: StoreReader): (location: ComputeLocationRecord) => Schemas['ComputeLocation'] {
  let online: ReadonlyMap<string, number> | null = null;
  return (location) => {
    online ??= onlineWorkers(store);
    return computeLocationView(location, online.get(location.name) ?? 0);
  };
}

/** Counts the online workers of all farms by their reported location. */
function onlineWorkers(store: StoreReader): ReadonlyMap<string, number> {
  const online = new Map<string, number>();
  for (const { value: worker } of store.scan('worker')) {
    if (worker.status !== 'online') continue;
    online.set(worker.computeLocation, (online.get(worker.computeLocation) ?? 0) + 1);
  }
  return online;
}

const locationInput = (body: Schemas['ComputeLocationInput']): LocationInput => ({
  name: body.name,
  description: body.description ?? '',
});
