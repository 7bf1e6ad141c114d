import { SETTINGS, type IfMatch } from '../../src/core/records/settings-version.ts';
import { ifMatchOf, versionHeaders } from './if-match.ts';
import type { CatalogMessage } from '../../actors/service/catalog/messages.ts';
import type { ProductDefinition } from '../../src/core/products/product-definition.ts';
import type { RetryRule } from '../../src/core/retry-rules/retry-rule.ts';
import type { Outcome } from '../../src/core/problems.ts';
import type { ProductRecord } from '../../src/core/records/product.ts';
import { keys } from '../../src/core/records/tables.ts';
import { pointedProblem } from '../problems.ts';
import type { Description, Ports } from '../ports.ts';
import {
  productRevisionView,
  productView,
  storedProductView,
  type AnyProduct,
} from '../views/product-view.ts';
import type { Schemas } from '../views/schemas.ts';
import { askCatalog, deleted, replaced } from './catalog-replies.ts';
import { unevaluated } from './evaluation-replies.ts';
import { sentRetryRules, type SentRules } from './sent-retry-rules.ts';
import { notFound, problem, type Call, type Handler, type ProblemReply } from './operation.ts';

/** Routes of products (docs/contract/products.md#routes). */

export const listProducts: Handler<'listProducts'> = async ({ query }, ports) => {
  const builtIns = await ports.products.builtIns();
  return { kind: 'kept-json', json: ports.productList.bytes(builtIns, ports.store, query.summary ?? false) };
};

export const getProduct: Handler<'getProduct'> = async ({ path }, ports) => {
  const product = await findProduct(path.name, ports);
  if (product === null) return notFound('product', path.name);
  return {
    kind: 'json',
    status: 200,
    body: productView(product),
    ...(product.kind === 'stored' && { headers: versionHeaders(SETTINGS.product(product.record)) }),
  };
};

export const createProduct: Handler<'createProduct'> = async (call, ports) => {
  const { body } = call;
  const builtIns = await ports.products.builtIns();
  if (builtIns.has(body.name)) return problem('conflict', `${body.name} is the name of a built-in product`);
  if (ports.store.get('product', keys.product(body.name)) !== undefined)
    return problem('conflict', `a product named ${body.name} already exists`);
  const rules = sentRetryRules(body, ports);
  if (!rules.ok) return { kind: 'problem', problem: rules.problem };
  const definition = definitionFrom(body.name, body, rules.value, undefined);
  return saveProduct({ type: 'product.create', definition, source: 'custom' }, call, ports, createdProduct);
};

/** Product to be created or replaced. */
type SavedProduct = Pick<
  Extract<CatalogMessage, { type: 'product.create' | 'product.replace' }>,
  'type' | 'definition' | 'source'
> & { readonly ifMatch?: IfMatch };

/** Checks a template, and stores the product if it is valid. `shown` makes the reply. */
export async function saveProduct<Shown>(
  product: SavedProduct,
  { client, principal }: Pick<Call<'createProduct'>, 'client' | 'principal'>,
  ports: Ports,
  shown: (outcome: Outcome<ProductRecord>) => Shown,
): Promise<Shown | ProblemReply> {
  const { template, format } = product.definition;
  const described = await ports.describeTemplate({ client: client(), text: template, format });
  if (!described.ok) return notDescribed(described);
  const saved = { ...product, savedBy: principal.username };
  return shown(await changeProduct<ProductRecord>(ports, (replyTo) => ({ ...saved, replyTo })));
}

/** Sends a change of a product to the catalog actor. */
async function changeProduct<Answer>(
  ports: Ports,
  make: Parameters<typeof askCatalog<Answer>>[1],
): Promise<Outcome<Answer>> {
  const outcome = await askCatalog(ports, make);
  ports.productList.changed();
  return outcome;
}

/** Returns 201 with the new product. */
export const createdProduct = (outcome: Outcome<ProductRecord>) =>
  outcome.ok
    ? ({
        kind: 'json',
        status: 201,
        body: storedProductView(outcome.value),
        location: `/api/v1/products/${outcome.value.definition.name}`,
      } as const)
    : ({ kind: 'problem', problem: outcome.problem } as const);

export const replaceProduct: Handler<'replaceProduct'> = async (call, ports) => {
  const { path, body } = call;
  const product = await findProduct(path.name, ports);
  if (product === null) return notFound('product', path.name);
  if (product.kind === 'builtin') return builtInRefused(path.name, 'changed');
  if (product.record.source === 'installed') {
    const detail = `product ${path.name} was installed from the preset library; save it under another name to change it`;
    return problem('forbidden', detail);
  }
  const rules = sentRetryRules(body, ports);
  if (!rules.ok) return { kind: 'problem', problem: rules.problem };
  const definition = definitionFrom(path.name, body, rules.value, product.record.definition.retryRules);
  const change = { type: 'product.replace', definition, source: 'custom', ...ifMatchOf(call) } as const;
  return saveProduct(change, call, ports, (outcome) =>
    replaced(outcome, storedProductView, SETTINGS.product),
  );
};

export const deleteProduct: Handler<'deleteProduct'> = async ({ path, headers }, ports) => {
  const product = await findProduct(path.name, ports);
  if (product === null) return notFound('product', path.name);
  if (product.kind === 'builtin') return builtInRefused(path.name, 'deleted');
  const outcome = await changeProduct<null>(ports, (replyTo) => ({
    type: 'product.delete',
    name: path.name,
    ...ifMatchOf({ headers }),
    replyTo,
  }));
  return deleted(outcome);
};

export const listProductParameters: Handler<'listProductParameters'> = async (call, ports) => {
  const { name } = call.path;
  const builtIn = (await ports.products.builtIns()).get(name);
  if (builtIn !== undefined) return { kind: 'json', status: 200, body: [...builtIn.description.parameters] };
  const record = storedProduct(name, ports);
  if (record === undefined) return notFound('product', name);
  const { template, format } = record.definition;
  const described = await ports.describeTemplate({ client: call.client(), text: template, format });
  if (!described.ok) return notDescribed(described);
  return { kind: 'json', status: 200, body: [...described.description.parameters] };
};

export const listProductRevisions: Handler<'listProductRevisions'> = async ({ path }, ports) => {
  const product = await findProduct(path.name, ports);
  if (product === null) return notFound('product', path.name);
  const revisions =
    product.kind === 'builtin'
      ? []
      : [...ports.store.scan('productRevision', { prefix: keys.productRevisionsOf(path.name) })];
  return {
    kind: 'json',
    status: 200,
    body: revisions.map(({ value }) => productRevisionView(value)).reverse(),
  };
};

/** Returns the product of a name, or null: a built-in product hides a stored one. */
export async function findProduct(
  name: string,
  ports: Pick<Ports, 'products' | 'store'>,
): Promise<AnyProduct | null> {
  const builtIn = (await ports.products.builtIns()).get(name);
  if (builtIn !== undefined) return { kind: 'builtin', definition: builtIn.definition };
  const record = storedProduct(name, ports);
  return record === undefined ? null : { kind: 'stored', record };
}

export const storedProduct = (name: string, { store }: Pick<Ports, 'store'>): ProductRecord | undefined =>
  store.get('product', keys.product(name));

/** Returns the reply to a request whose template is invalid or has no verdict. */
const notDescribed = (described: Extract<Description, { ok: false }>): ProblemReply =>
  'errors' in described
    ? { kind: 'problem', problem: pointedProblem('unprocessable', described.errors) }
    : unevaluated(described);

/** Returns the definition in a body. Rules that the client does not send stay those of `before`. */
const definitionFrom = (
  name: string,
  body: Schemas['ProductReplacement'],
  sent: SentRules,
  before: ProductDefinition['retryRules'],
): ProductDefinition => ({
  name,
  title: body.title,
  description: body.description ?? '',
  readme: body.readme ?? '',
  category: body.category ?? '',
  version: body.version ?? '',
  template: body.template,
  format: body.format ?? 'yaml',
  ...withRules(sent.retryRules ?? before ?? []),
});

const withRules = (rules: readonly RetryRule[]): Pick<ProductDefinition, 'retryRules'> =>
  rules.length === 0 ? {} : { retryRules: rules };

const builtInRefused = (name: string, change: 'changed' | 'deleted'): ProblemReply =>
  problem('forbidden', `${name} is a built-in product and cannot be ${change}; save it under another name`);
