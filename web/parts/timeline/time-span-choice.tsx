import { TIME_SPAN_NAMES, TIME_SPANS, type TimeSpan } from '../../state/time-span.ts';
import '../filter-chips.css';

/** Buttons that select the length of a timeline. */
export function TimeSpanChoice({ span, onChange }: { span: TimeSpan; onChange: (span: TimeSpan) => void }) {
  return (
    <div className="filter-chips" role="group" aria-label="Length of the timeline">
      {TIME_SPAN_NAMES.map((name) => (
        <button
          key={name}
          type="button"
          className="filter-chip"
          aria-pressed={name === span}
          onClick={() => onChange(name)}
        >
          {TIME_SPANS[name].label}
        </button>
      ))}
    </div>
  );
}
