import { findingsText } from '../../cli/openjd/findings-text.ts';
import { EXPRESSIONS } from '../../src/adapters/regex/default-expressions.ts';
import { readDocument } from '../../src/adapters/yaml/read-document.ts';
import type { PointedError } from '../../src/openjd/primitives/pointed-error.ts';
import { checkTemplate } from '../../src/openjd/template/check-template.ts';
import { prepareJob } from '../../src/openjd/template/expand/prepare-job.ts';
import { MISTAKES, TEMPLATE, type Mistake } from './template-mistakes.ts';

const FILE = 'shot.yaml';

/** Returns the template with a mistake. */
export const textOf = ({ edits }: Mistake): string =>
  edits.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the template has no ${JSON.stringify(from)}`);
    return text.replace(from, () => to);
  }, TEMPLATE);

/** Returns what `callsheet openjd check` prints for a template with a mistake. */
function outputOf(mistake: Mistake): string {
  const text = textOf(mistake);
  const errors = errorsOf(text, mistake.values);
  if (errors.length === 0) throw new Error(`this is not a mistake: ${mistake.title}`);
  return findingsText({ name: FILE, text }, errors, false);
}

export function errorsOf(text: string, values: Mistake['values']): readonly PointedError[] {
  const read = readDocument(text, 'yaml');
  if (!read.ok) return read.errors;
  const options = { expressions: EXPRESSIONS };
  const checked = checkTemplate(read.document, options);
  if (!checked.ok) return checked.errors;
  if (values === undefined) return [];
  const prepared = prepareJob(read.document, new Map(Object.entries(values)), options);
  return prepared.ok ? [] : prepared.errors;
}

const commandOf = ({ values }: Mistake): string =>
  [
    'callsheet openjd check',
    FILE,
    ...Object.entries(values ?? {}).map(([name, value]) => `-p ${name}=${value}`),
  ].join(' ');

function sectionOf(mistake: Mistake): readonly string[] {
  return [`${mistake.title}:`, '', '```', `$ ${commandOf(mistake)}`, outputOf(mistake), '```', ''];
}

/** Returns the text of docs/template-mistakes.md, made from the templates and from what the checker prints for them. */
export function mistakesPage(): string {
  return [
    '# Fifty mistakes in templates',
    '',
    '<!-- Made by `npm run generate` from scripts/docs/template-mistakes.ts. Do not edit by hand. -->',
    '',
    'The most common mistakes in [OpenJD templates](openjd.md), each with the output of the command. Every error has file, line and column, the JSON pointer of the',
    'affected part, and says what to write instead. A service returns the same errors for a submission; of the extensions it names those that it accepts. Each mistake changes',
    'one place of this template:',
    '',
    '```yaml',
    TEMPLATE.trimEnd(),
    '```',
    '',
    ...MISTAKES.flatMap(({ title, mistakes }) => [`## ${title}`, '', ...mistakes.flatMap(sectionOf)]),
  ].join('\n');
}
