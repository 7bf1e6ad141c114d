import { once } from 'node:events';
import type { LogMessage } from '../../src/core/wire/bus-messages.ts';
import { stopSignal } from '../../daemons/process/stop-signal.ts';
import { LocalSessions } from './local-run/local-sessions.ts';
import { runJob, type LocalStatus, type StepOutcome } from './local-run/run-job.ts';
import { selectTasks } from './local-run/select-tasks.ts';
import { LOCAL_EXPRESSIONS } from '../../src/adapters/regex/default-expressions.ts';
import type { LocalPath } from '../../src/openjd/template/language/options.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { table, type Column } from '../terminal/table.ts';
import { readTemplateFile } from '../submission/template-file.ts';
import { painted, printable, printableLines, processTerminal, type Terminal } from '../terminal/terminal.ts';
import { featuresOf, printFarmNotes } from './extensions-option.ts';
import { localPathBy } from './local-path.ts';
import { pathMappingOf } from './path-mapping-option.ts';
import { PrefixedLines } from './prefixed-lines.ts';
import { environmentsOf, prepareFile, readFile } from './prepare-file.ts';

export interface RunOptions {
  readonly param: ReadonlyMap<string, string>;
  readonly step?: string;
  readonly task: ReadonlyMap<string, string>;
  readonly pathMappingRules?: string;
  /** Files of environment templates, the outermost first. */
  readonly environment: readonly string[];
  readonly extensions?: string;
}

const PREFIX_LENGTH_MAX = 60;
const SECOND_MS = 1000;

const COLUMNS: readonly Column<StepOutcome>[] = [
  { title: 'STEP', value: ({ name }) => name, shrinks: true },
  { title: 'STATUS', value: ({ status }) => status, isStatus: true },
  { title: 'TASKS', value: ({ succeeded, count }) => `${succeeded}/${count}`, align: 'right' },
  {
    title: 'SECONDS',
    value: ({ milliseconds }) => (milliseconds / SECOND_MS).toFixed(1),
    align: 'right',
  },
];

/**
 * `callsheet openjd run TEMPLATE`: runs the job on this machine without a service, one task after another. Output of
 * tasks goes to the same stream here, each line with the name of its task; messages of the run go to standard error.
 * Exits 1 unless all tasks succeed and all environments are exited without a failure.
 */
export async function runCommandOf(path: string, options: RunOptions): Promise<void> {
  const terminal = processTerminal();
  const file = await readTemplateFile(path);
  const document = readFile(file, terminal);
  // Host requirements select a host; a local run has only this one.
  const localPathOf = (template: string): LocalPath => localPathBy(template, process.cwd());
  const language = {
    expressions: LOCAL_EXPRESSIONS,
    supported: featuresOf(options.extensions),
    localPath: localPathOf(path),
  };
  const environments = await environmentsOf(options.environment, language, terminal, localPathOf);
  const job = prepareFile(file, document, options.param, language, environments, terminal);
  printFarmNotes(job.farmNotes, terminal);
  const selection = selectTasks(job.plan, options.step ?? null, options.task);
  if (!selection.ok) throw new CommandError(EXIT.usage, selection.detail);

  const mapping = await pathMappingOf(options.pathMappingRules);
  const printer = new TaskPrinter(terminal);
  const interrupted = stopSignal();
  interrupted.addEventListener('abort', () => terminal.err('stopping; repeat the signal to end at once\n'));
  const signal = AbortSignal.any([interrupted, outputClosed()]);
  const sessions = await LocalSessions.open(mapping, {
    output: (chunk) => printer.output(chunk),
    warn: (text) => terminal.err(`callsheet: ${printable(text)}\n`),
  });
  terminal.err(`Job: ${printable(job.plan.jobName)}\n`);
  let outcomes: readonly StepOutcome[];
  let isExited = false;
  try {
    outcomes = await runJob(job, selection.steps, sessions, printer, signal);
  } finally {
    isExited = await sessions.close();
  }
  terminal.err(`\n${table(COLUMNS, outcomes, { ...terminal, colors: terminal.errorColors })}`);
  const hasSucceeded = outcomes.every(({ status }) => status === 'succeeded');
  if (hasSucceeded && !isExited)
    terminal.err('The run failed: an onExit action of an environment failed, as shown above.\n');
  if (!hasSucceeded || !isExited) process.exitCode = EXIT.failed;
}

/**
 * Returns a signal that aborts when standard output is closed. The run then ends like an interrupted one and exits its
 * sessions in order.
 */
function outputClosed(): AbortSignal {
  const controller = new AbortController();
  // Replaces the listener of all commands, which would end the process.
  process.stdout.removeAllListeners('error');
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    controller.abort();
  });
  return controller.signal;
}

/** Prints the output of the running task. */
class TaskPrinter {
  private readonly terminal: Terminal;
  private out = new PrefixedLines('');
  private err = new PrefixedLines('');

  constructor(terminal: Terminal) {
    this.terminal = terminal;
  }

  taskBegins(name: string): void {
    const shown = printable(
      name.length > PREFIX_LENGTH_MAX ? `${name.slice(0, PREFIX_LENGTH_MAX - 1)}…` : name,
    );
    const { colors, errorColors } = this.terminal;
    this.out = new PrefixedLines(`${painted(shown, 'cyan', colors)} | `);
    this.err = new PrefixedLines(`${painted(shown, 'yellow', errorColors)} | `);
  }

  taskEnds(name: string, status: LocalStatus, message: string): void {
    if (status === 'succeeded' && message === '') return;
    const why = message === '' ? '' : `: ${printableLines(message)}`;
    const word = status === 'succeeded' ? status : painted(status, 'red', this.terminal.errorColors);
    this.terminal.err(`${printable(name)} ${word}${why}\n`);
  }

  chunksChange(step: string, chunks: string): void {
    this.terminal.err(`${printable(step)}: ${printable(chunks)}\n`);
  }

  /** Writes text. Waits while the reader of the output is slow. */
  async output({ stream, data }: LogMessage): Promise<void> {
    const [place, lines] =
      stream === 'stdout' ? ([process.stdout, this.out] as const) : ([process.stderr, this.err] as const);
    // Another listener handles errors of the stream.
    if (!place.write(lines.next(data))) await once(place, 'drain').catch(() => undefined);
  }
}
