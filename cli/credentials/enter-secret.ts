import { readFileSync } from 'node:fs';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';

/** Maximum number of bytes of a secret from a file. */
const SECRET_BYTES_MAX = 4096;
/** Exit status of a program that SIGINT has ended. */
const INTERRUPTED_EXIT = 130;
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const CTRL_U = '\u0015';
const BACKSPACES: readonly string[] = ['\u007f', '\b'];
const LINE_ENDS: readonly string[] = ['\r', '\n'];
/** Start of the sequences of arrow keys and others, which do not belong to a password. */
const ESCAPE = '\u001b';

/**
 * Returns the first line of a file; `-` is standard input.
 *
 * @throws CommandError if the file cannot be read, is too long or empty.
 */
export function secretFromFile(path: string, what: string): string {
  const name = path === '-' ? 'standard input' : path;
  let bytes: Buffer;
  try {
    bytes = readFileSync(path === '-' ? 0 : path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(EXIT.usage, `${name}: cannot be read: ${reason}`);
  }
  if (bytes.length > SECRET_BYTES_MAX)
    throw new CommandError(EXIT.usage, `${name}: is too long for ${what}: ${bytes.length} bytes`);
  const [line = ''] = bytes.toString('utf8').split(/\r?\n/);
  if (line === '') throw new CommandError(EXIT.usage, `${name}: the first line must contain ${what}`);
  return line;
}

/**
 * Asks for a secret on the terminal without showing it.
 *
 * @throws CommandError if no user is at the terminal (`instead` says what to do then), or if the answer is empty.
 */
export async function askSecret(question: string, instead: string): Promise<string> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new CommandError(EXIT.usage, `no user is at the terminal; ${instead}`);
  const answer = await hiddenLine(question);
  process.stderr.write('\n');
  if (answer === '') throw new CommandError(EXIT.usage, 'nothing was entered');
  return answer;
}

/**
 * Asks for one line in raw mode, in which the terminal shows nothing. The question appears after the mode is set: a user, or a
 * program, that answers at once is not shown either.
 */
function hiddenLine(question: string): Promise<string> {
  const { stdin } = process;
  return new Promise((resolve) => {
    let line = '';
    const end = (): void => {
      stdin.off('data', taken);
      stdin.setRawMode(false);
      stdin.pause();
    };
    const taken = (text: string): void => {
      if (text.startsWith(ESCAPE)) return;
      for (const char of text) {
        if (char === CTRL_C) {
          end();
          process.stderr.write('\n');
          process.exit(INTERRUPTED_EXIT);
        }
        if (LINE_ENDS.includes(char) || char === CTRL_D) {
          end();
          resolve(line);
          return;
        }
        if (BACKSPACES.includes(char)) line = [...line].slice(0, -1).join('');
        else if (char === CTRL_U) line = '';
        else if (char >= ' ') line += char;
      }
    };
    stdin.setEncoding('utf8');
    stdin.setRawMode(true);
    stdin.on('data', taken);
    stdin.resume();
    process.stderr.write(question);
  });
}
