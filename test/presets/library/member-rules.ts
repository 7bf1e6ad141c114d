import { parseMarkdown } from '../../../src/core/markdown/parse-markdown.ts';
import type { ProductTexts } from '../../../src/core/products/product-rules.ts';
import type { Preset } from './preset-files.ts';

const MEMBERS = ['name', 'title', 'description', 'category', 'version', 'readme', 'template'];
const CATEGORIES = ['3D', 'Compositing', 'Images', 'Video', 'Simulation', 'Pipelines', 'Checks', 'Files'];
const NAME = /^[a-z0-9][a-z0-9_-]*\/[a-z0-9][a-z0-9_-]*$/;
/** A released version. */
const VERSION = /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)$/;
const HEADINGS = ['## Needs', '## Success'];
/** Markdown that the pages show as plain text. */
const UNSUPPORTED: readonly (readonly [string, RegExp])[] = [
  ['a table', /^\s*\|.*\|\s*$/m],
  ['an image', /!\[/],
  ['HTML', /<[a-z/!][^>\n]*>/i],
  ['a nested list', /^ +(?:[-*+]|\d+\.) /m],
];

/** Returns what is wrong with the members of a preset (docs/contract/products.md#fields). */
export function memberProblems(preset: Preset): readonly string[] {
  const problems: string[] = [];
  if (preset.keys.join(' ') !== MEMBERS.join(' ')) {
    problems.push(`has the members ${preset.keys.join(', ')} instead of ${MEMBERS.join(', ')}`);
  }
  const text = (key: keyof ProductTexts): string => {
    const value = preset.definition[key];
    if (value.trim() === '') problems.push(`${key} is missing or empty`);
    return value;
  };
  const name = text('name');
  if (name !== preset.path) problems.push(`name is ${name}, and the file is ${preset.path}.yaml`);
  if (!NAME.test(name)) problems.push(`name ${name} is not of the form vendor/name`);
  if (/\n/.test(text('title'))) problems.push('title has several lines');
  if (/[\n`*#[\]]/.test(text('description').trim())) problems.push('description is not plain text');
  const category = text('category');
  if (!CATEGORIES.includes(category)) problems.push(`category ${category} is not in the list`);
  const version = text('version');
  if (!VERSION.test(version)) problems.push(`version ${version} is not a released version such as 1.2.0`);
  const readme = text('readme');
  return [...problems, ...readmeProblems(readme)];
}

function readmeProblems(readme: string): readonly string[] {
  const prose = readme.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');
  return [
    ...HEADINGS.filter((heading) => !readme.split('\n').includes(heading)).map(
      (heading) => `readme has no heading "${heading}"`,
    ),
    ...UNSUPPORTED.filter(([, pattern]) => pattern.test(prose)).map(([what]) => `readme contains ${what}`),
    ...shownMarkup(readme),
  ];
}

/** Markup that a reader would see as text. */
const MARKUP = /`|\*\*|\]\(|^#|^[-*+] /m;

/** Returns the texts of a rendered readme in which markup is left. */
const shownMarkup = (readme: string): readonly string[] =>
  parseMarkdown(readme)
    .flatMap((block) => {
      if (block.kind === 'code') return [];
      return block.kind === 'list' ? block.items.flat() : block.content;
    })
    .filter(({ kind, text }) => kind !== 'code' && MARKUP.test(text))
    .map(({ text }) => `readme shows the markup of ${JSON.stringify(text)}`);
