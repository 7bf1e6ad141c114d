import fc from 'fast-check';
import { test } from 'tap';
import { LeaseRequestFrame, reportTail } from '../../../../bench/kit/swarm/lease-request-frame.ts';
import { ScannedReply, scanLeaseReply } from '../../../../bench/kit/swarm/scan-lease-reply.ts';
import { parseLeaseRequest } from '../../../../src/core/wire/lease-request.ts';

const WORKER = '01a1fdd6-80ba-7000-ad72-e3ba93d46191';
const FARM = '01a1fdd6-80fa-7000-afa4-1d2b87053755';
const JOB = '01a1fdd6-84aa-7000-8454-a083d2ff5d3a';
const SESSION = '01a1fdd6-84b4-7000-a96d-88fedc177bee';
const INBOX = '_INBOX.swarm.lease';
const SUBJECT = `work.lease._any.${WORKER}`;
const MOST = 128;

const frameOf = (): LeaseRequestFrame =>
  new LeaseRequestFrame({ workerId: WORKER, farmId: FARM, incarnation: '1', subject: SUBJECT, inbox: INBOX });

const attemptOf = (index: number): string => `${JOB}-0-${index}-1`;

function add(frame: LeaseRequestFrame, attempts: readonly string[]): void {
  for (const attempt of attempts) {
    const data = Buffer.from(`xx${attempt}yy`);
    frame.add(data, 2, 2 + attempt.length, reportTail(SESSION));
  }
}

/**
 * Returns the message that a server parses from the bytes, and the request that the service parses from the payload.
 */
function read(frame: LeaseRequestFrame): { readonly line: string; readonly reports: readonly string[] } {
  const text = Buffer.from(frame.bytes()).toString('latin1');
  const [line = '', payload = ''] = text.split('\r\n');
  if (Number(line.split(' ').at(-1)) !== payload.length) throw new Error(`${line}: ${payload.length} bytes`);
  if (payload.length !== frame.payloadBytes) throw new Error(`payloadBytes is ${frame.payloadBytes}`);
  if (!text.endsWith(`${payload}\r\n`)) throw new Error(text);
  const parsed = parseLeaseRequest(payload);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed));
  const { worker_id: worker, farm_id: farm, incarnation, reports = [] } = parsed.value;
  if (worker !== WORKER || farm !== FARM || incarnation !== '1') throw new Error(payload);
  for (const { status, exit_code: code, session_id: session } of reports) {
    if (status !== 'succeeded' || code !== 0 || session !== SESSION) throw new Error(payload);
  }
  return { line, reports: reports.map(({ attempt_id: id }) => id) };
}

function settle(frame: LeaseRequestFrame, confirmed: readonly string[]): number {
  const data = Buffer.from(JSON.stringify({ type: 'leases', assignments: [], confirmed }));
  const found = new ScannedReply(2 * MOST);
  scanLeaseReply(data, 0, data.length, found);
  return frame.settle(data, found, reportTail(SESSION));
}

test('is a valid request for the service, with any piggybacked reports', async () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(9_999_999), { maxLength: MOST, size: 'max' }), (indices) => {
      const frame = frameOf();
      const attempts = indices.map(attemptOf);
      add(frame, attempts);
      const { line, reports } = read(frame);
      return (
        line.startsWith(`PUB ${SUBJECT} ${INBOX} `) &&
        reports.join() === attempts.join() &&
        frame.ids().join() === attempts.join() &&
        frame.reports === attempts.length
      );
    }),
  );
});

test('keeps unconfirmed reports for the next request', async () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.record({ index: fc.nat(9_999_999), isConfirmed: fc.boolean() }), {
        maxLength: MOST,
        size: 'max',
        selector: ({ index }) => index,
      }),
      fc.array(fc.integer({ min: 10_000_000, max: 10_000_009 })),
      fc.boolean(),
      (reports, strangers, isReversed) => {
        const frame = frameOf();
        add(
          frame,
          reports.map(({ index }) => attemptOf(index)),
        );
        read(frame);
        const confirmed = reports
          .filter(({ isConfirmed }) => isConfirmed)
          .map(({ index }) => attemptOf(index));
        const said = [...strangers.map(attemptOf), ...(isReversed ? confirmed.toReversed() : confirmed)];
        const left = reports.filter(({ isConfirmed }) => !isConfirmed).map(({ index }) => attemptOf(index));
        return settle(frame, said) === confirmed.length && read(frame).reports.join() === left.join();
      },
    ),
  );
});

test('removes reports that are confirmed in order', async (t) => {
  const frame = frameOf();
  const attempts = [attemptOf(1), attemptOf(2)];
  add(frame, attempts);
  t.equal(settle(frame, attempts), 2);
  t.same(read(frame).reports, []);
  add(frame, [attemptOf(3)]);
  t.same(read(frame).reports, [attemptOf(3)]);
});
