import { test } from 'tap';
import { PageWindow, type Page } from '../../../../web/parts/data-table/page-window.ts';

interface Row {
  readonly id: number;
  readonly text: string;
}
interface Request {
  readonly offset: number;
  readonly resolve: (page: Page<Row>) => void;
  readonly reject: (error: Error) => void;
}

/** A list of `total` rows whose responses the test controls, and a manual clock. */
function harness(total: number, cached: (offset: number) => Page<Row> | undefined = () => undefined) {
  const requests: Request[] = [];
  const canceled: number[] = [];
  const timers: { at: number; act: () => void }[] = [];
  let now = 0;
  const service = { total, text: 'old' };
  const window = new PageWindow<Row>({
    pageSize: 10,
    idOf: (row) => String(row.id),
    fetch: (offset) =>
      new Promise((resolve, reject) => {
        requests.push({ offset, resolve, reject });
      }),
    cancel: (offset) => canceled.push(offset),
    cached,
    changed: () => undefined,
    now: () => now,
    later: (act, ms) => {
      const timer = { at: now + ms, act };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
  });
  const pageAt = (offset: number): Page<Row> => ({
    total: service.total,
    rows: Array.from({ length: Math.max(0, Math.min(10, service.total - offset)) }, (_unused, index) => ({
      id: offset + index,
      text: service.text,
    })),
  });
  return {
    window,
    service,
    canceled,
    /** Offsets of the open requests. */
    asked: () => requests.map((request) => request.offset),
    answer: async () => {
      for (const request of requests.splice(0)) request.resolve(pageAt(request.offset));
      await new Promise(setImmediate);
    },
    refuse: async () => {
      for (const request of requests.splice(0)) request.reject(new Error('refused'));
      await new Promise(setImmediate);
    },
    pass: (ms: number) => {
      now += ms;
      for (const timer of timers.filter((one) => one.at <= now)) {
        timers.splice(timers.indexOf(timer), 1);
        timer.act();
      }
    },
  };
}

test('pages in view are loaded once', async (t) => {
  const { window, asked, answer } = harness(100);
  window.open();
  t.same(asked(), [0], 'one page until the length is known');
  t.equal(window.total, null);
  t.equal(window.isFetching, true);
  window.need(5, 25);
  await answer();
  t.same([window.total, window.row(0), window.row(10)], [100, { id: 0, text: 'old' }, undefined]);
  t.same(asked(), [10, 20]);
  await answer();
  t.same(window.row(25), { id: 25, text: 'old' });
  window.need(0, 29);
  t.same(asked(), []);
  t.equal(window.isFetching, false);
});

test('after a fast scroll only the final position is loaded, with few parallel requests', async (t) => {
  const { window, asked, answer, canceled, pass } = harness(10_000);
  window.open();
  await answer();
  pass(1_000);
  for (let row = 0; row < 9_000; row += 100) window.need(row, row + 19);
  t.ok(asked().length <= 4, `${asked().length} requests`);
  t.ok(canceled.length >= 3, 'requests for pages out of view are canceled');
  await answer();
  pass(100);
  pass(100);
  await answer();
  t.same(window.row(8_900), { id: 8_900, text: 'old' });
  t.equal(window.row(4_000), undefined, 'pages scrolled past are not loaded');
});

test('requests are spaced', async (t) => {
  const { window, asked, answer, pass } = harness(10_000);
  window.open();
  await answer();
  let sent = 1;
  for (let page = 1; page < 50; page += 1) {
    window.need(page * 10, page * 10 + 9);
    sent += asked().length;
    await answer();
  }
  t.ok(sent <= 5, `${sent} at once`);
  for (let tenth = 0; tenth < 10; tenth += 1) {
    window.need(1_000 + tenth * 20, 1_009 + tenth * 20);
    pass(100);
    sent += asked().length;
    await answer();
  }
  t.ok(sent <= 16, `${sent} in a second`);
});

test('rows are changed in place', async (t) => {
  const { window, answer } = harness(3);
  window.open();
  await answer();
  const first = window.row(0);
  window.patch((row) => (row.id === 1 ? { ...row, text: 'new' } : row));
  t.equal(window.row(0), first);
  t.same(window.row(1), { id: 1, text: 'new' });
});

test('dropped rows are removed, and the view is loaded again', async (t) => {
  const { window, asked, answer, service } = harness(15);
  window.open();
  await answer();
  service.total = 13;
  t.equal(
    window.drop((row) => row.id < 2),
    2,
  );
  t.same([window.total, window.row(0)], [13, { id: 2, text: 'old' }]);
  t.same(asked(), [0]);
  t.equal(
    window.drop((row) => row.id > 100),
    0,
  );
});

test('a response from before a drop is discarded', async (t) => {
  const { window, answer, asked } = harness(20);
  window.open();
  await answer();
  window.refresh();
  t.same(asked(), [0]);
  window.drop((row) => row.id === 0);
  await answer();
  t.same(window.row(0), { id: 1, text: 'old' });
  t.same(asked(), [0], 'the page is requested again');
});

test('a refresh loads the view, and refreshes in quick succession are merged', async (t) => {
  const { window, asked, answer, service, pass } = harness(100);
  window.open();
  window.need(0, 19);
  await answer();
  await answer();
  window.need(20, 29);
  await answer();
  service.text = 'new';
  pass(1_000);
  window.refresh();
  window.refresh();
  t.same(asked(), [20], 'only the view');
  t.same(window.row(20), { id: 20, text: 'old' }, 'old rows stay until the response');
  await answer();
  t.same(window.row(20), { id: 20, text: 'new' });
  t.same(asked(), []);
  pass(500);
  t.same(asked(), [20], 'the second one, half a second after the first');
  await answer();
  window.need(0, 9);
  t.same([asked(), window.row(0)], [[0], { id: 0, text: 'old' }], 'other pages when they come into view');
});

test('a list that has grown or shrunk shows its new length', async (t) => {
  const { window, answer, service, pass } = harness(15);
  window.open();
  window.need(0, 19);
  await answer();
  await answer();
  service.total = 25;
  pass(1_000);
  window.refresh();
  window.need(0, 24);
  for (let turn = 0; turn < 4; turn += 1) {
    await answer();
    pass(100);
  }
  t.same([window.total, window.row(24)?.id], [25, 24]);
  service.total = 2;
  pass(1_000);
  window.refresh();
  for (let turn = 0; turn < 4; turn += 1) {
    await answer();
    pass(100);
  }
  t.same([window.total, window.row(1)?.id, window.row(2)], [2, 1, undefined]);
});

test('freshen updates values without moving rows, and drift counts the added rows', async (t) => {
  const { window, answer, service, asked, pass } = harness(15);
  window.open();
  window.need(0, 5);
  await answer();
  service.total = 18;
  service.text = 'new';
  window.freshen();
  window.freshen();
  pass(0);
  t.same(asked(), [0], 'once');
  await answer();
  t.same([window.total, window.drift, window.row(3)], [15, 3, { id: 3, text: 'new' }]);
  t.same(window.inView().length, 6);
  window.freshen();
  pass(0);
  t.same(asked(), [], 'not before the minimum interval');
  pass(500);
  t.same(asked(), [0]);
  await answer();
  window.refresh();
  await answer();
  t.same([window.total, window.drift], [18, 0]);
});

test('an error is reported, and a refresh repeats the request', async (t) => {
  const { window, asked, answer, refuse, pass } = harness(5);
  window.open();
  await refuse();
  t.match(window.error, { message: 'refused' });
  window.need(0, 4);
  t.same(asked(), [], 'no automatic repetition');
  pass(1_000);
  window.refresh();
  await answer();
  t.same([window.error, window.total], [null, 5]);
});

test('a cached page is shown until it is loaded again', async (t) => {
  const known = { total: 3, rows: [0, 1, 2].map((id) => ({ id, text: 'known' })) };
  const { window, asked, answer } = harness(3, (offset) => (offset === 0 ? known : undefined));
  t.same([window.total, window.row(2)], [3, { id: 2, text: 'known' }]);
  window.open();
  t.same(asked(), [0]);
  await answer();
  t.same(window.row(2), { id: 2, text: 'old' });
});

test('rows of a selection are loaded outside the view', async (t) => {
  const { window, answer, asked } = harness(100);
  window.open();
  await answer();
  const loaded = window.load(0, 35);
  for (const offset of [10, 20, 30]) {
    t.same(asked(), [offset]);
    await answer();
  }
  await loaded;
  t.same(window.row(35), { id: 35, text: 'old' });
});

test('a closed window loads nothing, and continues when it is opened', async (t) => {
  const { window, answer, asked, canceled } = harness(10);
  window.need(0, 9);
  t.same(asked(), []);
  window.open();
  window.close();
  t.same(canceled, [0]);
  await answer();
  t.equal(window.total, null, 'the canceled response is discarded');
  window.open();
  await answer();
  t.equal(window.total, 10);
});

test('an empty list is requested once', async (t) => {
  const { window, answer, asked } = harness(0);
  window.open();
  await answer();
  t.same([window.total, asked()], [0, []]);
});
