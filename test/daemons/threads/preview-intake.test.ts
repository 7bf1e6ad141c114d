import sharp from 'sharp';
import { test } from 'tap';
import { PreviewIntake } from '../../../daemons/threads/preview-intake.ts';
import type { LogNotice } from '../../../daemons/threads/log-protocol.ts';
import type { WorkerId } from '../../../src/core/ids.ts';
import type { IncomingPreview } from '../../../src/core/ports/log-store.ts';
import type { PreviewMessage } from '../../../src/core/wire/bus-messages.ts';
import { attemptOf, JOB, taskOf, WORKER } from '../../kit/nats-members.ts';

const webp = await sharp({ create: { width: 32, height: 16, channels: 3, background: 'red' } })
  .webp()
  .toBuffer();
const large = await sharp({ create: { width: 400, height: 16, channels: 3, background: 'red' } })
  .webp()
  .toBuffer();

function intakeOf({
  isDiskLow = false,
  hasJob = true,
  worker = WORKER,
}: { isDiskLow?: boolean; hasJob?: boolean; worker?: WorkerId | null } = {}) {
  const stored: IncomingPreview[] = [];
  const done: string[] = [];
  const notices: LogNotice[] = [];
  let commits = 0;
  const intake = new PreviewIntake({
    writer: {
      keepPreviews: (previews) => {
        commits++;
        if (isDiskLow) return 'disk-low';
        stored.push(...previews);
        return 'stored';
      },
    },
    jobs: { has: (job) => hasJob && job === JOB },
    workerOf: () => worker,
    refused: (reason) => done.push(`refused ${reason}`),
    tell: (notice) => notices.push(notice),
    clock: { after: () => () => undefined },
  });
  const add = (content: Pick<PreviewMessage, 'data' | 'missing'>, sender: WorkerId | null = WORKER): void =>
    intake.add({
      message: { v: 1, task_id: taskOf(0), attempt_id: attemptOf(0), number: 0, path: '/a.png', ...content },
      storedAt: 5,
      deliveryNumber: 1,
      sender,
      acknowledge: () => done.push('acknowledged'),
      discard: () => done.push('discarded'),
    });
  return { intake, add, stored, done, notices, commits: () => commits };
}

void test('previews are stored together and then acknowledged', (t) => {
  const { intake, add, stored, done, commits } = intakeOf();
  add({ data: webp.toString('base64') });
  add({ missing: 'no such file' }, null);
  t.strictSame(done, []);
  intake.flush();
  t.equal(commits(), 1);
  t.match(stored, [
    { path: '/a.png', receivedAt: 5, content: { kind: 'image', width: 32, height: 16 } },
    { content: { kind: 'missing', reason: 'no such file' } },
  ]);
  t.strictSame(done, ['acknowledged', 'acknowledged']);
  t.end();
});

void test('an invalid preview, or one of another worker, is discarded', (t) => {
  for (const data of [Buffer.from('<svg/>'), large, Buffer.concat([webp, webp])]) {
    const { intake, add, stored, done, notices } = intakeOf();
    add({ data: data.toString('base64') });
    intake.flush();
    t.strictSame([stored, done], [[], ['discarded']]);
    t.match(notices, [{ type: 'log', level: 'warn' }]);
  }
  const unknown = intakeOf({ worker: null });
  unknown.add({ missing: 'x' });
  t.strictSame(unknown.done, ['discarded', 'refused unknown-attempt']);
  const foreign = intakeOf();
  foreign.add({ missing: 'x' }, '01890a5d-ac96-774b-bcce-b302099a8000' as WorkerId);
  t.strictSame(foreign.done, ['discarded', 'refused other-attempt']);
  const deleted = intakeOf({ hasJob: false });
  deleted.add({ missing: 'x' });
  t.strictSame(deleted.done, ['acknowledged']);
  t.end();
});

void test('nothing is acknowledged while the disk is low, and only some previews wait', (t) => {
  const low = intakeOf({ isDiskLow: true });
  low.add({ missing: 'x' });
  low.intake.flush();
  t.strictSame(low.done, []);
  const many = intakeOf();
  for (let count = 0; count < 100; count++) many.add({ missing: 'x' });
  many.intake.flush();
  t.equal(many.stored.length, 64);
  t.equal(many.done.length, 64);
  t.end();
});
