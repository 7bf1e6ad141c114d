import type { Job, Step } from '../../client/resources.ts';
import { coloredStatus, printable, type Terminal } from '../terminal/terminal.ts';
import { cutText, padText, textWidth } from '../terminal/text-width.ts';

type Counts = Job['task_counts'];

/** Fields of a step that its progress shows. */
export type StepProgress = Pick<Step, 'name' | 'status' | 'task_counts'>;

/** Fields of a job that its progress shows. */
export type JobProgress = Pick<Job, 'name' | 'status' | 'task_counts'> & {
  readonly steps: readonly StepProgress[];
};

const BAR_MAX = 40;
const BAR_MIN = 5;
const NAME_MAX = 30;
/** Without a terminal, a line is printed for each tenth of the tasks. */
const PLAIN_PARTS = 10;

const finished = (counts: Counts): number => counts.succeeded + counts.failed + counts.canceled;

function counted(counts: Counts): string {
  const parts = [`${counts.succeeded}/${counts.total}`];
  const running = counts.running + counts.assigned;
  if (running > 0) parts.push(`${running} running`);
  if (counts.failed > 0) parts.push(`${counts.failed} failed`);
  if (counts.canceled > 0) parts.push(`${counts.canceled} canceled`);
  return parts.join(', ');
}

const sentence = ({ name, status, task_counts: counts }: StepProgress | JobProgress): string =>
  `${printable(name)}: ${counted(counts)}, ${status}`;

/** Formats the progress of a step as one line of at most `columns`, with its name in `nameWidth` columns. */
export function stepLine(step: StepProgress, nameWidth: number, columns: number): string {
  const head = `${padText(cutText(printable(step.name), nameWidth), nameWidth)} `;
  const tail = ` ${counted(step.task_counts)}, ${step.status}`;
  const width = Math.min(BAR_MAX, columns - textWidth(head) - tail.length - 2);
  if (width < BAR_MIN) return cutText(head.trimEnd() + tail, columns);
  // Canceled tasks leave the bar empty: they were not done.
  const { total, succeeded, failed } = step.task_counts;
  const full = Math.floor((total === 0 ? 0 : (succeeded + failed) / total) * width);
  return `${head}[${'█'.repeat(full)}${'░'.repeat(width - full)}]${tail}`;
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled']);

/**
 * Returns at most `rows` steps, in their order. Drops completed and canceled steps first, then steps that have not
 * started.
 */
function shownSteps(steps: readonly StepProgress[], rows: number): readonly StepProgress[] {
  if (steps.length <= rows) return steps;
  const rank = ({ status }: StepProgress): number =>
    status === 'running' ? 0 : status === 'failed' ? 1 : ENDED.has(status) ? 3 : 2;
  const kept = new Set([...steps].sort((a, b) => rank(a) - rank(b)).slice(0, rows));
  return steps.filter((step) => kept.has(step));
}

/**
 * Formats the progress of a job: a line for the job, then a bar per step. No line is longer than `columns`; there are
 * at most `rows` lines.
 */
export function progressLines(job: JobProgress, columns: number, rows: number): string[] {
  const head = cutText(sentence(job), columns);
  const fits = job.steps.length < rows;
  const steps = shownSteps(job.steps, fits ? rows - 1 : Math.max(0, rows - 2));
  const widest = steps.reduce((width, { name }) => Math.max(width, textWidth(printable(name))), 0);
  const lines = steps.map((step) => stepLine(step, Math.min(widest, NAME_MAX), columns));
  if (!fits) lines.push(cutText(`... and ${job.steps.length - steps.length} more steps`, columns));
  return [head, ...lines];
}

/** Receives the states of a job during a wait. */
export interface JobView {
  show(job: JobProgress): void;
  /** Shows a note in addition to the progress. */
  note(text: string): void;
  end(): void;
}

/** Shows the progress of a job: bars that are redrawn on a terminal, and a few plain lines elsewhere. */
export class ProgressView implements JobView {
  readonly #terminal: Terminal;
  /** Last state that was printed of the job and of each step, by name. */
  readonly #written = new Map<string, string>();
  #painted: readonly string[] = [];

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  show(job: JobProgress): void {
    const { repaint } = this.#terminal;
    if (repaint === null) this.#write(job);
    else this.#paint(progressLines(job, repaint.columns - 1, repaint.rows - 1), job.status);
  }

  #paint(lines: readonly string[], status: string): void {
    if (lines.join('\n') === this.#painted.join('\n')) return;
    const up = this.#painted.length - 1;
    const back = up > 0 ? `\r\u001b[${up}A` : '\r';
    // The status is the last word of the first line, unless the line was cut.
    const [head = '', ...bars] = lines;
    const colored = head.endsWith(status)
      ? head.slice(0, -status.length) + coloredStatus(status, this.#terminal, this.#terminal.errorColors)
      : head;
    const cleared = [colored, ...bars].map((line) => `${line}\u001b[K`).join('\n');
    this.#terminal.err(`${back}${cleared}\u001b[J`);
    this.#painted = lines;
  }

  #write(job: JobProgress): void {
    this.#writeChange('', job);
    if (job.steps.length > 1) for (const step of job.steps) this.#writeChange('  ', step);
  }

  #writeChange(indent: string, progress: StepProgress | JobProgress): void {
    const { status, task_counts: counts } = progress;
    const part = Math.floor((finished(counts) / Math.max(1, counts.total)) * PLAIN_PARTS);
    const state = `${status} ${part} ${counts.failed > 0}`;
    const key = `${indent}${progress.name}`;
    // A step that has not started gets no line.
    if (state === (this.#written.get(key) ?? (indent === '' ? '' : 'pending 0 false'))) return;
    this.#written.set(key, state);
    this.#terminal.err(`${indent}${sentence(progress)}\n`);
  }

  note(text: string): void {
    this.end();
    this.#terminal.err(`${text}\n`);
  }

  /** Ends the redrawn block; later output starts on a new line. */
  end(): void {
    if (this.#painted.length > 0) this.#terminal.err('\n');
    this.#painted = [];
  }
}

/** Prints notes, but no progress. */
export const silentProgress = (terminal: Terminal): JobView => ({
  show: () => {},
  note: (text) => terminal.err(`${text}\n`),
  end: () => {},
});
