import { useEffect, useEffectEvent, useState } from 'react';
import type { DocumentFormat, DocumentReading, LineError } from './model/plain-tree.ts';
import { readTemplate, type TemplateOutline } from './model/read-template.ts';

/** A template that could be read. */
export interface ReadableTemplate {
  readonly text: string;
  readonly format: DocumentFormat;
  readonly outline: TemplateOutline;
}

export interface TemplateState {
  /** The last text that could be read: the form stays as it is while the text is being typed. */
  readonly readable: ReadableTemplate | null;
  /** What is wrong with the syntax of the text as it is now. */
  readonly errors: readonly LineError[];
  /** Whether the two above are about the text as it is now. */
  readonly isCurrent: boolean;
}

interface Read {
  readonly text: string;
  readonly readable: ReadableTemplate | null;
  readonly errors: readonly LineError[];
}

const NOTHING: Read = { text: '', readable: null, errors: [] };
/** A pause in typing. A text that comes whole is read at once. */
const PAUSE_MS = 150;
/** So many characters more or less than what was read are typed. */
const TYPED_MAX = 8;

/** Reads the template as it is typed. The parser comes with the first text. */
export function useTemplate(text: string): TemplateState {
  const [read, setRead] = useState(NOTHING);
  const pause = useEffectEvent(() => (isTyped(read.text, text) ? PAUSE_MS : 0));
  useEffect(() => {
    let isOver = false;
    const take = (reading: DocumentReading | null): void => {
      if (!isOver) setRead((before) => next(before, text, reading));
    };
    const timer = setTimeout(() => void readingOf(text).then(take), pause());
    return () => {
      isOver = true;
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

const isTyped = (before: string, text: string): boolean => Math.abs(text.length - before.length) <= TYPED_MAX;

/** Null for no text. */
async function readingOf(text: string): Promise<DocumentReading | null> {
  if (text.trim() === '') return null;
  try {
    const { readDocument } = await import('./model/read-document.ts');
    return readDocument(text);
  } catch {
    const detail =
      'The reader of templates could not be loaded. Is the service there? Change anything to try again.';
    return { ok: false, errors: [{ line: 1, column: 1, detail }] };
  }
}
