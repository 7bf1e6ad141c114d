import type { Job } from './resources.ts';
import type { Terminal } from './terminal.ts';
import { printable } from './terminal.ts';

/** What of a job its progress shows. */
type Progress = Pick<Job, 'name' | 'status' | 'task_counts'>;

const BAR_MAX = 40;
const BAR_MIN = 5;
/** Without a terminal a line is written for each tenth of the work. */
const PLAIN_PARTS = 10;

const finished = ({ task_counts: counts }: Progress): number =>
  counts.succeeded + counts.failed + counts.canceled;

function counted({ task_counts: counts }: Progress): string {
  const parts = [`${counts.succeeded}/${counts.total}`];
  const running = counts.running + counts.assigned;
  if (running > 0) parts.push(`${running} running`);
  if (counts.failed > 0) parts.push(`${counts.failed} failed`);
  if (counts.canceled > 0) parts.push(`${counts.canceled} canceled`);
  return parts.join(', ');
}

/** One line that says how far a job is, not wider than `columns`. */
export function progressLine(job: Progress, columns: number): string {
  const head = `${printable(job.name)} `;
  const tail = ` ${counted(job)}, ${job.status}`;
  const room = columns - [...head].length - tail.length - 2;
  const width = Math.min(BAR_MAX, room);
  if (width < BAR_MIN) return [...(head.trim() + tail)].slice(0, columns).join('');
  const share = job.task_counts.total === 0 ? 0 : finished(job) / job.task_counts.total;
  const full = Math.floor(share * width);
  return `${head}[${'█'.repeat(full)}${'░'.repeat(width - full)}]${tail}`;
}

/** Shows a job's progress: a bar painted over itself on a terminal, now and then a plain line elsewhere. */
export class ProgressView {
  readonly #terminal: Terminal;
  #last = '';
  #painted = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  show(job: Progress): void {
    const { repaintColumns } = this.#terminal;
    if (repaintColumns !== null) {
      this.#terminal.err(`\r${progressLine(job, repaintColumns - 1)}\u001b[K`);
      this.#painted = true;
      return;
    }
    const part = Math.floor((finished(job) / Math.max(1, job.task_counts.total)) * PLAIN_PARTS);
    const state = `${job.status} ${part} ${job.task_counts.failed > 0}`;
    if (state === this.#last) return;
    this.#last = state;
    this.#terminal.err(`${printable(job.name)}: ${counted(job)}, ${job.status}\n`);
  }

  /** A line between two pictures of the progress. */
  note(text: string): void {
    this.end();
    this.#terminal.err(`${text}\n`);
  }

  /** Leaves the bar behind and goes to the next line. */
  end(): void {
    if (this.#painted) this.#terminal.err('\n');
    this.#painted = false;
  }
}
