import { done, refused } from '../../src/core/problems.ts';
import { put, remove } from '../../src/core/records/change-set.ts';
import type { StorageLocationRecord } from '../../src/core/records/storage-location.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { CatalogMessage } from './messages.ts';
import type { CatalogContext, CatalogState } from './state.ts';

export function onStorageCreate(
  state: CatalogState,
  { input, replyTo }: Extract<CatalogMessage, { type: 'storage.create' }>,
  context: CatalogContext,
): void {
  if (storageNamed(state, input.name) !== null) {
    context.reply(replyTo, nameTaken(input.name));
    return;
  }
  const { now } = context;
  const record = { version: 1, id: context.newId(), ...input, createdAt: now, updatedAt: now } as const;
  writeStorage(state, record, context);
  context.reply(replyTo, done(record));
}

export function onStorageReplace(
  state: CatalogState,
  { storageId, input, replyTo }: Extract<CatalogMessage, { type: 'storage.replace' }>,
  context: CatalogContext,
): void {
  const before = state.storage.get(storageId);
  if (before === undefined) {
    context.reply(replyTo, unknownStorage(storageId));
    return;
  }
  const namesake = storageNamed(state, input.name);
  if (namesake !== null && namesake.id !== storageId) {
    context.reply(replyTo, nameTaken(input.name));
    return;
  }
  const record = { ...before, ...input, updatedAt: context.now };
  writeStorage(state, record, context);
  context.reply(replyTo, done(record));
}

export function onStorageDelete(
  state: CatalogState,
  { storageId, replyTo }: Extract<CatalogMessage, { type: 'storage.delete' }>,
  context: CatalogContext,
): void {
  if (!state.storage.delete(storageId)) {
    context.reply(replyTo, unknownStorage(storageId));
    return;
  }
  context.change(remove('storageLocation', keys.storageLocation(storageId)));
  context.reply(replyTo, done(null));
}

function writeStorage(state: CatalogState, record: StorageLocationRecord, context: CatalogContext): void {
  state.storage.set(record.id, record);
  context.change(put('storageLocation', keys.storageLocation(record.id), record));
}

function storageNamed(state: CatalogState, name: string): StorageLocationRecord | null {
  for (const storage of state.storage.values()) if (storage.name === name) return storage;
  return null;
}

const unknownStorage = (id: string) => refused('not-found', `there is no storage location ${id}`);

const nameTaken = (name: string) =>
  refused('conflict', `there is a storage location named ${JSON.stringify(name)} already`);
