/** Samples of a scrape. */
export interface Scrape {
  /** By the name of the metric. */
  readonly types: ReadonlyMap<string, string>;
  /** Returns the value of a sample by its name and labels as written, or undefined. */
  value(sample: string): number | undefined;
  /** The label names of a metric in written order, without `le`. */
  labelsOf(metric: string): readonly string[];
}

const SAMPLE = /^([A-Za-z_:][\w:]*(?:\{(?:[A-Za-z_]\w*="(?:[^"\\\n]|\\[\\n"])*",?)*\})?) (\S+)$/;

/** Parses the Prometheus text format 0.0.4. Throws if a line is invalid or a sample precedes its type. */
export function parseMetrics(text: string): Scrape {
  const types = new Map<string, string>();
  const samples = new Map<string, number>();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('# HELP ')) continue;
    const type = /^# TYPE (\S+) (counter|gauge|histogram|summary)$/.exec(line);
    if (type !== null) {
      types.set(type[1] ?? '', type[2] ?? '');
      continue;
    }
    const sample = SAMPLE.exec(line);
    const name = sample?.[1] ?? '';
    const value = numberOf(sample?.[2] ?? '');
    if (sample === null || value === null || samples.has(name) || !isTyped(name, types))
      throw new Error(`invalid line in a scrape: ${line}`);
    samples.set(name, value);
  }
  return {
    types,
    value: (sample) => samples.get(sample),
    labelsOf: (metric) => {
      const names = [...samples.keys()].filter((name) => metricOf(name, types) === metric);
      const labels = names.flatMap((name) =>
        [...name.matchAll(/[{,](\w+)="/g)].map((match) => match[1] ?? ''),
      );
      return [...new Set(labels)].filter((label) => label !== 'le');
    },
  };
}

const numberOf = (text: string): number | null => {
  if (text === '+Inf') return Infinity;
  if (text === '-Inf') return -Infinity;
  if (/^nan$/i.test(text) || Number.isFinite(Number(text))) return Number(text);
  return null;
};

const isTyped = (sample: string, types: ReadonlyMap<string, string>): boolean =>
  types.has(metricOf(sample, types));

/** Returns the metric of a sample. The samples of a histogram have three different names. */
function metricOf(sample: string, types: ReadonlyMap<string, string>): string {
  const name = sample.replace(/\{.*$/s, '');
  if (types.has(name)) return name;
  return name.replace(/_(bucket|sum|count)$/, '');
}
