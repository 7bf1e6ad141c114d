import { useCallback, useEffect, useState } from 'react';
import { haveSameEntries, readDraft, type Draft } from './model/draft.ts';

const PREFIX = 'callsheet.submit';

export type ChangeDraft = (change: Partial<Draft> | ((draft: Draft) => Draft)) => void;

/**
 * Loads a draft; null for none. `from` is the id of a job to submit again, the key of a product, or empty. Drafts of
 * products are kept for the next job, all others until the browser session ends.
 */
export function loadDraft(from: string): Draft | null {
  try {
    return readDraft(JSON.parse(storageOf(from).getItem(keyOf(from)) ?? 'null'));
  } catch {
    return null;
  }
}

export function forgetDraft(from: string): void {
  try {
    storageOf(from).removeItem(keyOf(from));
  } catch {
    // Without storage there is no draft to remove.
  }
}

export function storeDraft(from: string, draft: Draft): void {
  // The template of a product comes from the service each time.
  const kept = from.startsWith(PRODUCT) ? { ...draft, text: '' } : draft;
  try {
    storageOf(from).setItem(keyOf(from), JSON.stringify(kept));
  } catch {
    // Without storage, or with a full one, the draft is lost with the page.
  }
}

const PRODUCT = 'product:';

/** Returns the key of a product's draft, which each user of the browser has. */
export const productDraftKey = (user: string, product: string): string => `${PRODUCT}${user}:${product}`;

const storageOf = (from: string): Storage => (from.startsWith(PRODUCT) ? localStorage : sessionStorage);

/** Returns the draft of the page and stores each change, from the first entry of the user on. */
export function useDraft(from: string, initial: Draft): [Draft, ChangeDraft] {
  const [draft, setDraft] = useState(initial);
  const [first] = useState(draft);
  useEffect(() => {
    if (draft === first) return;
    // A form that was filled from a job or a product has nothing that a user could miss.
    if (haveSameEntries(draft, first) && loadDraft(from) === null) return;
    storeDraft(from, draft);
  }, [draft, first, from]);
  const change = useCallback<ChangeDraft>(
    (by) => setDraft((before) => (typeof by === 'function' ? by(before) : { ...before, ...by })),
    [],
  );
  return [draft, change];
}

const keyOf = (from: string): string => (from === '' ? PREFIX : `${PREFIX}.${from}`);
