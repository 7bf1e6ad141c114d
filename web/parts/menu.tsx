import { Ellipsis } from 'lucide-react';
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { IconButton } from './button.tsx';
import { classNames } from './class-names.ts';
import './menu.css';

/** An entry of a menu. */
export interface ActionItem {
  readonly id: string;
  readonly label: string;
  readonly icon?: ReactNode;
  readonly isDanger?: boolean;
  /** Why the action is disabled; empty if it is not. */
  readonly disabledReason?: string;
  /** Draws a line above the item. */
  readonly startsGroup?: boolean;
  readonly act: () => void;
}

export interface MenuAnchor {
  readonly x: number;
  readonly y: number;
}

const MARGIN = 8;

/**
 * A menu at a position of the window, open while it is mounted. Arrow keys move, Enter selects, Escape closes it and
 * returns the focus.
 */
export function Menu({
  items,
  at,
  label,
  onClose,
}: {
  items: readonly ActionItem[];
  at: MenuAnchor;
  label: string;
  onClose: () => void;
}) {
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    const element = menu.current;
    if (element === null) return undefined;
    element.showPopover();
    const { width, height } = element.getBoundingClientRect();
    element.style.left = `${Math.max(MARGIN, Math.min(at.x, innerWidth - width - MARGIN))}px`;
    element.style.top = `${Math.max(MARGIN, Math.min(at.y, innerHeight - height - MARGIN))}px`;
    element.querySelector<HTMLElement>('[role=menuitem]')?.focus();
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected && !element.contains(opener)) opener.focus();
    };
  }, [at]);
  const move = (event: KeyboardEvent): void => {
    const entries = [...(menu.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
    const index = entries.findIndex((entry) => entry === document.activeElement);
    const next = nextIndex(event.key, index, entries.length);
    if (next === null) return;
    event.preventDefault();
    entries[next]?.focus();
  };
  return (
    <div
      ref={menu}
      popover="auto"
      className="menu"
      role="menu"
      aria-label={label}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Tab') onClose();
        move(event);
      }}
      onToggle={(event) => {
        if (event.newState === 'closed') onClose();
      }}
    >
      {items.map((item) => (
        <MenuEntry key={item.id} item={item} onClose={onClose} />
      ))}
    </div>
  );
}

function MenuEntry({ item, onClose }: { item: ActionItem; onClose: () => void }) {
  const isOff = (item.disabledReason ?? '') !== '';
  return (
    <div role="none">
      {item.startsGroup === true && <hr className="menu__line" />}
      <button
        type="button"
        role="menuitem"
        tabIndex={-1}
        className={classNames('menu__item', item.isDanger === true && 'menu__item--danger')}
        aria-disabled={isOff || undefined}
        onClick={(event) => {
          event.stopPropagation();
          if (isOff) return;
          onClose();
          item.act();
        }}
      >
        {item.icon}
        <span>
          {item.label}
          {isOff && <span className="menu__hint">{item.disabledReason}</span>}
        </span>
      </button>
    </div>
  );
}

function nextIndex(key: string, index: number, count: number): number | null {
  if (count === 0) return null;
  if (key === 'ArrowDown') return (index + 1) % count;
  if (key === 'ArrowUp') return (index - 1 + count) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : null;
}

/** The "..." button that opens a menu. */
export function ActionMenu({
  items,
  label,
  icon,
}: {
  items: readonly ActionItem[];
  label: string;
  icon?: ReactNode;
}) {
  const [at, setAt] = useState<MenuAnchor | null>(null);
  return (
    <>
      <IconButton
        label={label}
        icon={icon ?? <Ellipsis aria-hidden="true" />}
        size="small"
        onPress={(event) => {
          event.stopPropagation();
          const { left, bottom } = event.currentTarget.getBoundingClientRect();
          setAt({ x: left, y: bottom + 2 });
        }}
      />
      {at !== null && <Menu items={items} at={at} label={label} onClose={() => setAt(null)} />}
    </>
  );
}
