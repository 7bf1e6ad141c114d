/** Effect of a key in a table. Rows are given by their index. */
export type RowKeyAction =
  | { readonly kind: 'move'; readonly to: number; readonly isRange: boolean }
  | { readonly kind: 'open' }
  | { readonly kind: 'toggle' }
  | { readonly kind: 'select-all' }
  | { readonly kind: 'select-none' }
  | { readonly kind: 'delete' }
  | { readonly kind: 'menu' };

export interface PressedKey {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

export interface RowKeyPlace {
  readonly active: number;
  readonly total: number;
  /** Number of visible rows. */
  readonly page: number;
}

/** Returns the effect of a key; null if the table does not handle it. */
export function rowKeyAction(pressed: PressedKey, { active, total, page }: RowKeyPlace): RowKeyAction | null {
  const { key, shiftKey, altKey } = pressed;
  const hasCommand = pressed.ctrlKey || pressed.metaKey;
  if (altKey) return null;
  if (hasCommand && !shiftKey && key.toLowerCase() === 'a') return { kind: 'select-all' };
  if (key === 'ContextMenu' || (key === 'F10' && shiftKey)) return { kind: 'menu' };
  const move = (to: number): RowKeyAction | null =>
    total === 0 ? null : { kind: 'move', to: Math.min(total - 1, Math.max(0, to)), isRange: shiftKey };
  if (hasCommand && key !== 'Home' && key !== 'End') return null;
  switch (key) {
    case 'ArrowDown':
      return move(active + 1);
    case 'ArrowUp':
      return move(active - 1);
    case 'PageDown':
      return move(active + Math.max(1, page - 1));
    case 'PageUp':
      return move(active - Math.max(1, page - 1));
    case 'Home':
      return move(0);
    case 'End':
      return move(total - 1);
    case 'Enter':
      return { kind: 'open' };
    case ' ':
      return { kind: 'toggle' };
    case 'Delete':
      return { kind: 'delete' };
    case 'Escape':
      return { kind: 'select-none' };
    default:
      return null;
  }
}
