import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readDefinition } from '../../../src/adapters/yaml/read-definition.ts';
import { readDocument } from '../../../src/adapters/yaml/read-document.ts';
import { EXPRESSIONS } from '../../../src/adapters/regex/default-expressions.ts';
import type { ProductDefinition } from '../../../src/core/products/product-definition.ts';
import type { DocumentNode } from '../../../src/openjd/primitives/document.ts';
import type { PointedError } from '../../../src/openjd/primitives/pointed-error.ts';
import { checkTemplate } from '../../../src/openjd/template/check-template.ts';
import { serviceFeatures } from '../../../src/openjd/template/extensions.ts';
import { TEMPLATE_LIMITS } from '../../../src/openjd/template/template-limits.ts';

/** The root of the repository, relative to the compiled file. */
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const PRESETS = join(ROOT, 'presets');

/** The texts of presets/kit, which presets carry as embedded files of these names. */
export const KIT: ReadonlyMap<string, string> = new Map(
  readdirSync(join(PRESETS, 'kit'))
    .filter((name) => name.endsWith('.py'))
    .map((name) => [name, readFileSync(join(PRESETS, 'kit', name), 'utf8')]),
);

/** The checker of rendered files, which Python runs. */
export const RENDERED_CODE = join(ROOT, 'test/presets/library/check-rendered.py');

/** The settings of `callsheet openjd check`, and the features that a submitted job may use. */
export const LANGUAGE = {
  limits: { ...TEMPLATE_LIMITS, maxTasksPerStep: Number.MAX_VALUE },
  supported: serviceFeatures([]),
  expressions: EXPRESSIONS,
};

type Checked = Extract<ReturnType<typeof checkTemplate>, { readonly ok: true }>['template'];

/** A preset file, read as the service reads it. */
export interface Preset {
  /** Path below `presets`, without its ending: the name that the preset must have. */
  readonly path: string;
  /** Names of the members in the order of the file. */
  readonly keys: readonly string[];
  readonly definition: ProductDefinition;
  /** The template as it is stored with an installed product. */
  readonly document: DocumentNode;
  readonly template: Checked;
}

type ReadPreset =
  | { readonly ok: true; readonly preset: Preset }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Returns the paths of all preset files below `presets`, without their ending, in order. */
export const presetPaths = (): readonly string[] =>
  readdirSync(PRESETS, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => name.slice(0, -'.yaml'.length))
    .sort();

export const presetText = (path: string): string => readFileSync(join(PRESETS, `${path}.yaml`), 'utf8');

/** Reads the text of a preset file and checks its template. Problems: errors of the file or the template. */
export function readPreset(path: string, text: string): ReadPreset {
  const file = readDocument(text, 'yaml');
  if (!file.ok) return refused(file.errors);
  const read = readDefinition(text);
  if (!read.ok) return refused(read.errors);
  const { definition } = read;
  const template = readDocument(definition.template, definition.format);
  if (!template.ok) return refused(template.errors);
  const checked = checkTemplate(template.document, LANGUAGE);
  if (!checked.ok) return refused(checked.errors);
  const keys = file.document.kind === 'mapping' ? file.document.entries.map(({ key }) => key) : [];
  return {
    ok: true,
    preset: { path, keys, definition, document: template.document, template: checked.template },
  };
}

const refused = (errors: readonly PointedError[]): ReadPreset => ({
  ok: false,
  problems: errors.map(({ line, pointer, detail }) => `line ${line}, ${pointer}: ${detail}`),
});
