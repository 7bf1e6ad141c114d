import { refused, done } from '../../../src/core/problems.ts';
import { put, remove } from '../../../src/core/records/change-set.ts';
import { REVISIONS_MAX, type ProductRecord } from '../../../src/core/records/product.ts';
import { SETTINGS } from '../../../src/core/records/settings-version.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { CatalogMessage } from './messages.ts';
import type { CatalogContext, CatalogState } from './state.ts';
import { refusesOutdated } from '../refuse-outdated.ts';

/** Maximum number of stored products: lists contain all of them. */
const PRODUCTS_MAX = 10_000;

export function onProductCreate(
  state: CatalogState,
  { definition, source, savedBy, replyTo }: Extract<CatalogMessage, { type: 'product.create' }>,
  context: CatalogContext,
): void {
  if (state.products.has(definition.name)) {
    context.reply(replyTo, refused('conflict', `a product named ${definition.name} already exists`));
    return;
  }
  if (state.products.size >= PRODUCTS_MAX) {
    const detail = `there are ${PRODUCTS_MAX} products already; delete one first`;
    context.reply(replyTo, refused('conflict', detail));
    return;
  }
  const { now } = context;
  const record: ProductRecord = {
    version: 1,
    definition,
    source,
    savedBy,
    revision: 1,
    createdAt: now,
    updatedAt: now,
  };
  writeProduct(state, record, context);
  context.reply(replyTo, done(record));
}

export function onProductReplace(
  state: CatalogState,
  { definition, source, savedBy, ifMatch, replyTo }: Extract<CatalogMessage, { type: 'product.replace' }>,
  context: CatalogContext,
): void {
  const { name } = definition;
  const before = state.products.get(name);
  if (before === undefined) {
    context.reply(replyTo, unknownProduct(name));
    return;
  }
  if (before.source !== source) {
    context.reply(replyTo, source === 'custom' ? notEditable(name) : notInstalled(name));
    return;
  }
  if (refusesOutdated('product', SETTINGS.product(before), { ifMatch, replyTo }, context)) return;
  const record: ProductRecord = {
    version: 1,
    definition,
    source,
    savedBy,
    revision: before.revision + 1,
    createdAt: before.createdAt,
    updatedAt: context.now,
  };
  writeProduct(state, record, context);
  if (record.revision > REVISIONS_MAX)
    context.change(remove('productRevision', keys.productRevision(name, record.revision - REVISIONS_MAX)));
  context.reply(replyTo, done(record));
}

export function onProductDelete(
  state: CatalogState,
  { name, ifMatch, replyTo }: Extract<CatalogMessage, { type: 'product.delete' }>,
  context: CatalogContext,
): void {
  const before = state.products.get(name);
  if (before === undefined) {
    context.reply(replyTo, unknownProduct(name));
    return;
  }
  if (refusesOutdated('product', SETTINGS.product(before), { ifMatch, replyTo }, context)) return;
  state.products.delete(name);
  context.change(remove('product', keys.product(name)));
  const first = Math.max(1, before.revision - REVISIONS_MAX + 1);
  for (let revision = first; revision <= before.revision; revision += 1)
    context.change(remove('productRevision', keys.productRevision(name, revision)));
  context.reply(replyTo, done(null));
}

function writeProduct(state: CatalogState, record: ProductRecord, context: CatalogContext): void {
  const { revision, source, createdAt, definition } = record;
  const { name } = definition;
  state.products.set(name, { revision, source, createdAt });
  context.change(put('product', keys.product(name), record));
  context.change(put('productRevision', keys.productRevision(name, revision), record));
}

const unknownProduct = (name: string) => refused('not-found', `no product ${name}`);

const notEditable = (name: string) =>
  refused(
    'forbidden',
    `product ${name} was installed from the preset library; save it under another name to change it`,
  );

const notInstalled = (name: string) =>
  refused('conflict', `product ${name} was not installed from the preset library, so it has no update`);
