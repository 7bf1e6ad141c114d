import { spawn } from 'node:child_process';
import { filesOnPath, isFile } from './program-files.ts';

/** GPUs of a machine. */
export interface GraphicsCards {
  readonly count: number;
  /** Of the card with the least memory; 0 if unknown. */
  readonly memoryMib: number;
  readonly models: readonly string[];
  /** Why the GPUs could not be determined; null if they could, or if there is no driver. */
  readonly problem: string | null;
}

const NONE: GraphicsCards = { count: 0, memoryMib: 0, models: [], problem: null };

/** A driver first wakes sleeping cards, which takes seconds; a broken one never answers. */
const ANSWER_MS = 15_000;
/** One line per card of about a hundred bytes. */
const ANSWER_BYTES = 256 * 1024;

const QUERY = ['--query-gpu=memory.total,name', '--format=csv,noheader,nounits'];

/**
 * Queries the GPUs with `nvidia-smi`, if it is on the PATH of `environment`. Never rejects, and never takes longer than
 * `timeoutMs`.
 */
export async function graphicsCards(
  environment: NodeJS.ProcessEnv,
  timeoutMs = ANSWER_MS,
): Promise<GraphicsCards> {
  const program = await foundOnPath('nvidia-smi', environment);
  if (program === null) return NONE;
  const answer = await asked(program, QUERY, environment, timeoutMs);
  if (answer.kind === 'failed') return { ...NONE, problem: `nvidia-smi ${answer.reason}` };
  return readCards(answer.text);
}

/** Parses lines of `MEMORY, NAME`. The memory is `[N/A]` or `[Not Supported]` if the driver does not know it. */
export function readCards(text: string): GraphicsCards {
  const lines = text.split('\n').map((line) => line.trim());
  const cards = lines.filter((line) => line !== '').map((line) => /^([0-9]+|\[[^\]]*\]), *(.+)$/.exec(line));
  const models = cards.map((card) => card?.[2]);
  if (!models.every((model) => model !== undefined)) {
    return { ...NONE, problem: 'nvidia-smi returned an invalid list of GPUs' };
  }
  const memories = cards.map((card) => Number(card?.[1])).map((mib) => (Number.isSafeInteger(mib) ? mib : 0));
  return {
    count: cards.length,
    memoryMib: Math.min(...memories, cards.length === 0 ? 0 : Infinity),
    models,
    problem: null,
  };
}

type Asked =
  | { readonly kind: 'answered'; readonly text: string }
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * Returns the output of a program. Does not wait longer than the timeout: a program that hangs in the driver cannot be
 * killed, and its children may keep its output open.
 */
function asked(
  program: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  timeoutMs: number,
): Promise<Asked> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      env: environment,
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    const { stdout } = child;
    const chunks: Buffer[] = [];
    let bytes = 0;
    const finish = (result: Asked): void => {
      clearTimeout(deadline);
      stdout.destroy();
      child.unref();
      resolve(result);
    };
    const giveUp = (reason: string): void => {
      endGroup(child.pid);
      finish({ kind: 'failed', reason });
    };
    const deadline = setTimeout(() => giveUp(`did not answer within ${timeoutMs} ms`), timeoutMs);
    child.once('error', (error: NodeJS.ErrnoException) => {
      finish({ kind: 'failed', reason: `could not be started: ${error.code ?? error.message}` });
    });
    stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES) giveUp(`returned more than ${ANSWER_BYTES} bytes`);
      else chunks.push(chunk);
    });
    child.once('close', (code, signal) => {
      if (code === 0) finish({ kind: 'answered', text: Buffer.concat(chunks).toString('utf8') });
      else
        finish({
          kind: 'failed',
          reason: code === null ? `was ended by ${signal ?? 'a signal'}` : `ended with exit code ${code}`,
        });
    });
  });
}

/**
 * Returns the first file of that name in a directory of the PATH, even if it is not executable: that is then reported
 * as a problem. Null if there is none.
 */
async function foundOnPath(program: string, environment: NodeJS.ProcessEnv): Promise<string | null> {
  const endings = process.platform === 'win32' ? ['.exe'] : [''];
  for (const file of filesOnPath(program, environment, endings)) if (await isFile(file)) return file;
  return null;
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // It has already exited.
  }
}
