import type { Command } from 'commander';
import { clientCommand, contextOf, type ClientContext, type ClientOptions } from './client-command.ts';
import { followLog } from './follow-log.ts';
import { findTask } from './lookup.ts';
import type { LogChunk } from '../../client/resources.ts';
import { TASK_ARGUMENT_HELP } from './task.ts';

const PAGE_MAX = 1000;

/** Writes chunks to the stream that the task wrote them to, standard output or standard error. */
class ChunkWriter {
  readonly #context: ClientContext;
  #endsLine = true;
  /** Cursor of the last chunk that was written. */
  seen = 0;

  constructor(context: ClientContext) {
    this.#context = context;
  }

  write(chunk: LogChunk): void {
    const { terminal, json } = this.#context;
    this.seen = chunk.bus_seq;
    if (json) return terminal.out(`${JSON.stringify(chunk)}\n`);
    if (chunk.data === '') return;
    if (chunk.stream === 'stderr') terminal.err(chunk.data);
    else {
      terminal.out(chunk.data);
      this.#endsLine = chunk.data.endsWith('\n');
    }
  }

  end(): void {
    if (!this.#endsLine) this.#context.terminal.out('\n');
  }
}

async function logs(given: string, options: ClientOptions & { readonly follow?: boolean }): Promise<void> {
  const context = contextOf(options);
  const { client, terminal } = context;
  const id = await findTask(client, given);
  const writer = new ChunkWriter(context);
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
    .action(logs);
