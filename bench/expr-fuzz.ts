/**
 * Question: does any expression escape its bounds? Generated expressions, valid and invalid, are parsed and evaluated
 * at the default limits, one after the other, in a process with a small heap. No exception may escape, no evaluation
 * may count more than its limits, and none may take over 100 ms. A value that is too large for the heap ends the
 * process.
 *
 *   npm run bench -- expr-fuzz [--expressions 200000] [--seed 1] [--operations N] [--memory BYTES] [--json]
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { EXPR_LIMITS } from '../src/openjd/expr/expr-limits.ts';
import { fuzzExpressions } from './kit/expression-fuzz.ts';
import { saveResult } from './kit/results.ts';

const { values } = parseArgs({
  options: {
    expressions: { type: 'string', default: '200000' },
    seed: { type: 'string', default: '1' },
    operations: { type: 'string', default: String(EXPR_LIMITS.operations) },
    memory: { type: 'string', default: String(EXPR_LIMITS.memory) },
    json: { type: 'boolean', default: false },
    inside: { type: 'boolean', default: false },
  },
});

const MAX_MS = 100;
/** Heap limit of the process, in MiB. Its own code and symbols take about a third. */
const HEAP_MIB = 64;

if (!values.inside) {
  const { status, signal } = spawnSync(
    process.execPath,
    [`--max-old-space-size=${HEAP_MIB}`, ...process.argv.slice(1), '--inside'],
    { stdio: 'inherit' },
  );
  if (signal !== null)
    console.error(`The process was ended by ${signal}: an evaluation took more than ${HEAP_MIB} MiB.`);
  process.exit(status ?? 1);
}

const limits = { memory: Number(values.memory), operations: Number(values.operations) };
const started = performance.now();
const figures = fuzzExpressions({
  expressions: Number(values.expressions),
  seed: Number(values.seed),
  limits,
});
const report = {
  ...figures,
  limits,
  seed: Number(values.seed),
  seconds: Math.round((performance.now() - started) / 100) / 10,
  heap_limit_mib: HEAP_MIB,
  peak_rss_mib: Math.round(process.resourceUsage().maxRSS / 1024),
};
if (values.json) console.log(JSON.stringify(report));
else {
  console.log(
    `${report.expressions} expressions from seed ${report.seed} in ${report.seconds} s: ${report.parsed} read, ${report.values} with a value, ` +
      `${report.failures} failures of which ${report.exhausted} by a limit; resident memory up to ${report.peak_rss_mib} MiB`,
  );
  for (const { ms, operations, source } of report.slowest) {
    console.log(
      `${ms.toFixed(1).padStart(8)} ms ${String(operations).padStart(9)} operations  ${source.slice(0, 200)}`,
    );
  }
  for (const [promise, source] of report.broken.slice(0, 20))
    console.log(`BROKEN ${promise}\n  ${source.slice(0, 500)}`);
}
saveResult('expr-fuzz', report);
if (report.broken.length > 0 || (report.slowest[0]?.ms ?? 0) > MAX_MS) process.exitCode = 1;
