import { test } from 'tap';
import { Session, type Identity } from '../../../web/state/session.ts';

/** A session whose server answers `identity`, and what it did to the page. */
function fixture(identity: Identity) {
  const server = { identity, asked: 0 };
  const done: string[] = [];
  const session = new Session({
    identify: () => {
      server.asked += 1;
      return Promise.resolve(server.identity);
    },
    leave: () => done.push('leave'),
    reload: () => done.push('reload'),
  });
  return { server, done, session };
}

const ADA: Identity = { kind: 'user', subject: 'ada' };
const SIGNED_OUT: Identity = { kind: 'signed-out' };

test('a page without a user leads to the sign-in page', async (t) => {
  const { session, done } = fixture(SIGNED_OUT);
  void session.refused(false, undefined);
  await session.check();
  t.ok(done.length > 0 && done.every((what) => what === 'leave'));
  t.equal(session.state(), 'unknown');
});

test('a 401 while authentication is off fails the request', async (t) => {
  const { session, done } = fixture({ kind: 'not-asked' });
  t.equal(await session.refused(true, undefined), false);
  t.strictSame(done, []);
});

test('requests wait while the session has ended, and are repeated after the sign-in', async (t) => {
  const { session, server, done } = fixture(SIGNED_OUT);
  session.identified('ada');
  t.equal(session.state(), 'active');
  const waiting = [session.refused(false, undefined), session.refused(true, undefined)];
  await session.check();
  t.equal(session.state(), 'ended');
  t.ok(server.asked <= 2, 'requests at the same time ask the server together');
  server.identity = ADA;
  await session.check();
  t.strictSame(await Promise.all(waiting), [true, true]);
  t.equal(session.state(), 'active');
  t.strictSame(done, []);
});

test('a late 401 of the old session repeats the request at once', async (t) => {
  const { session } = fixture(ADA);
  session.identified('ada');
  t.equal(await session.refused(false, undefined), true);
  t.equal(session.state(), 'active');
});

test('a postponed sign-in fails the requests, and only a change asks again', async (t) => {
  const { session, server } = fixture(SIGNED_OUT);
  session.identified('ada');
  const waiting = session.refused(false, undefined);
  await session.check();
  session.postpone();
  t.equal(await waiting, false);
  t.equal(await session.refused(false, undefined), false);
  t.equal(session.state(), 'postponed');
  const change = session.refused(true, undefined);
  await session.check();
  t.equal(session.state(), 'ended');
  server.identity = ADA;
  await session.check();
  t.equal(await change, true);
  server.identity = SIGNED_OUT;
  await session.check();
  session.postpone();
  session.resume();
  t.equal(session.state(), 'ended');
});

test('another user reloads the page, and no request is repeated for that user', async (t) => {
  const { session, server, done } = fixture(SIGNED_OUT);
  session.identified('ada');
  const waiting = session.refused(true, undefined);
  await session.check();
  server.identity = { kind: 'user', subject: 'grace' };
  await session.check();
  t.strictSame(done, ['reload']);
  t.equal(session.state(), 'ended');
  t.equal(await Promise.race([waiting, Promise.resolve('waits')]), 'waits');
});

test('an aborted request does not wait', async (t) => {
  const { session } = fixture(SIGNED_OUT);
  session.identified('ada');
  const abort = new AbortController();
  const waiting = session.refused(false, abort.signal);
  await session.check();
  const reason = new Error('the page has moved on');
  abort.abort(reason);
  await t.rejects(waiting, reason);
});
