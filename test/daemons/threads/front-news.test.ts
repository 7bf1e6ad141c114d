import { EventEmitter, once } from 'node:events';
import { test } from 'tap';
import { FrontNews } from '../../../daemons/threads/front-news.ts';
import type { Said } from '../../../daemons/threads/shard-protocol.ts';

const NOTHING: Said = { answers: [], events: [], forwards: [], counts: [], forgotten: [] };
const eventOf = (text: string): Said => ({
  ...NOTHING,
  events: [{ subject: 'jobs', jobId: null, count: 1, payloads: text }],
});
const answerOf = (to: number): Said => ({ ...NOTHING, answers: [{ to, answer: 'yes' }] });

function openNews() {
  const posts: Said[] = [];
  const posted = new EventEmitter();
  const news = new FrontNews((said) => {
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
