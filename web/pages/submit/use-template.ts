import { useEffect, useEffectEvent, useState } from 'react';
import type { DocumentFormat, DocumentReading, LineError } from './model/plain-tree.ts';
import { readTemplate, type TemplateOutline } from './model/read-template.ts';

/** A template without syntax errors. */
export interface ReadableTemplate {
  readonly text: string;
  readonly format: DocumentFormat;
  readonly outline: TemplateOutline;
}

export interface TemplateState {
  /** The last readable text, so that the form stays while the user types. */
  readonly readable: ReadableTemplate | null;
  /** Syntax errors of the current text. */
  readonly errors: readonly LineError[];
  /** The text has not changed since it was read. */
  readonly isCurrent: boolean;
}

interface Read {
  readonly text: string;
  readonly readable: ReadableTemplate | null;
  readonly errors: readonly LineError[];
}

const NOTHING: Read = { text: '', readable: null, errors: [] };
/** Pause in typing before the text is read. A pasted or loaded text is read immediately. */
const PAUSE_MS = 150;
/** A change of the length by at most this many characters counts as typing. */
const MAX_TYPED = 8;

/** Reads the template while the user types. Loads the parser with the first text. */
export function useTemplate(text: string): TemplateState {
  const [read, setRead] = useState(NOTHING);
  const pause = useEffectEvent(() => (isTyped(read.text, text) ? PAUSE_MS : 0));
  useEffect(() => {
    let isStale = false;
    const apply = (reading: DocumentReading | null): void => {
      if (!isStale) setRead((before) => next(before, text, reading));
    };
    const timer = setTimeout(() => void readingOf(text).then(apply), pause());
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
  }, [text]);
  const isBlank = text.trim() === '';
  if (isBlank) return { readable: null, errors: [], isCurrent: true };
  return { readable: read.readable, errors: read.errors, isCurrent: read.text === text };
}

function next(before: Read, text: string, reading: DocumentReading | null): Read {
  if (reading === null) return { ...NOTHING, text };
  if (!reading.ok) {
    const readable = isTyped(before.text, text) ? before.readable : null;
    return { text, readable, errors: reading.errors };
  }
  const outline = readTemplate(reading.root);
  return { text, readable: { text, format: reading.format, outline }, errors: [] };
}

const isTyped = (before: string, text: string): boolean => Math.abs(text.length - before.length) <= MAX_TYPED;

/** Returns null for a blank text. */
async function readingOf(text: string): Promise<DocumentReading | null> {
  if (text.trim() === '') return null;
  try {
    const { readDocument } = await import('./model/read-document.ts');
    return readDocument(text);
  } catch {
    const detail =
      'Could not load the template parser. Check that the server is running, then edit the template to retry.';
    return { ok: false, errors: [{ line: 1, column: 1, detail }] };
  }
}
