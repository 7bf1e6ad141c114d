import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { threadSecondsOf } from './process-usage.ts';

export interface ReadFigure {
  readonly requests: number;
  readonly bytes_each: number;
  readonly requests_per_second: number;
  /** Processor time of the thread that answers. */
  readonly front_us_each: number;
  readonly per_core_second: number;
}

export interface ReadLoad {
  readonly port: number;
  /** Process whose main thread answers. */
  readonly pid: number;
  /** Paths in turn; `{n}` becomes a different number each time. */
  readonly paths: readonly string[];
  readonly connections: number;
  readonly seconds: number;
  /** A header of every request: `Name: value`. */
  readonly header?: string;
}

/** Sends reads for some seconds, after one second of warm-up, and prints the figure. */
export async function measureReads(load: ReadLoad): Promise<ReadFigure> {
  const { pid, paths, seconds } = load;
  await send({ ...load, seconds: 1 });
  const before = threadSecondsOf(pid, pid);
  const { answered, bytes, failed } = await send(load);
  const busy = threadSecondsOf(pid, pid) - before;
  if (Object.keys(failed).length > 0) throw new Error(`failed: ${JSON.stringify(failed)}`);
  const figure = {
    requests: answered,
    bytes_each: Math.round(bytes / answered),
    requests_per_second: Math.round(answered / seconds),
    front_us_each: Math.round((busy / answered) * 1e7) / 10,
    per_core_second: Math.round(answered / busy),
  };
  process.stdout.write(`${paths[0] ?? ''} ${JSON.stringify(figure)}\n`);
  return figure;
}

async function send({
  port,
  connections,
  seconds,
  paths,
  header = '',
}: ReadLoad): Promise<{ answered: number; bytes: number; failed: Record<string, number> }> {
  const program = fileURLToPath(new URL('./http-load.js', import.meta.url));
  const client = spawn(
    process.execPath,
    [program, String(port), String(connections), String(seconds), header],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  client.stdin.end(`${paths.join('\n')}\n`);
  const [text] = (await once(createInterface({ input: client.stdout }), 'line')) as [string];
  return JSON.parse(text) as { answered: number; bytes: number; failed: Record<string, number> };
}
