import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { useLocation } from 'wouter';
import { focusFrom } from '../parts/focus-return.ts';
import { goSequence } from '../state/go-sequence.ts';
import { changeTheme } from '../state/theme.ts';
import { NAV_ITEMS } from './navigation.ts';

const KEYS = new Map(NAV_ITEMS.flatMap((group) => group.items).map(({ key, href }) => [key, href]));

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && !isBox(target)) ||
    target.closest('dialog, [popover]') !== null);

/** Checkboxes take no letters, so shortcuts work while one has the focus. */
const isBox = (target: HTMLElement): boolean =>
  target instanceof HTMLInputElement && /^(checkbox|radio)$/.test(target.type);

/** Handles the shortcuts of every page (shortcuts-dialog.tsx lists them). */
export function useShortcuts({ onFind, onHelp }: { onFind: () => void; onHelp: () => void }): void {
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const pressed = useEffectEvent((event: KeyboardEvent) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      onFind();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target))
      return;
    const isSecond = goSequence.isPending();
    goSequence.end();
    const place = isSecond ? KEYS.get(event.key) : undefined;
    if (place !== undefined) navigate(place);
    else if (event.key === 'g') goSequence.begin();
    else if (event.key === '?') onHelp();
    else if (event.key === 'r') void client.invalidateQueries({ refetchType: 'active' });
    else if (event.key === 't') changeTheme();
    else if (event.key === '/') focusSearch(event);
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => pressed(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
}

function focusSearch(event: KeyboardEvent): void {
  const search = document.querySelector<HTMLElement>('[data-search]');
  if (search === null) return;
  event.preventDefault();
  focusFrom(search);
}
