/**
 * A toast is shown until it is closed. Invariants: at most five, the newest last. Exits: `close` by the user or a
 * timer, or a newer toast.
 */

import { ProblemError, ServiceUnreachable } from '../../client/problem.ts';

/** A short message to the user. */
export interface Toast {
  readonly id: number;
  readonly kind: 'done' | 'failed';
  readonly title: string;
  readonly detail: string;
  /** Identifies the request in the server's log; empty if no request failed. */
  readonly requestId: string;
  /** Page with details; empty if there is none. */
  readonly href: string;
}

/** Success messages close after this time; errors stay until the user closes them. */
const DONE_MS = 5_000;
const TOASTS_MAX = 5;
const RATE_LIMITED = 'Too many requests';

class Toasts {
  #list: readonly Toast[] = [];
  #nextId = 1;
  readonly #listeners = new Set<() => void>();

  readonly list = (): readonly Toast[] => this.#list;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  done(title: string, detail = ''): void {
    const { id } = this.#add({ kind: 'done', title, detail, requestId: '', href: '' });
    setTimeout(() => this.close(id), DONE_MS);
  }

  /** `title` names the action that failed: "Could not cancel the job". */
  failed(error: unknown, title: string): void {
    if (isAborted(error)) return;
    this.#add({ kind: 'failed', title, href: '', ...explained(error) });
  }

  /** Shows a message that stays until the user closes it. `href` is the page with details. */
  notify(title: string, kind: Toast['kind'], href: string): void {
    this.#add({ kind, title, detail: '', requestId: '', href });
  }

  /** Reports the rate limit of the server, once while it lasts. `ms` is the time until the next attempt. */
  waiting(ms: number): void {
    if (this.#list.some(({ title }) => title === RATE_LIMITED)) return;
    const detail = `Rate limit reached. Retrying in ${Math.ceil(ms / 1_000)} s.`;
    const { id } = this.#add({ kind: 'done', title: RATE_LIMITED, detail, requestId: '', href: '' });
    setTimeout(() => this.close(id), ms + DONE_MS);
  }

  close(id: number): void {
    this.#change(this.#list.filter((toast) => toast.id !== id));
  }

  #add(toast: Omit<Toast, 'id'>): Toast {
    const added = { ...toast, id: this.#nextId++ };
    this.#change([...this.#list, added].slice(-TOASTS_MAX));
    return added;
  }

  #change(list: readonly Toast[]): void {
    this.#list = list;
    for (const listener of this.#listeners) listener();
  }
}

export const toasts = new Toasts();

const isAborted = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

/** Prefix of the server's message when the session is missing or has ended. */
const SESSION_ENDED = 'Your session has ended. Sign in and try again.';

/** Status of a change of another version than the present one. */
const OUTDATED = 412;

/** Returns the text of an error: the server's message, or that the server is unreachable. */
export function explained(error: unknown): { detail: string; requestId: string } {
  if (error instanceof ProblemError) {
    if (error.status === OUTDATED) return { detail: conflictText(error), requestId: error.requestId };
    const parts = error.errors.map(({ pointer, detail }) =>
      pointer === '' ? detail : `${pointer}: ${detail}`,
    );
    const message = parts.length > 0 ? parts.join('\n') : error.detail;
    const detail = message === '' ? error.title : message;
    const isUnauthorized = error.status === 401;
    return { detail: isUnauthorized ? `${SESSION_ENDED} ${detail}` : detail, requestId: error.requestId };
  }
  if (error instanceof ServiceUnreachable)
    return {
      detail: 'Cannot reach the server. Your input is kept. Try again.',
      requestId: '',
    };
  return { detail: error instanceof Error ? error.message : String(error), requestId: '' };
}

/** Names what another user has changed: "reason is now …". */
function conflictText({ detail, errors }: ProblemError): string {
  const changes = errors.map((each) => `${each.pointer.slice(1).replaceAll('_', ' ')} ${each.detail}`);
  const told = changes.length === 0 ? [detail] : changes;
  return ['Another user has changed this meanwhile. Try again to replace it.', ...told].join('\n');
}
