/** Gives the focus back to the element that had it before a shortcut moved it. */

let before: HTMLElement | null = null;

/** Moves the focus to an element. */
export function focusFrom(element: HTMLElement): void {
  const { activeElement } = document;
  if (activeElement === element) return;
  before = activeElement instanceof HTMLElement && activeElement !== document.body ? activeElement : null;
  element.focus();
}

/** Gives the focus back, or to the page if the element no longer exists. */
export function returnFocus(from: HTMLElement): void {
  from.blur();
  if (before?.isConnected === true) before.focus();
  before = null;
}
