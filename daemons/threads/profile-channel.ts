import { BroadcastChannel } from 'node:worker_threads';
import { takeProfile, type ProfileKind } from './profile.ts';

/** Where threads of this process hear that a profile of one of them is wanted. */
const REQUESTS = 'callsheet profile requests';
const repliesTo = (id: number): string => `callsheet profile ${id}`;

type ProfileMessage =
  | {
      readonly type: 'take';
      readonly id: number;
      readonly thread: string;
      readonly kind: ProfileKind;
      readonly milliseconds: number;
    }
  /** Nobody waits for it any more. */
  | { readonly type: 'end'; readonly id: number };

/** The answer, on a channel of its own. */
export type ProfileAnswer =
  { readonly ok: true; readonly profile: string } | { readonly ok: false; readonly reason: string };

/** Lets profiles be taken of the thread that calls this. Keeps no thread alive. */
export function serveProfiles(thread: string): void {
  const requests = new BroadcastChannel(REQUESTS);
  const running = new Map<number, AbortController>();
  const take = async (id: number, kind: ProfileKind, milliseconds: number): Promise<void> => {
    const ending = new AbortController();
    running.set(id, ending);
    let answer: ProfileAnswer;
    try {
      answer = { ok: true, profile: await takeProfile(kind, milliseconds, ending.signal) };
    } catch (error) {
      answer = { ok: false, reason: error instanceof Error ? error.message : String(error) };
    }
    running.delete(id);
    const replies = new BroadcastChannel(repliesTo(id));
    replies.postMessage(answer);
    replies.close();
  };
  requests.onmessage = (event) => {
    const message = (event as { readonly data: ProfileMessage }).data;
    if (message.type === 'end') running.get(message.id)?.abort();
    else if (message.thread === thread) void take(message.id, message.kind, message.milliseconds);
  };
  requests.unref();
}

/**
 * Has a thread of this process that serves profiles take one. Resolves with null when it has not answered `graceMs` after the time, or when
 * the signal aborts, which ends the profile.
 */
export function profileOf(
  { thread, kind, milliseconds }: Omit<Extract<ProfileMessage, { type: 'take' }>, 'type' | 'id'>,
  graceMs: number,
  signal: AbortSignal,
): Promise<ProfileAnswer | null> {
  const id = nextId++;
  const requests = new BroadcastChannel(REQUESTS);
  const replies = new BroadcastChannel(repliesTo(id));
  return new Promise((resolve) => {
    const timer = setTimeout(giveUp, milliseconds + graceMs);
    const say = (message: ProfileMessage): void => requests.postMessage(message);
    replies.onmessage = (event) => end((event as { readonly data: ProfileAnswer }).data);
    signal.addEventListener('abort', giveUp, { once: true });
    say({ type: 'take', id, thread, kind, milliseconds });
    if (signal.aborted) giveUp();

    function giveUp(): void {
      say({ type: 'end', id });
      end(null);
    }
    function end(answer: ProfileAnswer | null): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
      replies.close();
      requests.close();
      resolve(answer);
    }
  });
}

let nextId = 1;
