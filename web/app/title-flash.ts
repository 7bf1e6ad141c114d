const EVERY_MS = 1_000;

let stop: (() => void) | null = null;

/** Alternates the page title with `text` until the user returns to the page. */
export function flashTitle(text: string): void {
  stop?.();
  let title = document.title;
  const timer = setInterval(() => {
    // The title of the page may have changed in the meantime.
    if (document.title !== text) title = document.title;
    document.title = document.title === text ? title : text;
  }, EVERY_MS);
  const visibilityChanged = (): void => {
    if (!document.hidden) stop?.();
  };
  document.title = text;
  document.addEventListener('visibilitychange', visibilityChanged);
  stop = () => {
    stop = null;
    clearInterval(timer);
    document.removeEventListener('visibilitychange', visibilityChanged);
    if (document.title === text) document.title = title;
  };
}
