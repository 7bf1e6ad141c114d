import type { FarmId } from '../../../src/core/ids.ts';
import { done, refused } from '../../../src/core/problems.ts';
import { put, remove } from '../../../src/core/records/change-set.ts';
import { SETTINGS } from '../../../src/core/records/settings-version.ts';
import { STORAGE_LIMITS, type StorageLocationRecord } from '../../../src/core/records/storage-location.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { CatalogMessage } from './messages.ts';
import type { CatalogContext, CatalogState } from './state.ts';
import { refusesOutdated } from '../refuse-outdated.ts';

export function onStorageCreate(
  state: CatalogState,
  { input, replyTo }: Extract<CatalogMessage, { type: 'storage.create' }>,
  context: CatalogContext,
): void {
  if (storageNamed(state, input.name) !== null) {
    context.reply(replyTo, nameTaken(input.name));
    return;
  }
  if (!fitsRootsLimit(state, null, input.roots)) {
    context.reply(replyTo, rootsLimitExceeded());
    return;
  }
  const { now } = context;
  const record = { version: 1, id: context.newId(), ...input, createdAt: now, updatedAt: now } as const;
  writeStorage(state, record, context);
  context.reply(replyTo, done(record));
}

export function onStorageReplace(
  state: CatalogState,
  { storageId, input, ifMatch, replyTo }: Extract<CatalogMessage, { type: 'storage.replace' }>,
  context: CatalogContext,
): void {
  const before = state.storage.get(storageId);
  if (before === undefined) {
    context.reply(replyTo, unknownStorage(storageId));
    return;
  }
  if (
    refusesOutdated('storage location', SETTINGS['storage location'](before), { ifMatch, replyTo }, context)
  )
    return;
  const namesake = storageNamed(state, input.name);
  if (namesake !== null && namesake.id !== storageId) {
    context.reply(replyTo, nameTaken(input.name));
    return;
  }
  if (!fitsRootsLimit(state, before, input.roots)) {
    context.reply(replyTo, rootsLimitExceeded());
    return;
  }
  const record = { ...before, ...input, updatedAt: context.now };
  writeStorage(state, record, context);
  context.reply(replyTo, done(record));
}

export function onStorageDelete(
  state: CatalogState,
  { storageId, ifMatch, replyTo }: Extract<CatalogMessage, { type: 'storage.delete' }>,
  context: CatalogContext,
): void {
  const before = state.storage.get(storageId);
  if (before === undefined) {
    context.reply(replyTo, unknownStorage(storageId));
    return;
  }
  if (
    refusesOutdated('storage location', SETTINGS['storage location'](before), { ifMatch, replyTo }, context)
  )
    return;
  state.storage.delete(storageId);
  context.change(remove('storageLocation', keys.storageLocation(storageId)));
  broadcastToAllFarms(state, context);
  context.reply(replyTo, done(null));
}

function writeStorage(state: CatalogState, record: StorageLocationRecord, context: CatalogContext): void {
  state.storage.set(record.id, record);
  context.change(put('storageLocation', keys.storageLocation(record.id), record));
  broadcastToAllFarms(state, context);
}

/** Sends all storage locations to the lease actor of a farm. */
export function broadcastStorageLocations(state: CatalogState, farm: FarmId, context: CatalogContext): void {
  context.effect({
    kind: 'forward',
    envelope: {
      actor: 'lease',
      id: farm,
      message: { type: 'storage.changed', storage: [...state.storage.values()] },
    },
  });
}

function broadcastToAllFarms(state: CatalogState, context: CatalogContext): void {
  for (const farm of state.names.keys()) broadcastStorageLocations(state, farm, context);
}

/** Reports whether all roots fit into a lease if these roots replace those of a location. */
function fitsRootsLimit(
  state: CatalogState,
  before: StorageLocationRecord | null,
  roots: StorageLocationRecord['roots'],
): boolean {
  let length = 0;
  for (const location of state.storage.values()) if (location !== before) length += lengthOf(location.roots);
  return length + lengthOf(roots) <= STORAGE_LIMITS.rootsLength;
}

const lengthOf = (roots: StorageLocationRecord['roots']): number =>
  roots.reduce((length, { root }) => length + root.length, 0);

function storageNamed(state: CatalogState, name: string): StorageLocationRecord | null {
  for (const storage of state.storage.values()) if (storage.name === name) return storage;
  return null;
}

const unknownStorage = (id: string) => refused('not-found', `there is no storage location ${id}`);

const rootsLimitExceeded = () =>
  refused(
    'conflict',
    `the roots of all storage locations together exceed ${STORAGE_LIMITS.rootsLength} characters; every lease contains them`,
  );

const nameTaken = (name: string) =>
  refused('conflict', `a storage location named ${JSON.stringify(name)} already exists`);
