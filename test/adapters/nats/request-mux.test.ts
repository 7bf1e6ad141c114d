import fc from 'fast-check';
import type { Msg, NatsConnection, SubscriptionOptions } from '@nats-io/transport-node';
import { test } from 'tap';
import { RequestMux, type Answer } from '../../../src/adapters/nats/request-mux.ts';
import { RandomTokens } from '../../../src/adapters/nats/random-tokens.ts';
import { isInbox } from '../../../src/core/wire/identifiers.ts';

const WAIT_MS = 60_000;

/** A mux over a transport that keeps the reply subjects of requests, and delivers replies of the test. */
function openMux() {
  const inboxes: string[] = [];
  const late: string[] = [];
  let deliver: (message: Msg) => void = () => undefined;
  let subscribed = '';
  const mux = new RequestMux(
    {
      publish: (_subject, _text, options = {}) => {
        inboxes.push(options.reply ?? '');
        return 'sent';
      },
    },
    '_INBOX',
    { kind: 'lease', answered: ({ data }) => late.push(new TextDecoder().decode(data)) },
  );
  const subscribe = (
    subject: string,
    options?: SubscriptionOptions,
  ): ReturnType<NatsConnection['subscribe']> => {
    subscribed = subject;
    deliver = (message) => {
      void options?.callback?.(null, message);
    };
    // The mux does not use the subscription.
    return undefined as never;
  };
  mux.sessionStarted({ subscribe });
  return {
    mux,
    inboxes,
    late,
    root: subscribed.slice(0, -2),
    reply: (subject: string, text: string): void =>
      deliver({ subject, data: new TextEncoder().encode(text) } as unknown as Msg),
  };
}

const textOf = (answer: Answer): string =>
  answer.type === 'answered' ? new TextDecoder().decode(answer.message.data) : answer.type;

test('inboxes are unguessable: each start and each request has random names', (t) => {
  const roots = new Set(Array.from({ length: 1000 }, () => openMux().root));
  t.equal(roots.size, 1000);
  for (const root of roots) t.match(root, /^_INBOX\.[A-Za-z0-9_-]{24}$/);
  const tokens = new RandomTokens();
  const drawn = new Set(Array.from({ length: 10_000 }, () => tokens.next()));
  t.equal(drawn.size, 10_000);
  for (const token of drawn) if (!/^[A-Za-z0-9_-]{22}$/.test(token)) t.fail(token);
  // Every character takes all values, over all tokens.
  for (let at = 0; at < 21; at++) t.equal(new Set([...drawn].map((token) => token[at])).size, 64);
  t.end();
});

test('replies settle their own requests once, in any order, and forged ones settle none', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('lease', 'store'), { minLength: 1, maxLength: 12, size: 'max' }),
      fc.array(fc.record({ at: fc.nat(11), times: fc.integer({ min: 1, max: 3 }) }), {
        maxLength: 20,
        size: 'max',
      }),
      fc.array(fc.stringMatching(/^[A-Za-z0-9_-]{1,22}$/), { maxLength: 20, size: 'max' }),
      fc.boolean(),
      async (kinds, replies, forged, isGivenUpFirst) => {
        const { mux, inboxes, late, root, reply } = openMux();
        const answers = kinds.map((kind, index) =>
          mux.ask({ subject: 'x', timeoutMs: WAIT_MS, kind }, String(index)),
        );
        if (inboxes.some((inbox) => !isInbox(inbox))) throw new Error('the service would refuse the inbox');
        if (new Set(inboxes).size !== kinds.length) throw new Error('two requests have one token');
        for (const token of [...forged, 'lease1', 'store1', '', '*', '>'])
          reply(`${root}.${token}`, 'forged');
        if (isGivenUpFirst) mux.giveUp('lease');
        const answered = new Set<number>();
        for (const { at, times } of replies) {
          const inbox = inboxes[at];
          if (inbox === undefined) continue;
          answered.add(at);
          for (let time = 0; time < times; time++) reply(inbox, `${at}`);
        }
        mux.sessionEnded();
        const texts = (await Promise.all(answers)).map(textOf);
        const lateOnes: string[] = [];
        for (const [at, kind] of kinds.entries()) {
          const isLate = isGivenUpFirst && kind === 'lease';
          if (isLate && answered.has(at)) lateOnes.push(`${at}`);
          const expected = isLate ? 'timedOut' : answered.has(at) ? `${at}` : 'disconnected';
          if (texts[at] !== expected) throw new Error(`request ${at}: ${texts[at]} is not ${expected}`);
        }
        if (late.toSorted().join() !== lateOnes.toSorted().join())
          throw new Error(`late: ${late.join()} is not ${lateOnes.join()}`);
        // Nothing is valid a second time, and only lost lease requests are still open to a late reply.
        const before = late.length;
        for (const inbox of inboxes) for (let time = 0; time < 2; time++) reply(inbox, 'again');
        const open = kinds.filter((kind, at) => kind === 'lease' && !answered.has(at)).length;
        if (late.length - before !== open) throw new Error(`${late.length - before} replies were late twice`);
      },
    ),
    { numRuns: 300 },
  );
  t.pass('300 runs');
});

test('late replies are remembered for a limited number of requests', async (t) => {
  const { mux, inboxes, late, reply } = openMux();
  const answers = Array.from({ length: 3000 }, () =>
    mux.ask({ subject: 'x', timeoutMs: WAIT_MS, kind: 'lease' }, ''),
  );
  mux.giveUp('lease');
  await Promise.all(answers);
  for (const [at, inbox] of inboxes.entries()) reply(inbox, String(at));
  t.equal(late.length, 1000);
  t.equal(late[0], '2000', 'the oldest are forgotten');
});
