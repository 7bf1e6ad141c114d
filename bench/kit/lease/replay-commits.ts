import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { readChangeSet, type EncodedChangeSet } from '../../../src/adapters/lmdb/change-set-codec.ts';
import { openStateWriter, STATE_DISK_LIMITS } from '../../../src/adapters/lmdb/state-writer.ts';
import { benchDirectory } from '../service.ts';

const HEADER_BYTES = 12;

/** Change sets of a recording, and the rate at which the disk alone accepts them. */
export interface DiskRate {
  readonly commits: number;
  readonly rows: number;
  readonly bytes: number;
  readonly seconds: number;
}

/**
 * Writes a recording (record-commits.ts) to an empty store in a bare loop on this thread: one flushed transaction for each change set, as the service
 * made them. Only those between the two times (milliseconds since the epoch) are measured; those before are written first.
 */
export async function replayCommits(file: string, fromMs: number, toMs: number): Promise<DiskRate> {
  const before: EncodedChangeSet[] = [];
  const measured: EncodedChangeSet[] = [];
  for (const { at, set } of recorded(file)) {
    if (at < fromMs) before.push(set);
    else if (at < toMs) measured.push(set);
  }
  const directory = await benchDirectory();
  const writer = await openStateWriter({
    directory,
    softwareVersion: 'bench',
    disk: STATE_DISK_LIMITS,
    endProcess: ({ detail }) => {
      throw new Error(detail);
    },
    warn: () => undefined,
  });
  try {
    if (before.length > 0) writer.apply(before);
    const startedAt = performance.now();
    for (const set of measured) writer.apply([set]);
    const seconds = (performance.now() - startedAt) / 1000;
    const changes = measured.flatMap((set) => set.changes);
    return {
      commits: measured.length,
      rows: changes.length,
      bytes: changes.reduce((sum, { key, value }) => sum + key.length + value.length, 0),
      seconds,
    };
  } finally {
    await writer.close();
    await rm(directory, { recursive: true, force: true });
  }
}

function* recorded(file: string): Generator<{ readonly at: number; readonly set: EncodedChangeSet }> {
  const bytes = readFileSync(file);
  for (let at = 0; at < bytes.length;) {
    const length = bytes.readUInt32LE(at + 8);
    const from = bytes.byteOffset + at + HEADER_BYTES;
    yield { at: bytes.readDoubleLE(at), set: readChangeSet(bytes.buffer.slice(from, from + length)) };
    at += HEADER_BYTES + length;
  }
}
