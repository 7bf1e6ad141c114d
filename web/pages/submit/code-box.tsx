import { useId, useMemo, useRef, useState } from 'react';
import type { TemplateError } from './model/field-errors.ts';
import './code-box.css';

const LINE_PX = 20;
const PADDING_PX = 8;

interface CodeBoxProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly errors: readonly TemplateError[];
  readonly placeholder?: string;
}

/** A text area with line numbers. Lines with errors are marked, and each error has a button that goes to its line. */
export function CodeBox({ label, value, onChange, errors, placeholder }: CodeBoxProps) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const [scrollTop, setScrollTop] = useState(0);
  const marked = [...new Set(errors.flatMap(({ line }) => line ?? []))];
  const topOf = (line: number): number => PADDING_PX + (line - 1) * LINE_PX - scrollTop;
  const goTo = (line: number, column: number): void => {
    const element = area.current;
    if (element === null) return;
    const offset = offsetOf(value, line, column);
    element.focus();
    element.setSelectionRange(offset, offset);
    element.scrollTop = Math.max(0, (line - 1) * LINE_PX - element.clientHeight / 2);
  };
  return (
    <div className="code-box">
      <label className="field__label" htmlFor={id}>
        {label}
      </label>
      <div className="code-box__frame" data-invalid={errors.length > 0 || undefined}>
        <Gutter text={value} marked={marked} scrollTop={scrollTop} topOf={topOf} />
        <div className="code-box__text">
          {marked.map((line) => (
            <div key={line} className="code-box__mark" aria-hidden="true" style={{ top: topOf(line) }} />
          ))}
          <textarea
            ref={area}
            id={id}
            className="code-box__area"
            value={value}
            wrap="off"
            spellCheck={false}
            autoCapitalize="off"
            autoComplete="off"
            placeholder={placeholder}
            aria-invalid={errors.length > 0 || undefined}
            aria-describedby={errors.length > 0 ? `${id}-errors` : undefined}
            onChange={(event) => onChange(event.target.value)}
            onScroll={(event) => setScrollTop(event.currentTarget.scrollTop)}
          />
        </div>
      </div>
      {errors.length > 0 && <Errors id={`${id}-errors`} label={label} errors={errors} onGoTo={goTo} />}
    </div>
  );
}

function Gutter({
  text,
  marked,
  scrollTop,
  topOf,
}: {
  text: string;
  marked: readonly number[];
  scrollTop: number;
  topOf: (line: number) => number;
}) {
  const lineCount = useMemo(() => text.split('\n').length, [text]);
  const numbers = useMemo(
    () => Array.from({ length: lineCount }, (_, index) => index + 1).join('\n'),
    [lineCount],
  );
  return (
    <div className="code-box__gutter" aria-hidden="true">
      <pre style={{ transform: `translateY(${-scrollTop}px)` }}>{numbers}</pre>
      {marked.map((line) => (
        <span key={line} className="code-box__wrong" style={{ top: topOf(line) }}>
          {line}
        </span>
      ))}
    </div>
  );
}

function Errors({
  id,
  label,
  errors,
  onGoTo,
}: {
  id: string;
  label: string;
  errors: readonly TemplateError[];
  onGoTo: (line: number, column: number) => void;
}) {
  return (
    <ul id={id} className="code-box__errors" aria-label={`Errors in ${label.toLowerCase()}`}>
      {errors.map(({ line, column = 1, detail }) => (
        <li key={`${line}:${column}:${detail}`}>
          {line !== undefined && (
            <button type="button" className="code-box__place" onClick={() => onGoTo(line, column)}>
              Line {line}, column {column}
            </button>
          )}
          <span>{detail}</span>
        </li>
      ))}
    </ul>
  );
}

function offsetOf(text: string, line: number, column: number): number {
  let at = 0;
  for (let passed = 1; passed < line; passed++) {
    const end = text.indexOf('\n', at);
    if (end < 0) return text.length;
    at = end + 1;
  }
  const end = text.indexOf('\n', at);
  return Math.min(at + column - 1, end < 0 ? text.length : end);
}
