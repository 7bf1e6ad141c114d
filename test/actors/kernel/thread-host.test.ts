import { test } from 'tap';
import type { Envelope } from '../../../actors/kernel/address.ts';
import { ThreadHost } from '../../../actors/kernel/thread-host.ts';
import { completeImmediately, flushImmediately } from '../../../actors/kernel/immediate-flush.ts';
import { scriptActors, type ScriptWorld, type Step } from '../../kit/script-actors.ts';

const script = (id: string, ...steps: Step[]): Envelope<ScriptWorld['messages']> => ({
  actor: 'script',
  id,
  message: { type: 'run', steps },
});

/** A host whose store takes a moment for each commit. */
function hostOf(): {
  readonly host: ThreadHost<ScriptWorld>;
  readonly outputs: string[];
  readonly nextOutput: () => Promise<string>;
} {
  const disk = new Map<string, number>();
  const outputs: string[] = [];
  let listener: ((text: string) => void) | null = null;
  const host = new ThreadHost<ScriptWorld>(scriptActors().definitions, {
    reader: disk,
    newId: () => 'an id',
    commit: (changes, onCommit) => {
      setImmediate(() => {
        for (const { id, value } of changes) if (value !== null) disk.set(id, value);
        completeImmediately(onCommit)();
      });
    },
    prepareFlush: (flushed) =>
      flushImmediately(() => {
        for (const output of flushed) {
          if (output.kind !== 'effect') continue;
          outputs.push(output.effect);
          listener?.(output.effect);
        }
      }),
    log: () => undefined,
    fatal: (error) => {
      throw error;
    },
  });
  const nextOutput = (): Promise<string> =>
    new Promise((resolve) => {
      listener = resolve;
    });
  return { host, outputs, nextOutput };
}

test('a host handles posted messages in order until everything is readable', async (t) => {
  const { host, outputs } = hostOf();
  t.teardown(() => {
    host.stop();
  });
  let settled = 0;
  for (let value = 1; value <= 5; value++) {
    host.post(script('a', { do: 'write', value }, { do: 'say', label: 'has' }), () => settled++);
  }
  await host.idle();
  t.strictSame(outputs, ['a has 1', 'a has 2', 'a has 3', 'a has 4', 'a has 5']);
  t.equal(settled, 5);
  await host.idle();
  t.pass('an idle host resolves idle() at once');
});

test('a host wakes for timers', async (t) => {
  const { host, outputs, nextOutput } = hostOf();
  t.teardown(() => {
    host.stop();
  });
  const say = (label: string): Step => ({ do: 'say', label });
  host.post(
    script(
      'a',
      { do: 'after', name: 'far', ms: 3_600_000, steps: [say('far')] },
      { do: 'after', name: 'near', ms: 2, steps: [{ do: 'write', value: 3 }, say('near')] },
    ),
  );
  t.equal(await nextOutput(), 'a near 3');
  await host.idle();
  t.strictSame(outputs, ['a near 3'], 'the timer in an hour has not fired');
});

test('a host becomes idle by itself after a throw and a retry', async (t) => {
  const { host, outputs } = hostOf();
  t.teardown(() => {
    host.stop();
  });
  host.post(script('a', { do: 'write', value: 1 }));
  host.post(script('a', { do: 'throw', label: 'once', times: 1 }, { do: 'say', label: 'second try' }));
  host.post(script('a', { do: 'say', label: 'next' }));
  await host.idle();
  t.strictSame(outputs, ['a second try 1', 'a next 1']);
});
