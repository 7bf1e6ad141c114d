import { numberAt } from './value-at.ts';
import type { RowSpec, Target } from './row-spec.ts';

/** A result as saved by `saveResult`. */
export interface KeptResult {
  readonly bench: string;
  readonly at: string;
  readonly commit: string;
  readonly machine: { readonly cores: number; readonly cpu: string; readonly node: string };
  /** The command line of the bench. */
  readonly options: readonly string[];
  readonly figures: unknown;
}

/** A row of the summary with its values. */
export interface SummaryRow {
  readonly bench: string;
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  readonly yardstick: string;
  readonly yardstickValue: number | null;
  readonly ratio: number | null;
  readonly target: Target | null;
  /** Null if there is no target, or its figure is missing. */
  readonly isMet: boolean | null;
}

/** Fills the rows of the measured figures. `missing` has the others. */
export function summarize(
  specs: readonly RowSpec[],
  results: ReadonlyMap<string, KeptResult>,
): { readonly rows: readonly SummaryRow[]; readonly missing: readonly RowSpec[] } {
  const rows: SummaryRow[] = [];
  const missing: RowSpec[] = [];
  for (const spec of specs) {
    const figures = results.get(spec.results ?? spec.bench)?.figures;
    const value = numberAt(figures, spec.value);
    if (value === null) missing.push(spec);
    else rows.push(rowOf(spec, value, figures));
  }
  return { rows, missing };
}

function rowOf(
  { bench, figure, unit, yardstick, ratio, target }: RowSpec,
  value: number,
  figures: unknown,
): SummaryRow {
  const yardstickValue = yardstick?.value === undefined ? null : numberAt(figures, yardstick.value);
  const computed = yardstickValue === null || yardstickValue === 0 ? null : value / yardstickValue;
  const ratioValue = ratio === undefined ? computed : numberAt(figures, ratio);
  return {
    bench,
    figure,
    value,
    unit,
    yardstick: yardstick?.name ?? '',
    yardstickValue,
    ratio: ratioValue,
    target: target ?? null,
    isMet: target === undefined ? null : isMet(target, target.of === 'value' ? value : ratioValue),
  };
}

function isMet({ is, number }: Target, value: number | null): boolean | null {
  if (value === null) return null;
  return is === 'at least' ? value >= number : value <= number;
}

/** Returns the summary as a page. `chart` is the file of the chart in the same folder, or null. */
export function summaryPage(
  rows: readonly SummaryRow[],
  notMeasured: readonly string[],
  results: ReadonlyMap<string, KeptResult>,
  chart: string | null,
): string {
  const lines = [
    '# Benchmarks: summary',
    '',
    'Made by `npm run bench` from the figures in this folder; `docs/benchmarks.md` describes what each bench measures. Absolute figures belong to the machine and',
    'the hour: read the ratios.',
    '',
    '| Bench | Figure | Value | Yardstick of the same run | Its value | Ratio | Target | Met |',
    '| --- | --- | ---: | --- | ---: | ---: | --- | --- |',
    ...rows.map((row) => `| ${cells(row).join(' | ')} |`),
    '',
    ...(chart === null ? [] : [`![Leases and full cycles a second by workers](${chart})`, '']),
  ];
  if (notMeasured.length > 0) {
    lines.push('Without figures:', '', ...notMeasured.map((each) => `- ${each}`), '');
  }
  lines.push(
    '| Bench | Run at | Commit | Options | Machine |',
    '| --- | --- | --- | --- | --- |',
    ...[...results.values()].map(
      ({ bench, at, commit, options, machine }) =>
        `| ${bench} | ${at} | ${commit} | ${options.map((each) => `\`${each}\``).join(' ')} | ${machine.cores} cores, ${machine.cpu}, Node ${machine.node} |`,
    ),
    '',
  );
  return lines.join('\n');
}

const cells = ({
  bench,
  figure,
  value,
  unit,
  yardstick,
  yardstickValue,
  ratio,
  target,
  isMet,
}: SummaryRow): string[] => [
  `\`${bench}\``,
  figure,
  `${shown(value)} ${unit}`,
  yardstick,
  yardstickValue === null ? '' : `${shown(yardstickValue)} ${unit}`,
  ratio === null ? '' : shown(ratio),
  target === null ? '' : `${target.is} ${shown(target.number)}${target.of === 'value' ? ` ${unit}` : ''}`,
  isMet === null ? '' : isMet ? 'yes' : '**no**',
];

/** Formats three significant digits, with separators of thousands. */
function shown(value: number): string {
  if (value === 0) return '0';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString('en-US', { maximumFractionDigits: Math.min(3, digits) });
}
