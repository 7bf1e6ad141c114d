import { BroadcastChannel } from 'node:worker_threads';
import { takeProfile, type ProfileKind } from './profile.ts';

/** Channel of requests for profiles to all threads of this process. */
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
  /** The requester no longer waits for it. */
  | { readonly type: 'end'; readonly id: number };

/** Reply, on a channel per request. */
export type ProfileAnswer =
  | { readonly ok: true; readonly profile: string }
  | { readonly ok: false; readonly reason: string };

/** Serves requests for profiles of the calling thread. Does not keep the thread alive. */
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
 * Requests a profile from a thread of this process. Resolves with null if it has not replied `graceMs` after the time,
 * or if the signal aborts, which ends the profile.
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
    const post = (message: ProfileMessage): void => requests.postMessage(message);
    replies.onmessage = (event) => end((event as { readonly data: ProfileAnswer }).data);
    signal.addEventListener('abort', giveUp, { once: true });
    post({ type: 'take', id, thread, kind, milliseconds });
    if (signal.aborted) giveUp();

    function giveUp(): void {
      post({ type: 'end', id });
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
