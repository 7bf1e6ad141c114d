import type { Command } from 'commander';
import { clientCommand, contextOf, type ClientContext, type ClientOptions } from './client-command.ts';
import { followLog } from './follow-log.ts';
import { findTask } from './lookup.ts';
import type { LogChunk } from '../../client/resources.ts';
import { TASK_ARGUMENT_HELP } from './task.ts';
import { TerminalFilter } from './terminal-filter.ts';

const PAGE_MAX = 1000;

/**
 * Writes chunks to the stream that the task wrote them to, standard output or standard error. A terminal gets only text
 * and colors, unless everything is requested (`isRaw`); a file or a pipe gets everything.
 */
class ChunkWriter {
  readonly #context: ClientContext;
  readonly #out: TerminalFilter | null;
  readonly #err: TerminalFilter | null;
  #endsLine = true;
  /** Cursor of the last chunk that was written. */
  seen = 0;

  constructor(context: ClientContext, isRaw: boolean) {
    const { terminal } = context;
    this.#context = context;
    this.#out = isRaw || !terminal.isTerminal ? null : new TerminalFilter(terminal.colors);
    this.#err = isRaw || !terminal.isErrorTerminal ? null : new TerminalFilter(terminal.errorColors);
  }

  write(chunk: LogChunk): void {
    const { terminal, json } = this.#context;
    this.seen = chunk.bus_seq;
    if (json) return terminal.out(`${JSON.stringify(chunk)}\n`);
    if (chunk.data === '') return;
    if (chunk.stream === 'stderr') terminal.err(this.#err?.write(chunk.data) ?? chunk.data);
    else {
      terminal.out(this.#out?.write(chunk.data) ?? chunk.data);
      this.#endsLine = chunk.data.endsWith('\n');
    }
  }

  end(): void {
    const { terminal } = this.#context;
    terminal.err(this.#err?.end() ?? '');
    terminal.out(this.#out?.end() ?? '');
    if (!this.#endsLine) terminal.out('\n');
  }
}

interface LogsOptions extends ClientOptions {
  readonly follow?: boolean;
  readonly raw?: boolean;
}

async function logs(given: string, options: LogsOptions): Promise<void> {
  const context = contextOf(options);
  const { client, terminal } = context;
  const id = await findTask(client, given);
  const writer = new ChunkWriter(context, options.raw === true);
  if (options.follow === true) {
    await followLog(client, id, {
      write: (chunk) => writer.write(chunk),
      away: () => terminal.err(`waiting for the server at ${client.url}\n`),
      endsAfterMs: null,
    });
  } else {
    for (;;) {
      const page = await client.call('get', '/tasks/{id}/logs', {
        path: { id },
        query: { limit: PAGE_MAX, after_bus_seq: writer.seen },
      });
      for (const chunk of page.items) writer.write(chunk);
      if (page.items.length === 0) break;
    }
  }
  writer.end();
}

/** `callsheet logs` */
export const logsCommand = (): Command =>
  clientCommand('logs', 'Print the output of a task. --json prints a line for each chunk.')
    .argument('<task>', TASK_ARGUMENT_HELP)
    .option('--follow', 'continue until the task has ended')
    .option('--raw', 'also pass control characters and escape sequences other than colors to a terminal')
    .action(logs);
