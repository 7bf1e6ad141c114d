import type { DescribedProduct } from '../../src/core/products/product-library.ts';
import { presetDetailView, presetView, storedProductView } from '../views/product-view.ts';
import { sortedBy } from '../views/page-view.ts';
import { replaced } from './catalog-replies.ts';
import { notFound, problem, type Handler } from './operation.ts';
import { createdProduct, findProduct, saveProduct, storedProduct } from './products.ts';

/** Routes of the preset library (docs/contract/products.md#presets). */

export const listPresets: Handler<'listPresets'> = async (_call, ports) => {
  const presets = [...(await ports.products.presets()).values()];
  const views = presets.map((preset) => presetView(preset, storedProduct(nameOf(preset), ports)));
  return { kind: 'json', status: 200, body: sortedBy(views, (preset) => preset.name, 'asc') };
};

export const getPreset: Handler<'getPreset'> = async ({ path }, ports) => {
  const preset = (await ports.products.presets()).get(path.name);
  if (preset === undefined) return notFound('preset', path.name);
  const body = presetDetailView(preset, storedProduct(path.name, ports));
  return { kind: 'json', status: 200, body };
};

export const installPreset: Handler<'installPreset'> = async (call, ports) => {
  const { name } = call.path;
  const preset = (await ports.products.presets()).get(name);
  if (preset === undefined) return notFound('preset', name);
  if ((await findProduct(name, ports)) !== null)
    return problem('conflict', `a product named ${name} already exists`);
  const { definition } = preset;
  return saveProduct(
    { type: 'product.create', definition, source: 'installed' },
    call,
    ports,
    createdProduct,
  );
};

export const updatePreset: Handler<'updatePreset'> = async (call, ports) => {
  const { name } = call.path;
  const preset = (await ports.products.presets()).get(name);
  if (preset === undefined) return notFound('preset', name);
  const { definition } = preset;
  return saveProduct({ type: 'product.replace', definition, source: 'installed' }, call, ports, (outcome) =>
    replaced(outcome, storedProductView),
  );
};

const nameOf = ({ definition }: DescribedProduct): string => definition.name;
