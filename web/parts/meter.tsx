import { classNames } from './class-names.ts';
import './meter.css';

/** Usage of a resource: cores of a worker, slots of a pool. Full usage is drawn as a warning unless it is the aim. */
export function UseMeter({
  used,
  total,
  unit,
  isAim = false,
}: {
  used: number;
  total: number;
  unit: string;
  /** True if full usage is desired. */
  isAim?: boolean;
}) {
  const share = total === 0 ? 0 : Math.min(1, used / total);
  return (
    <div className="use-meter">
      <div
        className="use-meter__bar"
        role="meter"
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={Math.min(used, total)}
        aria-label={`${used} of ${total} ${unit}`}
        title={`${used.toLocaleString('en')} of ${total.toLocaleString('en')} ${unit}`}
      >
        <div
          className={classNames('use-meter__fill', share === 1 && !isAim && 'use-meter__fill--full')}
          style={{ width: `${share * 100}%` }}
        />
      </div>
      <span className="use-meter__text" aria-hidden="true">
        {used.toLocaleString('en')}/{total.toLocaleString('en')}
      </span>
    </div>
  );
}
