import { useCallback, useEffect, useState } from 'react';
import { readDraft, type Draft } from './model/draft.ts';

const PREFIX = 'callsheet.submit';

export type ChangeDraft = (change: Partial<Draft> | ((draft: Draft) => Draft)) => void;

/** Loads the draft from session storage; null for none. `from` is the id of a job to submit again, or empty. */
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
    // Without storage there is no draft to remove.
  }
}

/** Returns the draft of the page and stores each change in session storage. */
export function useDraft(from: string, initial: Draft): [Draft, ChangeDraft] {
  const [draft, setDraft] = useState(initial);
  const [first] = useState(draft);
  useEffect(() => {
    if (draft === first) return;
    try {
      sessionStorage.setItem(keyOf(from), JSON.stringify(draft));
    } catch {
      // Without storage, or with a full one, the draft is lost with the page.
    }
  }, [draft, first, from]);
  const change = useCallback<ChangeDraft>(
    (by) => setDraft((before) => (typeof by === 'function' ? by(before) : { ...before, ...by })),
    [],
  );
  return [draft, change];
}

const keyOf = (from: string): string => (from === '' ? PREFIX : `${PREFIX}.${from}`);
