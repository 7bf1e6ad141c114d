import { EventEmitter, once } from 'node:events';
import { test } from 'tap';
import { MainThreadPublisher } from '../../../daemons/threads/main-thread-publisher.ts';
import type { OutboxBatch } from '../../../actors/service/gateway/outbox-batch.ts';

const NOTHING: OutboxBatch = {
  answers: [],
  events: [],
  forwards: [],
  counts: [],
  logDeletions: [],
  busNotices: [],
  webhookOrders: [],
};
const eventOf = (text: string): OutboxBatch => ({
  ...NOTHING,
  events: [{ subject: 'jobs', jobId: null, count: 1, payloads: text }],
});
const answerOf = (to: number): OutboxBatch => ({ ...NOTHING, answers: [{ to, answer: 'yes' }] });

function publisherFixture() {
  const posts: OutboxBatch[] = [];
  const posted = new EventEmitter();
  const publisher = new MainThreadPublisher((batch) => {
    posts.push(batch);
    posted.emit('post');
  });
  return { posts, posted, publisher };
}

test('events of several windows are posted together, in order, after a delay', async (t) => {
  const { posts, posted, publisher } = publisherFixture();
  const post = once(posted, 'post');
  publisher.publish(eventOf('[1]'));
  publisher.publish(NOTHING);
  publisher.publish(eventOf('[2]'));
  t.strictSame(posts, []);
  await post;
  t.strictSame(posts, [{ ...NOTHING, events: [...eventOf('[1]').events, ...eventOf('[2]').events] }]);
  const next = once(posted, 'post');
  publisher.publish(eventOf('[3]'));
  await next;
  t.strictSame(posts.slice(1), [eventOf('[3]')]);
});

test('an answer is posted at once, with the events before it', (t) => {
  const { posts, publisher } = publisherFixture();
  publisher.publish(answerOf(1));
  t.strictSame(posts.splice(0), [answerOf(1)]);
  publisher.publish(eventOf('[1]'));
  publisher.publish({ ...eventOf('[2]'), answers: answerOf(2).answers });
  t.strictSame(posts.splice(0), [
    { ...answerOf(2), events: [...eventOf('[1]').events, ...eventOf('[2]').events] },
  ]);
  publisher.close();
  t.strictSame(posts, [], 'nothing is pending');
  t.end();
});

test('close posts pending events, and nothing if there are none', (t) => {
  const { posts, publisher } = publisherFixture();
  publisher.publish(NOTHING);
  publisher.close();
  t.strictSame(posts, []);
  publisher.publish(eventOf('[1]'));
  publisher.close();
  t.strictSame(posts, [eventOf('[1]')]);
  t.end();
});
