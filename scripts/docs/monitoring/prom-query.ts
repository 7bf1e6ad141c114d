import {
  type METRICS,
  type LabelOf,
  type MetricName,
  type ProcessMetricName,
} from '../../../src/core/metrics/metric-table.ts';

/** Matchers of a selector: a value, or `=~` and a regular expression. */
type Matchers<Name extends MetricName> = Partial<Record<LabelOf<Name>, string>>;

/** The scrape job of Callsheet (deploy/monitoring/prometheus.yaml). */
export const JOB = 'callsheet';

/** Builds selectors of PromQL that can only name metrics and labels of the service. */
export interface Selectors {
  /** Returns the selector of a metric of the service. */
  readonly of: <Name extends MetricName>(name: Name, matchers?: Matchers<Name>) => string;
  /** Returns the selector of a metric of the process. */
  readonly ofProcess: (name: ProcessMetricName) => string;
  /** Returns the quantile of a histogram in a time. */
  readonly quantile: (share: number, name: HistogramName, range: string) => string;
  /** Returns the number of values of a histogram. */
  readonly countOf: (name: HistogramName) => string;
}

type HistogramName = {
  [Name in MetricName]: (typeof METRICS)[Name]['type'] extends 'histogram' ? Name : never;
}[MetricName];

/** Creates selectors that contain `common`, such as `job="callsheet"`, in addition to their own matchers. */
export function selectorsWith(common: string): Selectors {
  const select = (name: string, matchers: Readonly<Record<string, string>>): string => {
    const own = Object.entries(matchers).map(([label, value]) =>
      value.startsWith('=~') ? `${label}=~"${value.slice(2)}"` : `${label}="${value}"`,
    );
    return `${name}{${[common, ...own].join(', ')}}`;
  };
  return {
    of: (name, matchers = {}) => select(name, matchers as Readonly<Record<string, string>>),
    ofProcess: (name) => select(name, {}),
    quantile: (share, name, range) =>
      `histogram_quantile(${share}, sum by (instance, le) (rate(${select(`${name}_bucket`, {})}[${range}])))`,
    countOf: (name) => select(`${name}_count`, {}),
  };
}
