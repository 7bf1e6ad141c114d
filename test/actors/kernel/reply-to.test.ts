import { test } from 'tap';
import { replyTo, type ReplyTo } from '../../../actors/kernel/address.ts';
import { mainThreadReplyTo } from '../../../actors/service/gateway/reply-address.ts';
import { done, refused, type Outcome } from '../../../src/core/problems.ts';

const reply = <Answer>(_to: ReplyTo<Answer>, answer: Answer): Answer => answer;

test('a reply address accepts answers of its type only, which the compiler checks', async (t) => {
  const to = replyTo<Outcome<number>>('a client');
  t.same(reply(to, done(1)), { ok: true, value: 1 });
  t.match(reply(to, refused('conflict', 'taken')), { ok: false });
  // @ts-expect-error: the caller waits for a number
  reply(to, done('one'));
  // @ts-expect-error: an outcome is expected
  reply(to, 1);
});

test('a caller cannot expect another answer than the message sends, which the compiler checks', async (t) => {
  const send = (message: { readonly replyTo: ReplyTo<Outcome<number>> }): object => message;
  const wider = mainThreadReplyTo<number | null>(7);
  t.ok(send({ replyTo: wider }), 'a caller may accept more than the message sends');
  const other = mainThreadReplyTo<string>(7);
  // @ts-expect-error: the message sends a number
  send({ replyTo: other });
});
