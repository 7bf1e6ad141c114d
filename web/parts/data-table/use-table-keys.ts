import { useEffect, useEffectEvent } from 'react';
import { handleTableKey } from './row-events.ts';
import type { TableModel } from './use-table-model.ts';

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
