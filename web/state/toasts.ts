import { ProblemError, ServiceUnreachable } from '../../client/problem.ts';

/** What the user is told in passing. */
export interface Toast {
  readonly id: number;
  readonly kind: 'done' | 'failed';
  readonly title: string;
  readonly detail: string;
  /** To be found again in the log of the service; empty when no request failed. */
  readonly requestId: string;
  /** The page that shows more; empty when there is none. */
  readonly href: string;
}

/** Good news goes by itself; an error stays until it is closed. */
const DONE_MS = 5_000;
const TOASTS_MAX = 5;
const TOO_OFTEN = 'Waiting for the service';

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

  /** `what` says what could not be done: "Cancel the job". */
  failed(error: unknown, what: string): void {
    if (isAborted(error)) return;
    this.#add({ kind: 'failed', title: what, href: '', ...explained(error) });
  }

  /** News that the user waited for: it stays until it is closed. `href` is the page that shows more. */
  told(title: string, kind: Toast['kind'], href: string): void {
    this.#add({ kind, title, detail: '', requestId: '', href });
  }

  /** The service is asked too often from here, and goes on in so many milliseconds: told once for as long as it lasts. */
  waiting(ms: number): void {
    if (this.#list.some(({ title }) => title === TOO_OFTEN)) return;
    const detail = `The service takes so many requests at a time. It goes on by itself in ${Math.ceil(ms / 1_000)} s.`;
    const { id } = this.#add({ kind: 'done', title: TOO_OFTEN, detail, requestId: '', href: '' });
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

/** Before what the service says of a request that it does not know the sender of. */
const STRANGER = 'The service does not know who you are, or no longer: sign in, and load the page anew.';

/** An error in words: what the service said, or that it could not be reached. */
export function explained(error: unknown): { detail: string; requestId: string } {
  if (error instanceof ProblemError) {
    const parts = error.errors.map(({ pointer, detail }) =>
      pointer === '' ? detail : `${pointer}: ${detail}`,
    );
    const told = parts.length > 0 ? parts.join('\n') : error.detail;
    const detail = told === '' ? error.title : told;
    const isStranger = error.status === 401;
    return { detail: isStranger ? `${STRANGER} ${detail}` : detail, requestId: error.requestId };
  }
  if (error instanceof ServiceUnreachable)
    return {
      detail: 'The service cannot be reached. What you entered is still here: try again.',
      requestId: '',
    };
  return { detail: error instanceof Error ? error.message : String(error), requestId: '' };
}
