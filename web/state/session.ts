/**
 * States of the session of this browser: unknown until the user is known, then active, ended, or postponed. Invariants:
 * requests wait only while the session is ended; the user of a page never changes. Exits: another user, or a session that
 * ended before the user was known, leaves the page.
 */

export type SessionState = keyof typeof STATES;

type Trigger = 'identified' | 'readRefused' | 'changeRefused' | 'postponed' | 'resumed' | 'renewed';

/** Transitions between the states; triggers that are not listed have no effect. */
const STATES = {
  unknown: { identified: 'active' },
  active: { readRefused: 'ended', changeRefused: 'ended' },
  ended: { postponed: 'postponed', renewed: 'active' },
  /** The user does not want to sign in yet. Only what the user does asks again. */
  postponed: { changeRefused: 'ended', resumed: 'ended', renewed: 'active' },
} as const satisfies Readonly<Record<string, Readonly<Partial<Record<Trigger, string>>>>>;

/** Who the server says that the browser is. */
export type Identity =
  | { readonly kind: 'user'; readonly subject: string }
  /** There is no valid session. */
  | { readonly kind: 'signed-out' }
  /** Authentication is off, or the server does not answer. */
  | { readonly kind: 'not-asked' };

export interface SessionEffects {
  readonly identify: () => Promise<Identity>;
  /** Shows the sign-in page. */
  readonly leave: () => void;
  /** Loads the page again for another user, so that no data of the first user remain. */
  readonly reload: () => void;
}

interface Waiting {
  readonly resolve: (isRenewed: boolean) => void;
}

/** Session of the user of this page. Requests that get 401 wait here until the user has signed in again. */
export class Session {
  readonly #effects: SessionEffects;
  readonly #listeners = new Set<() => void>();
  readonly #waiting = new Set<Waiting>();
  #state: SessionState = 'unknown';
  #subject = '';
  #check: Promise<Identity> | null = null;

  constructor(effects: SessionEffects) {
    this.#effects = effects;
  }

  readonly state = (): SessionState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Reports the user of the page, or that another tab has signed in. */
  identified(subject: string): void {
    if (this.#subject !== '' && this.#subject !== subject) {
      this.#effects.reload();
      return;
    }
    this.#subject = subject;
    this.#trigger('identified');
    this.#trigger('renewed');
  }

  /**
   * Handles a 401. Resolves with true if the request should be repeated, because there is a session again, and with false
   * if the user does not want to sign in. Rejects with the reason of the signal if it aborts first.
   */
  async refused(isChange: boolean, signal: AbortSignal | undefined): Promise<boolean> {
    const identity = await this.check(isChange);
    if (identity.kind !== 'signed-out') return identity.kind === 'user';
    if (this.#state === 'postponed') return false;
    return this.#renewal(signal);
  }

  /** Asks the server whether the session is valid. `isChange`: a change by the user was refused. */
  async check(isChange = false): Promise<Identity> {
    this.#check ??= this.#effects.identify().finally(() => (this.#check = null));
    const identity = await this.#check;
    if (identity.kind === 'user') this.identified(identity.subject);
    else if (identity.kind === 'signed-out') {
      if (this.#state === 'unknown') this.#effects.leave();
      this.#trigger(isChange ? 'changeRefused' : 'readRefused');
    }
    return identity;
  }

  /** Lets the requests that wait fail. */
  postpone(): void {
    this.#trigger('postponed');
  }

  /** Asks for the sign-in again. */
  resume(): void {
    this.#trigger('resumed');
  }

  #renewal(signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const waiting = { resolve };
      this.#waiting.add(waiting);
      const aborted = (): void => {
        this.#waiting.delete(waiting);
        reject(signal?.reason as Error);
      };
      if (signal?.aborted === true) aborted();
      else signal?.addEventListener('abort', aborted, { once: true });
    });
  }

  #trigger(trigger: Trigger): void {
    const exits: Readonly<Partial<Record<Trigger, SessionState>>> = STATES[this.#state];
    const next = exits[trigger];
    if (next === undefined) return;
    this.#state = next;
    if (next === 'active' || next === 'postponed') this.#settle(next === 'active');
    for (const listener of this.#listeners) listener();
  }

  #settle(isRenewed: boolean): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const { resolve } of waiting) resolve(isRenewed);
  }
}
