const EVERY_MS = 1_000;

let stop: (() => void) | null = null;

/** Shows `text` and the title of the page in turn, until the user looks at the page. */
export function flashTitle(text: string): void {
  stop?.();
  let title = document.title;
  const timer = setInterval(() => {
    // The page may have got another title meanwhile.
    if (document.title !== text) title = document.title;
    document.title = document.title === text ? title : text;
  }, EVERY_MS);
  const looked = (): void => {
    if (!document.hidden) stop?.();
  };
  document.title = text;
  document.addEventListener('visibilitychange', looked);
  stop = () => {
    stop = null;
    clearInterval(timer);
    document.removeEventListener('visibilitychange', looked);
    if (document.title === text) document.title = title;
  };
}
