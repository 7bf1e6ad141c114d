import { test } from 'tap';
import type { ProductParameter } from '../../../client/resources.ts';
import type { Sort } from '../../../web/parts/data-table/column.ts';
import { installText, missingPools, slotsError } from '../../../web/pages/presets/preset-texts.ts';
import { ruleTexts, valueText } from '../../../web/pages/products/parameter-texts.ts';
import {
  draftErrors,
  EMPTY_PRODUCT,
  nameFrom,
  rejectedDraft,
} from '../../../web/pages/products/product-draft.ts';
import {
  categoriesOf,
  shownProducts,
  type ListedProduct,
  type ProductFilters,
} from '../../../web/pages/products/shown-products.ts';

const product = (name: string, some: Partial<ListedProduct> = {}): ListedProduct => ({
  name,
  title: name,
  description: '',
  category: '',
  version: '',
  ...some,
});
const PRODUCTS = [
  product('blender/render', {
    title: 'Blender',
    description: 'Renders frames',
    category: '3D',
    version: '1.10.0',
  }),
  product('ffmpeg/encode', { title: 'Movie', category: 'Video', version: '1.9.0' }),
  product('script', { title: '<script>', updated_at: '2026-01-01T00:00:00Z' }),
];
const namesOf = (...[filters, sort]: [ProductFilters, Sort]): readonly string[] =>
  shownProducts(PRODUCTS, filters, sort).map(({ name }) => name);

test('products are searched by words, filtered by category, and sorted', (t) => {
  const byName = { key: 'name', dir: 'asc' } as const;
  t.same(namesOf({ search: 'FRAMES blender', category: '' }, byName), ['blender/render']);
  t.same(namesOf({ search: '<script>', category: '' }, byName), ['script']);
  t.same(namesOf({ search: 'render movie', category: '' }, byName), []);
  t.same(namesOf({ search: '', category: 'Video' }, byName), ['ffmpeg/encode']);
  t.same(namesOf({ search: '', category: '' }, { key: 'version', dir: 'desc' }), [
    'blender/render',
    'ffmpeg/encode',
    'script',
  ]);
  t.same(namesOf({ search: '', category: '' }, { key: 'updated_at', dir: 'desc' }).at(0), 'script');
  t.same(categoriesOf([...PRODUCTS, product('x', { category: '3D' })]), ['3D', 'Video']);
  t.end();
});

test('errors of a product are assigned to its fields and its template', (t) => {
  const own = draftErrors({ ...EMPTY_PRODUCT, name: 'A b', title: ' ', version: '1' });
  t.same([...own.keys()], ['name', 'title', 'version']);
  t.equal(own.get('title'), 'Enter a value.');
  t.equal(draftErrors({ ...EMPTY_PRODUCT, name: 'a/b', title: 'x' }).size, 0);
  const fields = rejectedDraft(400, [
    { pointer: '/title', detail: 'must not be blank' },
    { pointer: '/template', detail: 'must not be empty' },
  ]);
  t.same([...fields.fields], [['title', 'The title must not be blank.']]);
  t.same(fields.template, [{ detail: 'must not be empty' }]);
  const template = rejectedDraft(422, [
    { pointer: '/name', detail: 'is missing' },
    { pointer: '', detail: 'is not YAML', line: 2 },
  ]);
  t.equal(template.fields.size, 0, 'a name of the template is not the name of the product');
  t.same(template.template, [{ detail: '/name: is missing' }, { detail: 'is not YAML', line: 2, column: 1 }]);
  t.end();
});

test('a product name is made of the name of a job', (t) => {
  for (const [title, name] of [
    ['Shot 010: Beauty!', 'shot-010-beauty'],
    ['  --é--  ', 'e'],
    ['日本', ''],
    ['../../etc', 'etc'],
    [`${'a'.repeat(99)} b`, 'a'.repeat(99)],
  ] as const)
    t.equal(nameFrom(title), name);
  t.end();
});

const PARAMETER: ProductParameter = {
  name: 'P',
  type: 'INT',
  description: null,
  default: null,
  required: true,
  object_type: null,
  data_flow: null,
  user_interface: {
    control: 'SPIN_BOX',
    label: null,
    group_label: null,
    decimals: null,
    single_step_delta: null,
  },
  file_filters: null,
  file_filter_default: null,
  allowed_values: null,
  min_value: null,
  max_value: null,
  min_length: null,
  max_length: null,
  item: null,
};
const NO_RULES = {
  allowed_values: null,
  min_value: null,
  max_value: null,
  min_length: null,
  max_length: null,
};

test('rules and defaults of parameters are short texts', (t) => {
  t.same(ruleTexts(PARAMETER), []);
  t.same(ruleTexts({ ...PARAMETER, min_value: 1, max_value: '9223372036854775807' }), [
    '1 to 9223372036854775807',
  ]);
  t.same(
    ruleTexts({
      ...PARAMETER,
      type: 'LIST[STRING]',
      min_length: 1,
      item: { ...NO_RULES, max_length: 8, item: null },
      data_flow: 'OUT',
    }),
    ['at least 1 element', 'each at most 8 characters', 'written'],
  );
  t.same(ruleTexts({ ...PARAMETER, allowed_values: Array.from({ length: 14 }, (_, at) => at) }), [
    '0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 and 2 more',
  ]);
  t.equal(valueText(['a', 1, true]), '["a",1,true]');
  t.equal(valueText('<b>'), '<b>');
  t.equal(valueText(null), '');
  t.end();
});

test('missing usage pools and the state of a preset are found', (t) => {
  t.same(missingPools(['Maya', 'nuke'], [{ name: 'maya' }]), ['nuke']);
  for (const text of ['0', '-1', '1.5', 'x', '2147483648']) t.match(slotsError(text), /whole number/, text);
  for (const text of ['', ' ', '1', '2147483647']) t.equal(slotsError(text), '', text);
  const preset = {
    ...product('a', { version: '2.0.0' }),
    installed: true,
    installed_version: '1.0.0',
    update_available: true,
    usage_pools: [],
    tags: [],
  };
  t.equal(installText(preset), 'update to 2.0.0');
  t.equal(installText({ ...preset, update_available: false }), '1.0.0');
  t.equal(installText({ ...preset, installed: false, update_available: false }), 'not installed');
  t.equal(installText({ ...preset, installed_version: null, update_available: false }), 'installed');
  t.end();
});
