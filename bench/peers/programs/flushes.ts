import {
  closeSync,
  constants,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from '../../kit/results.ts';
import type { FlushTimes } from '../slow-flush.ts';

/** Prints the duration of a flush in this process, on the disk of the temporary folder. */

const TIMES = 300;
const PAGE = Buffer.alloc(4096, 1);

const folder = mkdtempSync(join(tmpdir(), 'callsheet-bench-'));
try {
  const file = join(folder, 'flushed');
  writeFileSync(file, '');
  const times: FlushTimes = {
    fdatasync: medianUs(file, constants.O_WRONLY, (fd) => {
      writeSync(fd, PAGE);
      fdatasyncSync(fd);
    }),
    o_dsync: medianUs(file, constants.O_WRONLY | constants.O_DSYNC, (fd) => writeSync(fd, PAGE)),
  };
  process.stdout.write(`${JSON.stringify(times)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function medianUs(file: string, flags: number, flush: (fd: number) => void): number {
  const fd = openSync(file, flags);
  try {
    const took = Array.from({ length: TIMES }, () => {
      const startedAt = performance.now();
      flush(fd);
      return (performance.now() - startedAt) * 1000;
    });
    return Math.round(median(took));
  } finally {
    closeSync(fd);
  }
}
