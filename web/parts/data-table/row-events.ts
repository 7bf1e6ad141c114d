import type { KeyboardEvent as RowKeyboardEvent, MouseEvent } from 'react';
import { goSequence } from '../../state/go-sequence.ts';
import { rowKeyAction, type PressedKey, type RowKeyAction } from './row-keys.ts';
import { ALL_SELECTED, NOTHING_SELECTED, selectionExtent } from './row-selection.ts';
import type { TableModel } from './use-table-model.ts';

/** Handles a key on a row. */
export function handleRowKey<Row>(model: TableModel<Row>, event: RowKeyboardEvent<HTMLElement>): void {
  const { drawn } = model;
  if (!(event.target instanceof HTMLElement)) return;
  // After a click on the checkbox of a row, keys still apply to the rows; only the space bar belongs to the checkbox.
  const isBox = event.target.dataset['select'] !== undefined;
  if (event.target.dataset['index'] === undefined && (!isBox || event.key === ' ')) return;
  const page = Math.max(1, drawn.last - drawn.first);
  const count = Math.min(model.total, model.countMax);
  const action = rowKeyAction(event, { active: model.activeIndex, total: count, page });
  if (action === null) {
    runOwnKey(model, event);
    return;
  }
  // Without a selection, Escape belongs to the table, which closes the pane or leaves the full screen.
  if (action.kind === 'select-none' && !hasSelection(model)) return;
  event.preventDefault();
  runKeyAction(model, action, event.target);
}

/** Applies a key of the page to the selected rows. The second key of `g j` belongs to the page. */
function runOwnKey<Row>(
  { props }: TableModel<Row>,
  event: PressedKey & { preventDefault(): void; repeat: boolean },
): void {
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.repeat;
  if (isPlain && !goSequence.isPending() && props.onKey?.(event.key) === true) event.preventDefault();
}

/** Keys that need no active row. */
const TABLE_ACTIONS: ReadonlySet<string> = new Set(['select-all', 'select-none', 'delete']);

/**
 * Handles a key that is pressed outside the rows. `isHeadBox` is true in the checkbox that selects all rows, from where
 * the arrow down leads to the rows.
 */
export function handleTableKey<Row>(model: TableModel<Row>, event: KeyboardEvent, isHeadBox: boolean): void {
  if (!model.isSelectable || (!isHeadBox && !hasSelection(model))) return;
  const place = { active: model.activeIndex, total: Math.min(model.total, model.countMax), page: 1 };
  const action = rowKeyAction(event, place);
  if (isHeadBox && event.key === 'ArrowDown') {
    event.preventDefault();
    model.focusActive();
  } else if (action === null) runOwnKey(model, event);
  else if (TABLE_ACTIONS.has(action.kind) && (action.kind !== 'select-none' || hasSelection(model))) {
    event.preventDefault();
    runKeyAction(model, action, document.body);
  }
}

/** Reports whether any row is selected. */
function hasSelection<Row>({ props: { selection }, isSelectable, total }: TableModel<Row>): boolean {
  return isSelectable && selection !== undefined && selectionExtent(selection, total) !== 'none';
}

function runKeyAction<Row>(model: TableModel<Row>, action: RowKeyAction, target: HTMLElement): void {
  const { props, activeIndex, isSelectable, picking, pane } = model;
  switch (action.kind) {
    case 'move':
      if (isSelectable && action.isRange) picking.range(activeIndex, action.to);
      else picking.anchor(action.to);
      model.activate(action.to);
      model.drawn.scrollTo(action.to);
      model.focusActive();
      if (!action.isRange) pane.follow(action.to);
      break;
    case 'open': {
      const row = model.shown.row(activeIndex);
      if (pane.isSplit) pane.enter(activeIndex);
      else if (row !== undefined) model.open(row);
      break;
    }
    case 'toggle':
      if (isSelectable) picking.toggle(activeIndex);
      break;
    case 'select-all':
      if (isSelectable) props.onSelect?.(ALL_SELECTED);
      break;
    case 'select-none':
      props.onSelect?.(NOTHING_SELECTED);
      break;
    case 'delete':
      props.onDelete?.();
      break;
    case 'menu': {
      const rect = target.getBoundingClientRect();
      model.openMenu(activeIndex, { x: rect.left + 24, y: rect.bottom });
      break;
    }
  }
}

/** Handles a click on a row or on a control in it. */
export function handleRowClick<Row>(model: TableModel<Row>, event: MouseEvent<HTMLElement>): void {
  const place = placeInTable(event);
  if (place === null) return;
  const { index, target } = place;
  const { activeIndex, activate, picking, pane, isSelectable, isCard } = model;
  const button = target.closest<HTMLElement>('[data-actions]');
  if (button !== null) {
    const rect = button.getBoundingClientRect();
    activate(index);
    model.openMenu(index, { x: rect.left, y: rect.bottom + 2 });
    return;
  }
  if (target.closest('[data-select]') !== null) {
    activate(index);
    if (event.shiftKey) picking.range(activeIndex, index);
    else picking.toggle(index);
    return;
  }
  // Links and controls in cells handle their own clicks. A click that ends a text selection only selects text.
  if (target.closest('a, button, input, select, summary') !== null || hasSelectedText()) return;
  activate(index);
  const row = model.shown.row(index);
  if (isSelectable && event.shiftKey) picking.range(activeIndex, index);
  else if (isSelectable && (event.ctrlKey || event.metaKey)) picking.toggle(index);
  else if (isCard && hasSelection(model)) picking.toggle(index);
  else if (pane.isSplit) {
    picking.anchor(index);
    pane.show(index);
  } else if (isSelectable && !isCard) picking.only(index);
  else if (row !== undefined) model.open(row);
}

/** Shows a row in the pane on a plain click on its link, before the link handles the click. */
export function handleRowLinkClick<Row>(model: TableModel<Row>, event: MouseEvent<HTMLElement>): void {
  const place = placeInTable(event);
  const { pane, picking, activate } = model;
  if (place === null || !pane.isSplit || place.target.closest('[data-row-link]') === null) return;
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  event.preventDefault();
  activate(place.index);
  picking.anchor(place.index);
  pane.show(place.index);
}

/** Opens a row on a double click; where a single click opens rows already, it does nothing. */
export function handleRowDoubleClick<Row>(model: TableModel<Row>, event: MouseEvent<HTMLElement>): void {
  const place = placeInTable(event);
  if (place === null || !model.isSelectable || model.isCard) return;
  if (place.target.closest('a, button, input, select') !== null) return;
  const row = model.shown.row(place.index);
  if (row === undefined) return;
  getSelection()?.removeAllRanges();
  model.open(row);
}

/** Opens the menu of a row as its context menu. */
export function handleRowContextMenu<Row>(model: TableModel<Row>, event: MouseEvent<HTMLElement>): void {
  const place = placeInTable(event);
  // With Shift, the browser's own menu opens.
  if (place === null || model.props.actions === undefined || event.shiftKey) return;
  event.preventDefault();
  model.activate(place.index);
  model.openMenu(place.index, { x: event.clientX, y: event.clientY });
}

/** Returns the row that an event is on, and the innermost HTML element; null outside rows. */
function placeInTable(event: MouseEvent<HTMLElement>): { index: number; target: HTMLElement } | null {
  const target = event.target instanceof Element ? event.target : null;
  const row = target?.closest<HTMLElement>('[data-index]') ?? null;
  if (target === null || row === null) return null;
  const element = target.closest<HTMLElement>('*:not(svg, svg *)') ?? row;
  return { index: Number(row.dataset['index']), target: element };
}

function hasSelectedText(): boolean {
  const selected = getSelection();
  return selected !== null && !selected.isCollapsed && selected.toString() !== '';
}
