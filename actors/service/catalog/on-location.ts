import { done, refused } from '../../../src/core/problems.ts';
import { put, remove } from '../../../src/core/records/change-set.ts';
import {
  computeLocationNameWrong,
  type ComputeLocationRecord,
} from '../../../src/core/records/compute-location.ts';
import { SETTINGS } from '../../../src/core/records/settings-version.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { CatalogMessage, LocationInput } from './messages.ts';
import type { CatalogContext, CatalogState } from './state.ts';
import { refusesOutdated } from '../refuse-outdated.ts';

export function onLocationCreate(
  state: CatalogState,
  message: Extract<CatalogMessage, { type: 'location.create' }>,
  context: CatalogContext,
): void {
  const { input, replyTo } = message;
  if (locationNamed(state, input.name) !== null) context.reply(replyTo, nameTaken(input.name));
  else context.reply(replyTo, done(newLocation(state, input, context)));
}

export function onLocationReplace(
  state: CatalogState,
  message: Extract<CatalogMessage, { type: 'location.replace' }>,
  context: CatalogContext,
): void {
  const { locationId, input, replyTo } = message;
  const before = state.locations.get(locationId);
  if (before === undefined) {
    context.reply(replyTo, unknownLocation(locationId));
    return;
  }
  if (refusesOutdated('compute location', SETTINGS['compute location'](before), message, context)) return;
  const namesake = locationNamed(state, input.name);
  if (namesake !== null && namesake.id !== locationId) {
    context.reply(replyTo, nameTaken(input.name));
    return;
  }
  const record = { ...before, ...input, updatedAt: context.now };
  writeLocation(state, record, context);
  context.reply(replyTo, done(record));
}

/** Deletes only the entry. It reappears when a worker with the location registers. */
export function onLocationDelete(
  state: CatalogState,
  message: Extract<CatalogMessage, { type: 'location.delete' }>,
  context: CatalogContext,
): void {
  const { locationId, replyTo } = message;
  const before = state.locations.get(locationId);
  if (before === undefined) {
    context.reply(replyTo, unknownLocation(locationId));
    return;
  }
  if (refusesOutdated('compute location', SETTINGS['compute location'](before), message, context)) return;
  state.locations.delete(locationId);
  context.change(remove('computeLocation', keys.computeLocation(locationId)));
  context.reply(replyTo, done(null));
}

/** Adds a compute location that a worker reports, if it is new (docs/contract/rest.md#compute-locations). */
export function onLocationSeen(
  state: CatalogState,
  { name }: Extract<CatalogMessage, { type: 'location.seen' }>,
  context: CatalogContext,
): void {
  if (locationNamed(state, name) !== null) return;
  const wrong = computeLocationNameWrong(name);
  if (wrong === null) newLocation(state, { name, description: '' }, context);
  else context.log('warn', `ignored the compute location of a worker: its name ${wrong}`, { location: name });
}

function newLocation(
  state: CatalogState,
  input: LocationInput,
  context: CatalogContext,
): ComputeLocationRecord {
  const { now } = context;
  const record = { version: 1, id: context.newId(), ...input, createdAt: now, updatedAt: now } as const;
  writeLocation(state, record, context);
  return record;
}

function writeLocation(state: CatalogState, record: ComputeLocationRecord, context: CatalogContext): void {
  state.locations.set(record.id, record);
  context.change(put('computeLocation', keys.computeLocation(record.id), record));
}

function locationNamed(state: CatalogState, name: string): ComputeLocationRecord | null {
  for (const location of state.locations.values()) if (location.name === name) return location;
  return null;
}

const unknownLocation = (id: string) => refused('not-found', `there is no compute location ${id}`);

const nameTaken = (name: string) =>
  refused('conflict', `a compute location named ${JSON.stringify(name)} already exists`);
