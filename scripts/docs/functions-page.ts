import { LIBRARY } from '../../src/openjd/expr/functions/library.ts';
import type { FunctionGroup, Signature } from '../../src/openjd/expr/functions/signature.ts';

/** Operators by the name of their function, with the positions of their operands. */
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ['__add__', '0 + 1'],
  ['__sub__', '0 - 1'],
  ['__mul__', '0 * 1'],
  ['__truediv__', '0 / 1'],
  ['__floordiv__', '0 // 1'],
  ['__mod__', '0 % 1'],
  ['__pow__', '0 ** 1'],
  ['__neg__', '-0'],
  ['__pos__', '+0'],
  ['__not__', 'not 0'],
  ['__eq__', '0 == 1'],
  ['__ne__', '0 != 1'],
  ['__lt__', '0 < 1'],
  ['__le__', '0 <= 1'],
  ['__gt__', '0 > 1'],
  ['__ge__', '0 >= 1'],
  ['__contains__', '1 in 0'],
  ['__not_contains__', '1 not in 0'],
]);
const SUBSCRIPT = '__getitem__';
const PROPERTY = /^__property_(.+)__$/;

/** Returns the notation in a template: `a + b`, `list[start:stop:step]`, `p.stem`, `find(s, sub)`. */
export function writtenForm({ name, parameters }: Signature): string {
  const names = parameters.map((parameter) => parameter.name);
  const [receiver = '', ...rest] = names;
  const operator = OPERATORS.get(name);
  if (operator !== undefined) return operator.replace(/[01]/g, (place) => names[Number(place)] ?? '');
  if (name === SUBSCRIPT) return `${receiver}[${rest.join(':')}]`;
  const property = PROPERTY.exec(name)?.[1];
  if (property !== undefined) return `${receiver}.${property}`;
  if (name.startsWith('__')) throw new Error(`an operator that no template can write: ${name}`);
  return `${name}(${names.join(', ')})`;
}

const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;

const typesOf = ({ text, name }: Signature): string =>
  code(text.slice(name.length).replace(/^\((.*)\) -> /, (_, list: string) => `${list} → `));

/** Returns the sentence without the notation at its beginning. */
function meaningOf(signature: Signature): string {
  const form = `\`${writtenForm(signature)}\``;
  if (!signature.doc.startsWith(form)) return signature.doc;
  const rest = signature.doc.slice(form.length).replace(/^[.:;,] ?/, '');
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** Returns a row for signatures with the same notation and meaning. Their types are below each other. */
function rowsOf({ signatures }: FunctionGroup): string[] {
  const rows: { readonly start: string; readonly types: string[]; readonly meaning: string }[] = [];
  for (const signature of signatures) {
    const [start, meaning] = [code(writtenForm(signature)), meaningOf(signature)];
    const last = rows.at(-1);
    if (last?.start === start && last.meaning === meaning) last.types.push(typesOf(signature));
    else rows.push({ start, types: [typesOf(signature)], meaning });
  }
  return rows.map(
    ({ start, types, meaning }) =>
      `| ${start} | ${types.join('<br>')} | ${meaning}${meaning === '' ? '' : ' '}|`,
  );
}

const groupOf = (group: FunctionGroup): string[] => [
  `## ${group.title}`,
  '',
  ...(group.hostOnly
    ? ['Only in fields that are resolved on the worker: there the host and its path mapping are known.', '']
    : []),
  '| Written | Types | Meaning |',
  '| --- | --- | --- |',
  ...rowsOf(group),
  '',
];

/** Returns the text of docs/expression-functions.md, made from the signatures by which expressions are checked and evaluated. */
export function functionsPage(): string {
  return [
    '# Functions of expressions',
    '',
    '<!-- Made by `npm run generate` from src/openjd/expr/functions. Do not edit by hand. -->',
    '',
    'Every operator, property and function of the [expression language](expressions.md), with its parameter and result types. `T`, `T1` and `T2`',
    'stand for any type, the same one wherever the letter occurs in a line; `int?` is an int or null.',
    '',
    'A function can be called as a method of its first argument: `upper(s)` is `s.upper()`. An int is accepted for a float and a path',
    'for a string, except as the receiver of a method.',
    '',
    ...LIBRARY.flatMap(groupOf),
  ].join('\n');
}
