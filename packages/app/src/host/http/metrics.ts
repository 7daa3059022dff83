/** Counters and histograms in Prometheus' text format 0.0.4. Labels come from fixed lists, never from ids. */

export interface Metrics {
  add(name: string, labels?: Labels, by?: number): void;
  /** One duration or delay, in seconds. */
  observe(name: string, seconds: number, labels?: Labels): void;
  /** A value of now, until the next one. */
  set(name: string, value: number): void;
  /** @param gauges Values of this moment, written after the counters. */
  text(gauges: readonly Gauge[]): string;
}

export type Labels = Readonly<Record<string, string>>;

export interface Gauge {
  readonly name: string;
  readonly labels?: Labels;
  readonly value: number;
  /** Default: gauge. */
  readonly type?: "gauge" | "counter";
}

interface Histogram {
  readonly counts: number[];
  sum: number;
  count: number;
}

/** Upper bounds in seconds: from a journal commit to a long turn. */
const BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

export function createMetrics(): Metrics {
  const counters = new Map<string, Map<string, number>>();
  const histograms = new Map<string, Map<string, Histogram>>();
  const standing = new Map<string, Gauge>();
  return {
    set: (name, value) => void standing.set(name, { name, value }),
    add: (name, labels = {}, by = 1) => {
      const series = seriesOf(counters, name);
      const key = labelText(labels);
      series.set(key, (series.get(key) ?? 0) + by);
    },
    observe: (name, seconds, labels = {}) => {
      const series = seriesOf(histograms, name);
      const key = labelText(labels);
      const found = series.get(key) ?? { counts: BUCKETS.map(() => 0), sum: 0, count: 0 };
      series.set(key, found);
      const bucket = BUCKETS.findIndex((bound) => seconds <= bound);
      if (bucket >= 0) found.counts[bucket] = (found.counts[bucket] ?? 0) + 1;
      found.sum += seconds;
      found.count += 1;
    },
    text: (gauges) =>
      [
        ...counterLines(counters),
        ...histogramLines(histograms),
        ...gaugeLines([...standing.values(), ...gauges]),
        "",
      ].join("\n"),
  };
}

function seriesOf<Value>(all: Map<string, Map<string, Value>>, name: string): Map<string, Value> {
  const found = all.get(name) ?? new Map<string, Value>();
  all.set(name, found);
  return found;
}

function* counterLines(counters: ReadonlyMap<string, ReadonlyMap<string, number>>): Generator<string> {
  for (const [name, series] of counters) {
    yield `# TYPE ${name} counter`;
    for (const [labels, value] of series) yield line(name, labels, value);
  }
}

function* histogramLines(histograms: ReadonlyMap<string, ReadonlyMap<string, Histogram>>): Generator<string> {
  for (const [name, series] of histograms) {
    yield `# TYPE ${name} histogram`;
    for (const [labels, { counts, sum, count }] of series) {
      let total = 0;
      for (const [index, bound] of BUCKETS.entries()) {
        total += counts[index] ?? 0;
        yield line(`${name}_bucket`, joined(labels, `le="${bound}"`), total);
      }
      yield line(`${name}_bucket`, joined(labels, 'le="+Inf"'), count);
      yield line(`${name}_sum`, labels, sum);
      yield line(`${name}_count`, labels, count);
    }
  }
}

function* gaugeLines(gauges: readonly Gauge[]): Generator<string> {
  let last = "";
  for (const { name, labels = {}, value, type = "gauge" } of gauges) {
    if (name !== last) yield `# TYPE ${name} ${type}`;
    last = name;
    yield line(name, labelText(labels), value);
  }
}

function line(name: string, labels: string, value: number): string {
  return labels === "" ? `${name} ${value}` : `${name}{${labels}} ${value}`;
}

function joined(labels: string, one: string): string {
  return labels === "" ? one : `${labels},${one}`;
}

function labelText(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replaceAll(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`)
    .join(",");
}
