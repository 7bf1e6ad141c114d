import { readFileSync } from 'node:fs';

/** Names the file with the milliseconds by which the wall clock of a process is wrong. */
export const CLOCK_FILE_VARIABLE = 'CALLSHEET_FAULTS_CLOCK';

/** A change of the file takes effect within this time. */
const READ_MS = 100;

/**
 * Loaded into every thread of a node before its own code (`node --import`): the machine's clock cannot be shifted for single
 * processes, so `Date` is. Monotonic clocks stay as they are.
 */
function shiftDate(file: string): void {
  const RealDate = Date;
  let shiftMs = 0;
  const read = (): void => {
    const text = readFileSync(file, 'utf8');
    // The file is empty for a moment while it is written.
    if (text !== '') shiftMs = Number(text);
  };
  read();
  setInterval(read, READ_MS).unref();
  const now = (): number => RealDate.now() + shiftMs;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as object,
    apply: () => new RealDate(now()).toString(),
    get: (target, name, receiver): unknown => (name === 'now' ? now : Reflect.get(target, name, receiver)),
  });
}

const file = process.env[CLOCK_FILE_VARIABLE];
if (file !== undefined) shiftDate(file);
