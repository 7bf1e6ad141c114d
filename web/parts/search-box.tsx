import { Search } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { returnFocus } from './focus-return.ts';
import './field.css';
import './search-box.css';

const AFTER_MS = 250;

export interface SearchBoxProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly label: string;
  readonly placeholder?: string;
}

/** A search box that applies the text after a short pause. The `/` key focuses it (data-search). */
export function SearchBox({ value, onChange, label, placeholder }: SearchBoxProps) {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  if (value !== known) {
    setKnown(value);
    setText(value);
  }
  const change = useEffectEvent(onChange);
  useEffect(() => {
    if (text === known) return undefined;
    const timer = setTimeout(() => change(text), AFTER_MS);
    return () => clearTimeout(timer);
  }, [text, known]);
  return (
    <div className="search-box">
      <Search aria-hidden="true" />
      <input
        className="input"
        type="search"
        data-search=""
        value={text}
        aria-label={label}
        placeholder={placeholder ?? label}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onChange(text);
          if (event.key !== 'Escape') return;
          // The browser would clear the text. The page gets the keys again, and the filter stays.
          event.preventDefault();
          returnFocus(event.currentTarget);
        }}
      />
    </div>
  );
}
