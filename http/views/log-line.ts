import { setImmediate } from 'node:timers/promises';
import { parseAttemptId, type AttemptAddress } from '../../src/core/ids.ts';
import type { LogReader } from '../../src/core/ports/log-store.ts';
import { positionAfter, type LineMark, type LinePosition } from '../../src/core/records/log-lines.ts';

const CHUNKS_AT_ONCE = 1000;
const CHARACTERS_AT_ONCE = 64 * 1024;

/**
 * Returns where to start reading the log of an attempt to get a line, from 1: at a chunk at most about 64 Ki characters
 * before the end of the line, or before the end of the log if the line does not exist yet. Other requests are served
 * between the parts that are read, which are many only if the lines of the attempt were not counted.
 */
export async function lineStart(
  logs: Pick<LogReader, 'page' | 'markBefore'>,
  attempt: AttemptAddress,
  line: number,
): Promise<LineMark> {
  let at = logs.markBefore(attempt, line);
  let found = at;
  for (;;) {
    const chunks = logs.page(attempt, at.afterBusSeq, CHUNKS_AT_ONCE, CHARACTERS_AT_ONCE);
    const last = chunks.at(-1);
    if (last === undefined) return found;
    let position: LinePosition = at;
    for (const { attemptId, stream, data } of chunks) {
      if (parseAttemptId(attemptId)?.attemptNumber !== attempt.attemptNumber) continue;
      found = at;
      position = positionAfter(position, stream, data);
    }
    if (position.lines >= line) return found;
    at = { ...position, afterBusSeq: last.busSeq };
    await setImmediate();
  }
}
