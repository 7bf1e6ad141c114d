/**
 * States: closed, open. Exits: a subscription or the timer opens it; it stays open.
 */

/** Time after which a list loads without its subscription, in milliseconds: the event channel may be unreachable. */
const WAIT_MS = 500;

/**
 * Holds the first requests of a list back until its subscription has begun. What is loaded then is complete together with the
 * later events.
 */
export class FirstLoad {
  readonly opened: Promise<void>;
  #isOpen = false;
  #open: () => void = () => undefined;

  constructor() {
    this.opened = new Promise((resolve) => {
      this.#open = () => {
        this.#isOpen = true;
        resolve();
      };
    });
    setTimeout(this.#open, WAIT_MS);
  }

  /** Reports that the subscription began. Returns whether requests may have been sent before. */
  began(): boolean {
    const wasOpen = this.#isOpen;
    this.#open();
    return wasOpen;
  }
}
