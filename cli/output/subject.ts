import { nameOf } from '../client/lookup.ts';
import type { RestClient } from '../client/rest-client.ts';
import { printable, type Terminal } from '../terminal/terminal.ts';

/** What a result is about. */
interface Named {
  readonly id: string;
  readonly name: string;
}

interface Shown {
  readonly client: RestClient;
  readonly terminal: Pick<Terminal, 'isTerminal'>;
}

/** Returns how a result names its object: by name on a terminal, and by id for scripts, which no rename changes. */
export const subjectOf = ({ isTerminal }: Pick<Terminal, 'isTerminal'>, { id, name }: Named): string =>
  isTerminal ? printable(name) : id;

/** The same for a job of which only the id is known. */
export const jobSubject = async ({ client, terminal }: Shown, id: string): Promise<string> =>
  terminal.isTerminal ? printable(await nameOf(client, 'job', id)) : id;

/** The same for a task: `Render[Frame=3] of Shot 010`. */
export async function taskSubject({ client, terminal }: Shown, id: string): Promise<string> {
  if (!terminal.isTerminal) return id;
  const task = await client.call('get', '/tasks/{id}', { path: { id } });
  return printable(`${task.name} of ${await nameOf(client, 'job', task.job_id)}`);
}
