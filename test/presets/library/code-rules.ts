import { parseExprFormat, type ExprFormat } from '../../../src/openjd/expr/format/format-string.ts';
import type { Expr } from '../../../src/openjd/expr/syntax/tree.ts';
import type { EmbeddedFileShape } from '../../../src/openjd/template/shape/template-shape.ts';
import { KIT, type Preset } from './preset-files.ts';
import { actionsOf } from './work-rules.ts';

const WATCH_FILE = 'callsheet_watch.py';
/** The function that makes a value safe in a file with this ending. */
const NOTATIONS: readonly (readonly [ending: string, notation: string])[] = [
  ['.py', 'repr_py'],
  ['.json', 'repr_json'],
];
const SHELLS = ['sh', 'bash', 'zsh', 'dash', 'cmd', 'cmd.exe', 'powershell', 'pwsh', 'env'];
/** Calls of Python that give a text to a shell or run it as code. */
const RUNS_TEXT =
  /\bshell\s*=\s*True\b|\bos\s*\.\s*(?:system|popen)\b|\bgetoutput\b|\bgetstatusoutput\b|\b(?:eval|exec)\s*\(/;

/** A file of a script, with the owner for messages. */
interface OwnedFile {
  readonly owner: string;
  readonly name: string;
  readonly filename: string;
  readonly data: string;
}

/** Returns the embedded files of all steps and environments. */
function filesOf({ template: { shape } }: Preset): readonly OwnedFile[] {
  const owned = (owner: string, files: readonly EmbeddedFileShape[]): OwnedFile[] =>
    files.map(({ name, filename, data }) => ({
      owner,
      name: name?.value ?? '',
      filename: filename?.value ?? '',
      data: data?.value ?? '',
    }));
  const environments = [...shape.jobEnvironments, ...shape.steps.flatMap((step) => step.environments)];
  return [
    ...shape.steps.flatMap(({ name, embeddedFiles }) => owned(name?.value ?? '', embeddedFiles)),
    ...environments.flatMap(({ name, embeddedFiles }) => owned(name?.value ?? '', embeddedFiles)),
  ];
}

/** Returns the parsed format string of a checked template. */
export function formatOf(text: string): ExprFormat {
  const parsed = parseExprFormat(text);
  if (!parsed.ok) throw new Error(`a checked template has a format string that cannot be parsed`);
  return parsed.format;
}

/** Returns the argument of a call of one of the notations, such as `repr_py(x)` or `x.repr_py()`; null for others. */
export function representedIn(expr: Expr): { readonly notation: string; readonly value: Expr } | null {
  if (expr.kind === 'call' && expr.args.length === 1 && expr.args[0] !== undefined) {
    return { notation: expr.name, value: expr.args[0] };
  }
  return expr.kind === 'method' && expr.args.length === 0
    ? { notation: expr.name, value: expr.receiver }
    : null;
}

/** Returns the places where a value of a job could become code, and where a shell runs. */
export function codeProblems(preset: Preset): readonly string[] {
  return [
    ...filesOf(preset).flatMap((file) =>
      fileProblems(file).map((text) => `${file.owner}, ${file.filename}: ${text}`),
    ),
    ...actionsOf(preset).flatMap(([place, { command, args }]) =>
      [...commandProblems(command?.value ?? ''), ...args.flatMap(({ value }) => argumentProblems(value))].map(
        (text) => `${place}: ${text}`,
      ),
    ),
  ];
}

function fileProblems({ filename, data }: OwnedFile): readonly string[] {
  const notation = NOTATIONS.find(([ending]) => filename.endsWith(ending))?.[1];
  if (notation === undefined) return ['is not a file of Python or JSON'];
  if (KIT.has(filename) && data.trim() !== KIT.get(filename)?.trim()) {
    return ['differs from presets/kit: run node scripts/presets.js --sync'];
  }
  const bare = formatOf(data).parts.flatMap((part) => {
    if (part.kind === 'text') return [];
    const source = data.slice(part.expr.start, part.expr.end);
    return representedIn(part.expr)?.notation === notation
      ? []
      : [`{{${source}}} is not within ${notation}()`];
  });
  const shell = filename === WATCH_FILE ? null : RUNS_TEXT.exec(data);
  return [...bare, ...(shell === null ? [] : [`runs a text as code: ${shell[0]}`])];
}

const commandProblems = (command: string): readonly string[] =>
  SHELLS.includes(command.split(/[/\\]/).at(-1) ?? '') ||
  formatOf(command).parts.some(({ kind }) => kind !== 'text')
    ? [`the command ${command} is a shell or depends on a value`]
    : [];

function argumentProblems(argument: string): readonly string[] {
  const { parts } = formatOf(argument);
  const isWhole = parts.length === 1 || parts.every(({ kind }) => kind === 'text');
  return [
    ...(isWhole ? [] : [`the argument ${argument} joins a value with other text`]),
    ...(argument === '-c' ? ['runs a text as code: -c'] : []),
  ];
}
