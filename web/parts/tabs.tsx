import { useId, type KeyboardEvent, type ReactNode } from 'react';
import './tabs.css';

export interface Tab {
  readonly id: string;
  readonly label: string;
  readonly count?: number;
}

/** Tabs. The caller keeps the selected tab, usually in the address (`choiceField`), and renders its content. */
export function Tabs({
  tabs,
  current,
  onChange,
  label,
  children,
}: {
  tabs: readonly Tab[];
  current: string;
  onChange: (id: string) => void;
  label: string;
  children: ReactNode;
}) {
  const id = useId();
  const index = tabs.findIndex((tab) => tab.id === current);
  const move = (event: KeyboardEvent<HTMLDivElement>): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const next = tabs[(index + step + tabs.length) % tabs.length];
    if (step === 0 || next === undefined) return;
    event.preventDefault();
    onChange(next.id);
    document.getElementById(`${id}-${next.id}`)?.focus();
  };
  return (
    <div className="tabs">
      <div className="tabs__list" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            id={`${id}-${tab.id}`}
            type="button"
            role="tab"
            className="tabs__tab"
            aria-selected={tab.id === current}
            aria-controls={`${id}-panel`}
            tabIndex={tab.id === current ? 0 : -1}
            onClick={() => onChange(tab.id)}
          >
            {tab.label}
            {tab.count !== undefined && <span className="tabs__count">{tab.count.toLocaleString('en')}</span>}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} className="tabs__panel" role="tabpanel" aria-labelledby={`${id}-${current}`}>
        {children}
      </div>
    </div>
  );
}
