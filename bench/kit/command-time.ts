import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { median } from './results.ts';

/** Prints user and system time of a command, in seconds. Its own output is discarded. */
const TIMED = 'TIMEFORMAT="%3U %3S"; time "$@" >/dev/null 2>/dev/null';

/** A command line, by a name for the report. */
export interface TimedCommand {
  readonly name: string;
  readonly words: readonly string[];
}

/** Returns the median processor time of each command in seconds, of a number of runs in turns. Needs bash. */
export async function commandTimes(
  commands: readonly TimedCommand[],
  runs: number,
  environment: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, number>> {
  const times = new Map(commands.map(({ name }) => [name, [] as number[]]));
  for (let run = 0; run < runs; run++) {
    for (const { name, words } of commands) times.get(name)?.push(await secondsOf(words, environment));
  }
  return new Map([...times].map(([name, seconds]) => [name, median(seconds)]));
}

async function secondsOf(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<number> {
  const child = spawn('bash', ['-c', TIMED, 'bash', ...words], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...environment },
  });
  let printed = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const [code] = await once(child, 'close');
  const found = /(\d+\.\d+) (\d+\.\d+)\s*$/.exec(printed);
  if (code !== 0 || found === null)
    throw new Error(`${words.join(' ')} ended with ${String(code)}: ${printed.trim()}`);
  return Number(found[1]) + Number(found[2]);
}
