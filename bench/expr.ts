/**
 * Question: how fast are expressions evaluated? Ten typical ones are parsed once and evaluated many times, including
 * symbol lookup, type checks, and the counting of memory and operations. Yardstick, in the same run and in turns: a
 * plain JavaScript function that looks up the same values and returns the same result, with numbers that may overflow
 * and without counting.
 *
 *   npm run bench -- expr [--milliseconds 1000] [--json]
 */
import { parseArgs } from 'node:util';
import { createRe2Engine } from '../src/adapters/regex/re2-engine.ts';
import { evaluate, prepare, type ExprContext } from '../src/openjd/expr/evaluate/evaluate.ts';
import { EXPR_LIMITS } from '../src/openjd/expr/expr-limits.ts';
import { parseExpression } from '../src/openjd/expr/syntax/parse-expression.ts';
import { listType, STRING } from '../src/openjd/expr/type-system/expr-type.ts';
import { displayOf } from '../src/openjd/expr/values/display.ts';
import { listOfType, pathOf, type Value } from '../src/openjd/expr/values/value.ts';
import { saveResult, median } from './kit/results.ts';

const { values } = parseArgs({
  options: { milliseconds: { type: 'string', default: '1000' }, json: { type: 'boolean', default: false } },
});
const budgetMs = Number(values.milliseconds);
/** Evaluations between two readings of the clock. */
const BATCH = 2000;

type Plain = Readonly<Record<'start' | 'end' | 'frame' | 'chunk', number>> & {
  readonly name: string;
  readonly scene: string;
  readonly layers: readonly string[];
  readonly gpu: boolean;
};

const PLAIN: Plain = {
  start: 1001,
  end: 1240,
  frame: 1077,
  chunk: 12,
  name: 'shot010_comp_v003',
  scene: '/projects/film/shot010/comp_v003.blend',
  layers: ['beauty', 'depth', 'normal', 'crypto'],
  gpu: true,
};
const NAMES: Readonly<Record<keyof Plain, string>> = {
  start: 'Param.Start',
  end: 'Param.End',
  frame: 'Task.Param.Frame',
  chunk: 'Param.Chunk',
  name: 'Param.Name',
  scene: 'Param.Scene',
  layers: 'Param.Layers',
  gpu: 'Param.UseGpu',
};
const plainSymbols = new Map<string, unknown>(
  Object.entries(PLAIN).map(([key, value]) => [NAMES[key as keyof Plain], value]),
);
const symbols = new Map<string, Value>([
  ...(['start', 'end', 'frame', 'chunk', 'name', 'gpu'] as const).map(
    (key) => [NAMES[key], PLAIN[key]] as const,
  ),
  [NAMES.scene, pathOf(PLAIN.scene, 'posix')],
  [NAMES.layers, listOfType(listType(STRING), PLAIN.layers)],
]);
const number = (key: keyof Plain): number => plainSymbols.get(NAMES[key]) as number;
const text = (key: keyof Plain): string => plainSymbols.get(NAMES[key]) as string;
const texts = (key: keyof Plain): readonly string[] => plainSymbols.get(NAMES[key]) as readonly string[];

interface Case {
  readonly source: string;
  readonly kind: 'arithmetic' | 'string' | 'other';
  readonly plain: () => unknown;
}

const SHOT = /shot(\d+)_/;
const CASES: readonly Case[] = [
  {
    source: 'Param.End - Param.Start + 1',
    kind: 'arithmetic',
    plain: () => number('end') - number('start') + 1,
  },
  {
    source: 'min(Task.Param.Frame + Param.Chunk, Param.End) - 1',
    kind: 'arithmetic',
    plain: () => Math.min(number('frame') + number('chunk'), number('end')) - 1,
  },
  {
    source: '(Param.End - Param.Start) // Param.Chunk * 2.5',
    kind: 'arithmetic',
    plain: () => Math.floor((number('end') - number('start')) / number('chunk')) * 2.5,
  },
  {
    source: "Param.Name + '_' + string(Task.Param.Frame).zfill(5)",
    kind: 'string',
    plain: () => `${text('name')}_${String(number('frame')).padStart(5, '0')}`,
  },
  {
    source: "Param.Name.upper().replace('_', '-')",
    kind: 'string',
    plain: () => text('name').toUpperCase().replaceAll('_', '-'),
  },
  {
    source: "'--gpu' if Param.UseGpu and Task.Param.Frame > 1000 else '--cpu'",
    kind: 'string',
    plain: () => (plainSymbols.get(NAMES.gpu) === true && number('frame') > 1000 ? '--gpu' : '--cpu'),
  },
  {
    source: "Param.Name.split('_')[0]",
    kind: 'string',
    plain: () => text('name').split('_')[0],
  },
  {
    source: "[layer.upper() for layer in Param.Layers if layer != 'crypto'].join(',')",
    kind: 'other',
    plain: () =>
      texts('layers')
        .filter((layer) => layer !== 'crypto')
        .map((layer) => layer.toUpperCase())
        .join(','),
  },
  {
    source: "Param.Scene.parent / (Param.Scene.stem + '.exr')",
    kind: 'other',
    plain: () => {
      const path = text('scene');
      const slash = path.lastIndexOf('/');
      const name = path.slice(slash + 1);
      return `${path.slice(0, slash)}/${name.slice(0, name.lastIndexOf('.'))}.exr`;
    },
  },
  {
    source: "re_search(Param.Name, r'shot(\\d+)_')[1]",
    kind: 'other',
    plain: () => SHOT.exec(text('name'))?.[1],
  },
];

const context: ExprContext = {
  limits: EXPR_LIMITS,
  pathStyle: 'posix',
  regex: createRe2Engine(),
  host: { kind: 'none' },
};

const rows = CASES.map(({ source, kind, plain }) => {
  const parsed = parseExpression(source);
  if (!parsed.ok) throw new Error(`${source}: ${parsed.failure.message}`);
  const program = prepare(parsed.expr, source, null);
  const once = evaluate(program, symbols, context);
  if (!once.ok) throw new Error(once.text);
  const [shown, wanted] = [displayOf(once.value), wantedText(plain())];
  if (shown !== wanted) throw new Error(`${source} gave ${shown}, and not ${wanted}`);
  const [expression, javascript] = nanoseconds(
    () => evaluate(program, symbols, context).ok,
    () => plain() !== undefined,
  );
  const parsing = nanoseconds(() => parseExpression(source).ok)[0] ?? 0;
  return {
    source,
    kind,
    evaluations_per_second: Math.round(1e9 / (expression ?? 1)),
    javascript_per_second: Math.round(1e9 / (javascript ?? 1)),
    times_slower: Math.round(((expression ?? 0) / (javascript ?? 1)) * 10) / 10,
    parses_per_second: Math.round(1e9 / parsing),
  };
});
saveResult('expr', { expressions: rows });
if (values.json) process.stdout.write(`${JSON.stringify({ expressions: rows })}\n`);
else {
  for (const row of rows) {
    process.stdout.write(
      `${row.times_slower}x of JavaScript, ${row.evaluations_per_second} evaluations and ${row.parses_per_second} parses a second: ${row.source}\n`,
    );
  }
}

function wantedText(value: unknown): string {
  return typeof value === 'number' && !Number.isInteger(value) ? `${value}` : String(value);
}

/** Returns the median time of one run of each action in nanoseconds. The actions take turns. */
function nanoseconds(...actions: readonly (() => boolean)[]): number[] {
  const taken = actions.map((): number[] => []);
  const until = performance.now() + budgetMs;
  let misses = 0;
  while (performance.now() < until || (taken[0]?.length ?? 0) < 10) {
    for (const [index, action] of actions.entries()) {
      const startedAt = performance.now();
      for (let count = 0; count < BATCH; count++) if (!action()) misses += 1;
      taken[index]?.push(((performance.now() - startedAt) * 1e6) / BATCH);
    }
  }
  if (misses > 0) throw new Error('an evaluation failed');
  return taken.map(median);
}
