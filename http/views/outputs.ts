import { attemptIdOf, parseAttemptId, taskIdOf, type JobId } from '../../src/core/ids.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { TaskOutputRecord } from '../../src/core/records/task-output.ts';
import { attemptOfKey, keys } from '../../src/core/records/tables.ts';
import type { JobPlan } from '../../src/openjd/template/plan.ts';
import type { FoundOutput, PreviewOfOutput } from './previews.ts';
import type { Schemas } from './schemas.ts';

/** An output with the cursor that continues after it. */
interface PlacedOutput {
  readonly cursor: string;
  readonly output: Schemas['Output'];
}

interface OutputRow {
  readonly key: string;
  readonly value: TaskOutputRecord;
}

/** Where a page of outputs begins: after a parameter's path, after a path of an attempt, or after a found file. */
type Start =
  | { readonly kind: 'parameter'; readonly nth: number }
  | { readonly kind: 'attempt'; readonly key: string; readonly nth: number }
  | { readonly kind: 'found'; readonly number: number };

/** The outputs of a page. */
export interface OutputQuery {
  readonly job: JobId;
  readonly prefix: string;
  /** Those that the worker has found at parameters; of one task. */
  readonly found: readonly FoundOutput[];
  readonly start: Start | null;
  readonly limit: number;
}

const PARAMETER_CURSOR = /^parameter:(\d{1,9})$/;
const FOUND_CURSOR = /^found:(\d)$/;
const ATTEMPT_CURSOR = /^([^:]{1,200}):(\d{1,9})$/;

/** Returns the position of a cursor in the outputs of a job, or null if it is not one. */
export function startOf(cursor: string, job: JobId): Start | null {
  const parameter = PARAMETER_CURSOR.exec(cursor);
  if (parameter !== null) return { kind: 'parameter', nth: Number(parameter[1]) };
  const found = FOUND_CURSOR.exec(cursor);
  if (found !== null) return { kind: 'found', number: Number(found[1]) };
  const [, id = '', nth] = ATTEMPT_CURSOR.exec(cursor) ?? [];
  const attempt = parseAttemptId(id);
  if (attempt?.jobId !== job) return null;
  return { kind: 'attempt', key: keys.attempt(attempt, attempt.attemptNumber), nth: Number(nth) };
}

/**
 * Returns a page of the outputs of a job, or of its task whose attempts have keys that begin with `prefix`: first the
 * paths of its OUT parameters, then those that the latest attempt of each task has named, in the order of the tasks, then
 * the found files. `previewOf` returns the fields of an output that describe its preview.
 */
export function outputPage(
  store: StoreReader,
  query: OutputQuery,
  pathAt: ((path: string) => string) | null,
  previewOf: (output: Schemas['Output']) => PreviewOfOutput,
): Schemas['OutputPage'] {
  const items: Schemas['Output'][] = [];
  let next: string | undefined;
  for (const { cursor, output } of outputs(store, query)) {
    if (items.length === query.limit) return { items, ...(next !== undefined && { next }) };
    const mapped = pathAt === null ? {} : { mapped_path: pathAt(output.path) };
    items.push({ ...output, ...mapped, ...previewOf(output) });
    next = cursor;
  }
  return { items };
}

function* outputs(store: StoreReader, query: OutputQuery): Iterable<PlacedOutput> {
  const { job, prefix, found, start } = query;
  const plan = store.get('plan', keys.plan(job));
  const declared = plan === undefined ? [] : parameterOutputs(plan);
  if (start === null || start.kind === 'parameter') {
    const first = start === null ? 0 : start.nth + 1;
    for (const [nth, output] of declared.entries())
      if (nth >= first) yield { cursor: `parameter:${nth}`, output: foundAt(output, found) ?? output };
    for (const row of latestRows(store, prefix)) yield* ofAttempt(row, 0);
  } else if (start.kind === 'attempt') yield* afterPath(store, prefix, start);
  const listed = new Set(declared.map(({ path }) => path));
  for (const { number, output } of found)
    if (!listed.has(output.path) && (start?.kind !== 'found' || number > start.number))
      yield { cursor: `found:${number}`, output };
}

/** Returns the found file that a parameter names. */
const foundAt = ({ path }: Schemas['Output'], found: readonly FoundOutput[]): Schemas['Output'] | undefined =>
  found.find(({ output }) => output.path === path)?.output;

function* afterPath(
  store: StoreReader,
  prefix: string,
  start: Extract<Start, { kind: 'attempt' }>,
): Iterable<PlacedOutput> {
  const begun = store.get('taskOutput', start.key);
  if (begun !== undefined) yield* ofAttempt({ key: start.key, value: begun }, start.nth + 1);
  for (const row of latestRows(store, prefix, start.key)) yield* ofAttempt(row, 0);
}

/** Returns the paths of the parameters that the job writes. */
function parameterOutputs({ parameters }: JobPlan): readonly Schemas['Output'][] {
  return Object.entries(parameters).flatMap(([name, { type, value, dataFlow, objectType }]) => {
    if (dataFlow !== 'OUT') return [];
    const paths = type === 'LIST[PATH]' ? listOf(value) : [value];
    return paths
      .filter((path) => path !== '')
      .map((path): Schemas['Output'] => ({
        path,
        source: 'parameter',
        parameter: name,
        object_type: objectType ?? 'DIRECTORY',
      }));
  });
}

function listOf(value: string): readonly string[] {
  const list: unknown = JSON.parse(value);
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
}

/** Yields the row of the latest attempt of each task, of those that have named outputs. */
function* latestRows(store: StoreReader, prefix: string, after?: string): Iterable<OutputRow> {
  let held: OutputRow | null = null;
  for (const row of store.scan('taskOutput', { prefix, ...(after !== undefined && { after }) })) {
    if (held !== null && taskPart(held.key) !== taskPart(row.key)) yield held;
    held = row;
  }
  if (held !== null) yield held;
}

const taskPart = (key: string): string => key.slice(0, key.lastIndexOf('/'));

function* ofAttempt({ key, value }: OutputRow, first: number): Iterable<PlacedOutput> {
  const attempt = attemptOfKey(key);
  for (const [nth, path] of value.paths.entries()) {
    if (nth < first) continue;
    yield {
      cursor: `${attemptIdOf(attempt)}:${nth}`,
      output: { path, source: 'task', task_id: taskIdOf(attempt), attempt_number: attempt.attemptNumber },
    };
  }
}
