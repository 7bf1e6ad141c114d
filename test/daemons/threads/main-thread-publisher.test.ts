import { EventEmitter, once } from 'node:events';
import { test } from 'tap';
import { MainThreadPublisher } from '../../../daemons/threads/main-thread-publisher.ts';
import type { OutboxBatch } from '../../../actors/service/gateway/outbox-batch.ts';

const NOTHING: OutboxBatch = { answers: [], events: [], forwards: [], counts: [], logDeletions: [] };
const eventOf = (text: string): OutboxBatch => ({
  ...NOTHING,
  events: [{ subject: 'jobs', jobId: null, count: 1, payloads: text }],
});
const answerOf = (to: number): OutboxBatch => ({ ...NOTHING, answers: [{ to, answer: 'yes' }] });

function openNews() {
  const posts: OutboxBatch[] = [];
  const posted = new EventEmitter();
  const news = new MainThreadPublisher((said) => {
    posts.push(said);
    posted.emit('post');
  });
  return { posts, posted, news };
}

test('events of several windows are posted together, in order, a little later', async (t) => {
  const { posts, posted, news } = openNews();
  const post = once(posted, 'post');
  news.tell(eventOf('[1]'));
  news.tell(NOTHING);
  news.tell(eventOf('[2]'));
  t.strictSame(posts, []);
  await post;
  t.strictSame(posts, [{ ...NOTHING, events: [...eventOf('[1]').events, ...eventOf('[2]').events] }]);
  const next = once(posted, 'post');
  news.tell(eventOf('[3]'));
  await next;
  t.strictSame(posts.slice(1), [eventOf('[3]')]);
});

test('an answer leaves at once, with what was kept back before it', (t) => {
  const { posts, news } = openNews();
  news.tell(answerOf(1));
  t.strictSame(posts.splice(0), [answerOf(1)]);
  news.tell(eventOf('[1]'));
  news.tell({ ...eventOf('[2]'), answers: answerOf(2).answers });
  t.strictSame(posts.splice(0), [
    { ...answerOf(2), events: [...eventOf('[1]').events, ...eventOf('[2]').events] },
  ]);
  news.close();
  t.strictSame(posts, [], 'nothing is left');
  t.end();
});

test('what is kept back at the end is posted, and nothing is when there is nothing', (t) => {
  const { posts, news } = openNews();
  news.tell(NOTHING);
  news.close();
  t.strictSame(posts, []);
  news.tell(eventOf('[1]'));
  news.close();
  t.strictSame(posts, [eventOf('[1]')]);
  t.end();
});
