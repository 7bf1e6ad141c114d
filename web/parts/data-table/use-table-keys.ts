import { useEffect, useEffectEvent } from 'react';
import { handleTableKey } from './row-events.ts';
import type { TableModel } from './use-table-model.ts';

/** Controls to which Escape belongs. */
const FIELDS = 'input:not([type=checkbox]), select, textarea';

/**
 * Keys apply to the selected rows also while nothing has the focus, as after a click on a button that is removed with
 * the selection, and while the checkbox of the header has it.
 */
export function useTableKeys<Row>(model: TableModel<Row>): void {
  const pressed = useEffectEvent((event: KeyboardEvent) => {
    const { target } = event;
    if (event.defaultPrevented || !(target instanceof HTMLElement)) return;
    const isHeadBox = target.dataset['selectAll'] !== undefined;
    if (!isHeadBox && (target !== document.body || document.querySelector('dialog[open]') !== null)) return;
    handleTableKey(model, event, isHeadBox);
  });
  useEffect(() => {
    // Before the shortcuts of the page, which leave handled keys alone.
    const listener = (event: KeyboardEvent): void => pressed(event);
    document.addEventListener('keydown', listener, true);
    return () => document.removeEventListener('keydown', listener, true);
  }, []);
}

/**
 * Calls `leave` on Escape, unless the key ends something else first: a selection, a menu, a dialog, or the input of a
 * field. Null handles no key.
 */
export function useEscape(leave: (() => void) | null): void {
  const pressed = useEffectEvent((event: KeyboardEvent) => {
    const { key, target, defaultPrevented } = event;
    if (key !== 'Escape' || defaultPrevented || leave === null) return;
    if (target instanceof Element && target.matches(FIELDS)) return;
    if (document.querySelector('dialog[open], :popover-open') !== null) return;
    event.preventDefault();
    leave();
  });
  const isHandled = leave !== null;
  useEffect(() => {
    if (!isHandled) return undefined;
    const listener = (event: KeyboardEvent): void => pressed(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, [isHandled]);
}
