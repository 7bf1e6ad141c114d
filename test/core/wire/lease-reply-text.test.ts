import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { test } from 'tap';
import { jobId, stepIdOf } from '../../../src/core/ids.ts';
import type { LeaseReply } from '../../../src/core/wire/bus-messages.ts';
import { LeaseReplyWriter } from '../../../src/core/wire/lease-reply-text.ts';
import { parseLeaseReply } from '../../../src/core/wire/service-messages.ts';
import { messages } from './messages.arbitrary.ts';

const STEP = stepIdOf(jobId('01890a5d-ac96-774b-bcce-b302099a8057'), 0);
const read = (text: string): unknown => JSON.parse(text);

test('a reply is formatted as by JSON.stringify, except for the order of fields', (t) => {
  fc.assert(
    fc.property(fc.array(messages.leaseReply, { maxLength: 4 }), (replies) => {
      const writer = new LeaseReplyWriter();
      // Twice: the second time from cached texts.
      for (const reply of [...replies, ...replies]) {
        const text = writer.textOf(reply);
        t.ok(isDeepStrictEqual(read(text), read(JSON.stringify(reply))), text);
        t.ok(isDeepStrictEqual(parseLeaseReply(text), parseLeaseReply(JSON.stringify(reply))), text);
      }
    }),
    { numRuns: 60 },
  );
  t.end();
});

test('the parts of a step are cached by content, not by object', (t) => {
  fc.assert(
    fc.property(messages.leaseReply, fc.nat(), fc.string(), (reply, readyLeft, name) => {
      fc.pre(reply.type === 'leases');
      const writer = new LeaseReplyWriter();
      writer.textOf(reply);
      const steps = Object.fromEntries(
        Object.entries(reply.steps).map(([id, step]) => [
          id,
          { ...step, job_name: name, ready_left: readyLeft, memory_mib: readyLeft },
        ]),
      );
      const next: LeaseReply = { ...reply, steps };
      const text = writer.textOf(next);
      t.ok(isDeepStrictEqual(read(text), read(JSON.stringify(next))), text);
    }),
    { numRuns: 60 },
  );
  t.end();
});

test('replies are correct with more texts than the cache can hold', (t) => {
  const writer = new LeaseReplyWriter();
  const replies = Array.from({ length: 12 }, (_, at): LeaseReply => {
    const data = String(at).repeat(1024 * 1024);
    const embeddedFiles = [{ name: 'data', runnable: false, data }];
    const step = {
      job_name: 'j',
      step_name: 's',
      job_parameters: {},
      job_environments: [],
      step_environments: [],
      script: { onRun: { command: 'true', args: [] }, embeddedFiles },
      compute_location: '',
    };
    return {
      v: 1,
      type: 'leases',
      assignments: [],
      steps: { [STEP]: step },
    };
  });
  for (const reply of [...replies, ...replies]) {
    t.ok(writer.textOf(reply) === JSON.stringify(reply), 'the text is that of the reply');
  }
  t.end();
});
