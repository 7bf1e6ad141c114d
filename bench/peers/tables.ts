import type { CheckedTarget, Ratio, Summary } from './comparison.ts';

/** Formats tables of Markdown: systems as rows, numbers of workers as columns. */
export function renderTables(
  summaries: readonly Summary[],
  allRatios: readonly Ratio[],
  targets: readonly CheckedTarget[],
): string {
  const counts = [...new Set(summaries.map(({ workers }) => workers))].sort((a, b) => a - b);
  const systems = [...new Set(summaries.map(({ system }) => system))];
  const grid = (title: string, cell: (summary: Summary) => string): string =>
    renderTable(
      [title, ...counts.map(count)],
      systems.map((system) => [
        system,
        ...counts.map((workers) => {
          const summary = summaries.find((one) => one.system === system && one.workers === workers);
          return summary === undefined ? '' : cell(summary);
        }),
      ]),
    );
  const peers = [...new Set(allRatios.map(({ peer }) => peer))];
  return [
    grid('Tasks a second', ({ tasksPerSecond }) => count(tasksPerSecond)),
    grid('Lease p50 / p99, ms', ({ leaseP50Ms, leaseP99Ms }) =>
      leaseP50Ms === null || leaseP99Ms === null ? '' : `${short(leaseP50Ms)} / ${short(leaseP99Ms)}`,
    ),
    grid('Submission, ms (tasks)', ({ submitMs, submitted }) => `${count(submitMs)} (${count(submitted)})`),
    ...(peers.length === 0
      ? []
      : [
          renderTable(
            ['Callsheet, of it', ...counts.map(count)],
            peers.map((peer) => [
              peer,
              ...counts.map((workers) => {
                const found = allRatios.find((one) => one.peer === peer && one.workers === workers);
                return found === undefined ? '' : found.ratio.toFixed(2);
              }),
            ]),
          ),
        ]),
    renderTable(
      ['Target', 'Workers', 'At least', 'Measured', ''],
      targets.map(({ callsheet, peer, workers, atLeast, ratio, isMet }) => [
        `${callsheet} of ${peer}`,
        count(workers),
        String(atLeast),
        ratio === null ? 'not measured' : ratio.toFixed(2),
        isMet === null ? '' : isMet ? 'met' : 'missed',
      ]),
    ),
  ].join('\n\n');
}

/** Formats a table of Markdown, columns padded with blanks: the first left-aligned, figures right-aligned. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(3, title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${widths
      .map((width, column) =>
        column === 0 ? (cells[column] ?? '').padEnd(width) : (cells[column] ?? '').padStart(width),
      )
      .join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

/** 12345 as 12,345. */
const count = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',');

/** Formats milliseconds with two significant digits. */
const short = (ms: number): string => (ms >= 10 ? ms.toFixed(0) : ms >= 1 ? ms.toFixed(1) : ms.toFixed(2));
