import { test } from 'tap';
import { createNatsUser } from '../../../bench/kit/nats-user.ts';
import { isSigned } from '../../../src/adapters/nats/user-keys.ts';

test('the library of NATS accepts the keys and signatures of the benches', (t) => {
  for (let nth = 0; nth < 5; nth++) {
    const user = createNatsUser();
    t.match(user.publicKey, /^U[A-Z2-7]{55}$/);
    t.ok(isSigned(user.publicKey, 'a nonce', user.sign('a nonce')), 'it has the key of the signature');
    t.notOk(isSigned(user.publicKey, 'another', user.sign('a nonce')));
  }
  t.end();
});
