import { SETTINGS } from '../../src/core/records/settings-version.ts';
import { ifMatchOf } from './if-match.ts';
import type { StorageInput } from '../../actors/service/catalog/messages.ts';
import { done, type Outcome } from '../../src/core/problems.ts';
import type { PointedError } from '../../src/openjd/primitives/pointed-error.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import {
  storageRootKeyError,
  storageRootWrong,
  type StorageLocationRecord,
} from '../../src/core/records/storage-location.ts';
import { keys } from '../../src/core/records/tables.ts';
import { pointerTo } from '../../src/openjd/primitives/pointed-error.ts';
import { pointedProblem } from '../problems.ts';
import { sortedBy } from '../views/page-view.ts';
import type { Schemas } from '../views/schemas.ts';
import { storageLocationView } from '../views/storage-location-view.ts';
import { askCatalog, created, deleted, replaced, okOrNotFound } from './catalog-replies.ts';
import { notFound, type Handler } from './operation.ts';

export const listStorageLocations: Handler<'listStorageLocations'> = (_call, { store }) => {
  const locations = [...store.scan('storageLocation')].map((row) => row.value);
  const sorted = sortedBy(locations, (location) => location.name, 'asc');
  return { kind: 'json', status: 200, body: sorted.map(storageLocationView) };
};

export const getStorageLocation: Handler<'getStorageLocation'> = ({ path }, { store }) =>
  okOrNotFound(
    'storage location',
    path.id,
    storedStorage(store, path.id),
    storageLocationView,
    SETTINGS['storage location'],
  );

export const createStorageLocation: Handler<'createStorageLocation'> = async ({ body }, ports) => {
  const input = storageInput(body);
  if (!input.ok) return { kind: 'problem', problem: input.problem };
  const outcome = await askCatalog<StorageLocationRecord>(ports, (replyTo) => ({
    type: 'storage.create',
    input: input.value,
    replyTo,
  }));
  return created('/api/v1/storage-locations', outcome, storageLocationView);
};

export const replaceStorageLocation: Handler<'replaceStorageLocation'> = async (
  { path, body, headers },
  ports,
) => {
  const stored = storedStorage(ports.store, path.id);
  if (stored === undefined) return notFound('storage location', path.id);
  const input = storageInput(body);
  if (!input.ok) return { kind: 'problem', problem: input.problem };
  const outcome = await askCatalog<StorageLocationRecord>(ports, (replyTo) => ({
    type: 'storage.replace',
    storageId: stored.id,
    input: input.value,
    ...ifMatchOf({ headers }),
    replyTo,
  }));
  return replaced(outcome, storageLocationView, SETTINGS['storage location']);
};

export const deleteStorageLocation: Handler<'deleteStorageLocation'> = async ({ path, headers }, ports) => {
  const stored = storedStorage(ports.store, path.id);
  if (stored === undefined) return notFound('storage location', path.id);
  const outcome = await askCatalog<null>(ports, (replyTo) => ({
    type: 'storage.delete',
    storageId: stored.id,
    ...ifMatchOf({ headers }),
    replyTo,
  }));
  return deleted(outcome);
};

const storedStorage = (store: StoreReader, id: string): StorageLocationRecord | undefined =>
  store.get('storageLocation', keys.storageLocation(id));

/** Maximum number of errors in one response. */
const ERRORS_MAX = 20;

/** Validates a body; returns the storage location or the errors in its roots. */
function storageInput(body: Schemas['StorageLocationInput']): Outcome<StorageInput> {
  const roots = Object.entries(body.roots ?? {}).map(([place, root]) => ({ place, root }));
  const errors: PointedError[] = [];
  for (const { place, root } of roots) {
    const pointer = pointerTo(['roots', place]);
    const placeWrong = storageRootKeyError(place);
    if (placeWrong !== null) errors.push({ pointer, detail: `the name of a compute location ${placeWrong}` });
    const rootWrong = storageRootWrong(root);
    if (rootWrong !== null) errors.push({ pointer, detail: rootWrong });
  }
  return errors.length > 0
    ? { ok: false, problem: pointedProblem('bad-request', errors.slice(0, ERRORS_MAX)) }
    : done({ name: body.name, description: body.description ?? '', roots });
}
