import { useNow, useTimeText } from '../state/use-now.ts';
import { asBoolean, usePreference } from '../state/use-preference.ts';
import { timeFormats } from './time-formats.ts';
import { agoText, durationText } from './time-text.ts';

const DATE_AND_TIME = timeFormats({ dateStyle: 'medium', timeStyle: 'medium' });
const TIME = timeFormats({ timeStyle: 'medium' });

/** Preference for UTC, for farms in several time zones. */
export const useUtc = () => usePreference('utc', false, asBoolean);

const exact = (iso: string, isUtc: boolean, { local, utc } = DATE_AND_TIME): string =>
  isUtc ? `${utc.format(new Date(iso))} UTC` : local.format(new Date(iso));

/** Relative time, with the exact time as tooltip. `iso` is a timestamp of the REST API. */
export function Ago({ iso }: { iso: string }) {
  const at = Date.parse(iso);
  const text = useTimeText((now) => agoText(at, Math.max(now, at)));
  return <Relative iso={iso} text={text} />;
}

/** Relative time of an end, "in 20 m" or "5 m ago", with the exact time as tooltip. `iso` is a timestamp of the REST API. */
export function Until({ iso }: { iso: string }) {
  const text = useTimeText((now) => agoText(Date.parse(iso), now));
  return <Relative iso={iso} text={text} />;
}

function Relative({ iso, text }: { iso: string; text: string }) {
  const [isUtc] = useUtc();
  return (
    <time dateTime={iso} title={`${exact(iso, isUtc)} (${iso})`}>
      {text}
    </time>
  );
}

/** Exact time, local or UTC by preference, with the original timestamp as tooltip. */
export function At({ iso, form = 'date and time' }: { iso: string; form?: 'date and time' | 'time' }) {
  const [isUtc] = useUtc();
  return (
    <time dateTime={iso} title={iso} className="number">
      {exact(iso, isUtc, form === 'time' ? TIME : DATE_AND_TIME)}
    </time>
  );
}

/** Duration between two times, or until now without `to`. */
export function Elapsed({ from, to }: { from: string; to?: string | undefined }) {
  return to === undefined ? <Running from={from} /> : <Span ms={Date.parse(to) - Date.parse(from)} />;
}

function Running({ from }: { from: string }) {
  const now = useNow('second');
  return <Span ms={Math.floor((now - Date.parse(from)) / 1_000) * 1_000} />;
}

/** A duration in milliseconds. */
export function Span({ ms }: { ms: number }) {
  return (
    <span className="number" title={`${(Math.max(0, ms) / 1_000).toLocaleString('en')} seconds`}>
      {durationText(ms)}
    </span>
  );
}
