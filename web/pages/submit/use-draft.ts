import { useCallback, useEffect, useState } from 'react';
import { readDraft, type Draft } from './model/draft.ts';

const PREFIX = 'callsheet.submit';

export type ChangeDraft = (change: Partial<Draft> | ((draft: Draft) => Draft)) => void;

/** What the tab has kept of an earlier visit; `from` is the job that it began with, or empty. */
export function loadDraft(from: string): Draft | null {
  try {
    return readDraft(JSON.parse(sessionStorage.getItem(keyOf(from)) ?? 'null'));
  } catch {
    return null;
  }
}

export function forgetDraft(from: string): void {
  try {
    sessionStorage.removeItem(keyOf(from));
  } catch {
    // Where storage is forbidden nothing was kept.
  }
}

/** The draft of the page, kept by the tab with every change. */
export function useDraft(from: string, initial: Draft): [Draft, ChangeDraft] {
  const [draft, setDraft] = useState(initial);
  const [first] = useState(draft);
  useEffect(() => {
    if (draft === first) return;
    try {
      sessionStorage.setItem(keyOf(from), JSON.stringify(draft));
    } catch {
      // Forbidden or full: it lasts as long as the page.
    }
  }, [draft, first, from]);
  const change = useCallback<ChangeDraft>(
    (by) => setDraft((before) => (typeof by === 'function' ? by(before) : { ...before, ...by })),
    [],
  );
  return [draft, change];
}

const keyOf = (from: string): string => (from === '' ? PREFIX : `${PREFIX}.${from}`);
