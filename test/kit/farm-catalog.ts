import {
  CATALOG_ID,
  type CatalogMessage,
  type LocationInput,
  type StorageInput,
  type PoolInput,
  type TokenInput,
} from '../../actors/service/catalog/messages.ts';
import { replyTo } from '../../actors/kernel/address.ts';
import type { Namesake } from '../../src/core/bus-identity/join-decision.ts';
import type { WorkerId } from '../../src/core/ids.ts';
import type { JoinTokenRecord } from '../../src/core/records/join-token.ts';
import type { WorkerCredentialRecord } from '../../src/core/records/worker-credential.ts';
import type { ComputeLocationRecord } from '../../src/core/records/compute-location.ts';
import type { ProductRecord } from '../../src/core/records/product.ts';
import type { StorageLocationRecord } from '../../src/core/records/storage-location.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { UsagePoolRecord } from '../../src/core/records/usage-pool.ts';
import { TestFarmRows } from './farm-rows.ts';

/** Catalog messages of a test farm about pools, compute and storage locations and products, and the stored rows. */
export abstract class TestFarmCatalog extends TestFarmRows {
  /** Returns the usage pools, sorted by name. */
  pools(): UsagePoolRecord[] {
    return [...this.store.scan('usagePool')].map((row) => row.value).sort(byName);
  }

  pool(name: string): UsagePoolRecord {
    return found(this.pools(), name);
  }

  /** Creates a usage pool, by default with one slot. */
  createPool(name: string, some: Partial<PoolInput> = {}): void {
    const input = { name, maxConcurrent: 1, serverHint: '', ...some };
    this.sendToCatalog({ type: 'pool.create', input, replyTo: replyTo(`create pool ${name}`) });
  }

  /** Replaces all settings of a pool, which is given by name or by an unknown ID. */
  replacePool(name: string, some: Partial<PoolInput> = {}): void {
    const input = { name, maxConcurrent: 1, serverHint: '', ...some };
    const poolId = this.pools().find((pool) => pool.name === name)?.id ?? name;
    this.sendToCatalog({ type: 'pool.replace', poolId, input, replyTo: replyTo(`replace pool ${name}`) });
  }

  deletePool(name: string): void {
    const poolId = this.pools().find((pool) => pool.name === name)?.id ?? name;
    this.sendToCatalog({ type: 'pool.delete', poolId, replyTo: replyTo(`delete pool ${name}`) });
  }

  /** Returns the compute locations, sorted by name. */
  locations(): ComputeLocationRecord[] {
    return [...this.store.scan('computeLocation')].map((row) => row.value).sort(byName);
  }

  location(name: string): ComputeLocationRecord {
    return found(this.locations(), name);
  }

  createLocation(name: string, some: Partial<LocationInput> = {}): void {
    const input = { name, description: '', ...some };
    this.sendToCatalog({ type: 'location.create', input, replyTo: replyTo(`create location ${name}`) });
  }

  /** Replaces all settings of a location, which is given by name or by an unknown ID. */
  replaceLocation(name: string, some: Partial<LocationInput> = {}): void {
    const input = { name, description: '', ...some };
    const locationId = this.locations().find((location) => location.name === name)?.id ?? name;
    this.sendToCatalog({
      type: 'location.replace',
      locationId,
      input,
      replyTo: replyTo(`replace location ${name}`),
    });
  }

  deleteLocation(name: string): void {
    const locationId = this.locations().find((location) => location.name === name)?.id ?? name;
    this.sendToCatalog({ type: 'location.delete', locationId, replyTo: replyTo(`delete location ${name}`) });
  }

  /** Returns the storage locations, sorted by name. */
  storage(): StorageLocationRecord[] {
    return [...this.store.scan('storageLocation')].map((row) => row.value).sort(byName);
  }

  createStorage(name: string, some: Partial<StorageInput> = {}): void {
    const input = { name, description: '', roots: [], ...some };
    this.sendToCatalog({ type: 'storage.create', input, replyTo: replyTo(`create storage ${name}`) });
  }

  /** Replaces all settings of a storage location, which is given by name or by an unknown ID. */
  replaceStorage(name: string, some: Partial<StorageInput> = {}): void {
    const input = { name, description: '', roots: [], ...some };
    const storageId = this.storage().find((storage) => storage.name === name)?.id ?? name;
    this.sendToCatalog({
      type: 'storage.replace',
      storageId,
      input,
      replyTo: replyTo(`replace storage ${name}`),
    });
  }

  deleteStorage(name: string): void {
    const storageId = this.storage().find((storage) => storage.name === name)?.id ?? name;
    this.sendToCatalog({ type: 'storage.delete', storageId, replyTo: replyTo(`delete storage ${name}`) });
  }

  /** Returns the stored products by name. */
  products(): ProductRecord[] {
    return [...this.store.scan('product')].map((row) => row.value);
  }

  /** Returns the numbers of the stored revisions of a product, in order. */
  productRevisions(name: string): number[] {
    return [...this.store.scan('productRevision', { prefix: keys.productRevisionsOf(name) })].map(
      (row) => row.value.revision,
    );
  }

  /** Creates or replaces a product, by default as a custom one. */
  saveProduct(
    type: 'product.create' | 'product.replace',
    name: string,
    { title = name, source = 'custom' }: Partial<{ title: string; source: ProductRecord['source'] }> = {},
  ): void {
    const texts = { description: '', readme: '', category: '', version: '' };
    const definition = { name, title, ...texts, template: 'name: x', format: 'yaml' } as const;
    const what = type === 'product.create' ? 'create' : 'replace';
    this.sendToCatalog({
      type,
      definition,
      source,
      savedBy: 'ada',
      replyTo: replyTo(`${what} product ${name}`),
    });
  }

  deleteProduct(name: string): void {
    this.sendToCatalog({ type: 'product.delete', name, replyTo: replyTo(`delete product ${name}`) });
  }

  /** Creates a join token and returns it as stored. */
  createToken(some: Partial<TokenInput> = {}): JoinTokenRecord {
    const known = new Set(this.tokens().map(({ id }) => id));
    const input = {
      digest: 'd',
      farmId: null,
      tags: {},
      uses: 1,
      createdBy: 'ada',
      lifetimeMs: 3_600_000,
      ...some,
    };
    this.sendToCatalog({ type: 'token.create', input, replyTo: replyTo('create token') });
    const made = this.tokens().find(({ id }) => !known.has(id));
    if (made === undefined) throw new Error('no token was created');
    return made;
  }

  tokens(): JoinTokenRecord[] {
    return [...this.store.scan('joinToken')].map((row) => row.value);
  }

  credentials(): WorkerCredentialRecord[] {
    return [...this.store.scan('workerCredential')].map((row) => row.value);
  }

  revokeToken(tokenId: string): void {
    this.sendToCatalog({ type: 'token.revoke', tokenId, replyTo: replyTo('revoke token') });
  }

  /** A worker joins with a key and a token. Keys are valid for an hour. */
  join(name: string, key: string, tokenId: string, namesakes: readonly Namesake[] = []): void {
    const request = { tokenId, name, key, namesakes, lifetimeMs: 3_600_000 };
    this.sendToCatalog({ type: 'credential.join', request, replyTo: replyTo(`join ${name}`) });
  }

  /** Renews or confirms the credential of a worker. */
  renew(id: WorkerId, by: string, key: string): void {
    const message = { workerId: id, by, key, lifetimeMs: 3_600_000 } as const;
    this.sendToCatalog({ type: 'credential.renew', ...message, replyTo: replyTo(`renew ${key}`) });
  }

  confirm(id: WorkerId, key: string): void {
    this.sendToCatalog({ type: 'credential.confirm', workerId: id, key, replyTo: replyTo(`confirm ${key}`) });
  }

  revokeCredential(id: WorkerId): void {
    this.sendToCatalog({ type: 'credential.revoke', workerId: id, replyTo: replyTo('revoke credential') });
  }

  private sendToCatalog(message: CatalogMessage): void {
    this.send({ actor: 'catalog', id: CATALOG_ID, message });
  }
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : 1;

function found<Item extends { readonly name: string }>(items: readonly Item[], name: string): Item {
  const item = items.find((each) => each.name === name);
  if (item === undefined) throw new Error(`there is no ${name}`);
  return item;
}
